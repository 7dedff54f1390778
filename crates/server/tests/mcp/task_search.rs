//! `memory_search` and the search of a repository during a task: equal records, and an equal
//! control group. Also the responses on themes, agents' prompts, and user prompts.

use serde_json::{Value, json};

use super::coding::Shop;

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(|one| one["id"].as_str()).collect()
}

#[test]
fn a_task_finds_what_it_may_see_by_both_doors() {
    let shop = Shop::new();
    shop.task("t-002", json!({ "repo": "acme/shop", "description": "Carts" }));
    let asked = json!({ "query": "MAX_ITEMS of a cart", "kinds": ["knowledge", "rule"], "task_id": "t-002" });
    let found = shop.asked("POST", "/v1/repos/acme/shop/search", asked);
    let records: Vec<&Value> =
        found["results"].as_array().unwrap().iter().map(|one| &one["record"]).collect();
    assert!(
        records.iter().any(|one| one["id"] == shop.note.as_str() && one["kind"] == "knowledge"),
        "{found}"
    );
    assert!(found["results"][0]["score"].as_f64().unwrap() > 0.0 && found["arm"] == "on", "{found}");
    let row =
        shop.asked("GET", &format!("/v1/exposures/{}", found["exposure_id"].as_str().unwrap()), Value::Null);
    assert_eq!((&row["call"], &row["task_id"]), (&json!("search"), &json!("t-002")));
    let explained = shop.asked("GET", "/v1/tasks/t-002/explain", Value::Null);
    assert_eq!(explained["exposures"][0]["call"], "search", "{explained}");

    let asked = json!({ "repo": "acme/shop", "query": "every endpoint", "kinds": ["rule", "episode"], "task_id": "t-002" });
    for said in [shop.tool("memory_search", asked.clone()), shop.over_mcp("memory_search", &asked)] {
        assert!(ids(&said["results"]).contains(&shop.rule.as_str()), "{said}");
        assert!(
            said["exposure_id"].as_str().unwrap().starts_with("exp_") && said["degraded"] == false,
            "{said}"
        );
    }
    let filtered = json!({ "repo": "acme/shop", "kinds": ["episode"], "filters": { "status": "completed" } });
    let said = shop.tool("memory_search", filtered);
    assert_eq!(
        (said["results"][0]["task_id"].as_str(), said.get("exposure_id")),
        (Some("t-001"), None),
        "{said}"
    );
}

#[test]
fn a24_the_control_group_finds_nothing_by_any_door() {
    let shop = Shop::new();
    shop.task("t-003", json!({ "repo": "acme/shop", "memory_arm": "off" }));
    let asked = json!({ "repo": "acme/shop", "query": "MAX_ITEMS of a cart", "task_id": "t-003" });
    let said = shop.tool("memory_search", asked);
    assert_eq!((&said["memories"], &said["results"]), (&json!([]), &json!([])), "{said}");
    assert!(said["warnings"][0].as_str().unwrap().starts_with("CONTROL_GROUP"), "{said}");
    let asked = json!({ "query": "MAX_ITEMS of a cart", "task_id": "t-003" });
    let found = shop.asked("POST", "/v1/repos/acme/shop/search", asked);
    assert_eq!(
        (&found["results"], &found["status"]["knowledge"]),
        (&json!([]), &json!("disabled")),
        "{found}"
    );
    let row =
        shop.asked("GET", &format!("/v1/exposures/{}", found["exposure_id"].as_str().unwrap()), Value::Null);
    assert!(row["records"].as_array().unwrap().iter().all(|one| one["decision"] != "shown"), "{row}");
}

#[test]
fn searches_that_cannot_be_right_are_refused() {
    let shop = Shop::new();
    let refused = |body: Value| {
        let (status, answer) = shop.answered("POST", "/v1/repos/acme/shop/search", body);
        (status, answer["error"]["field"].as_str().map(str::to_owned))
    };
    let field = |name: &str| Some(name.to_owned());
    assert_eq!(refused(json!({})), (400, field("query")));
    assert_eq!(refused(json!({ "query": "x", "kinds": ["dream"] })), (400, field("kinds")));
    assert_eq!(refused(json!({ "query": "x", "limit": 101 })), (400, field("limit")));
    assert_eq!(refused(json!({ "filters": { "status": "odd" } })), (400, field("status")));
    assert_eq!(refused(json!({ "query": "x", "task_id": "t-404" })), (404, field("task_id")));
    let nulls = json!({ "filters": { "pr": null, "status": "completed", "until": null } });
    assert_eq!(shop.answered("POST", "/v1/repos/acme/shop/search", nulls).0, 200);
}

#[test]
fn what_tasks_lacked_and_what_they_are_asked() {
    let shop = Shop::new();
    for task in ["l-1", "l-2", "l-3"] {
        shop.task(task, json!({ "repo": "acme/shop" }));
        let text = format!("**[Test database]:** In {task} nothing said where it comes from.");
        let end = json!({ "status": "completed", "self_feedback_text": text });
        shop.asked("POST", &format!("/v1/tasks/{task}/complete"), end);
    }
    let themes = "/v1/repos/acme/shop/self-feedback/themes";
    let found = shop.asked("GET", themes, Value::Null);
    let theme = &found["themes"][0];
    assert_eq!(
        (&theme["count"], &theme["topic"], &theme["state"]),
        (&json!(3), &json!("Test database"), &json!("open"))
    );
    shop.task("t-002", json!({ "repo": "acme/shop" }));
    let asked = json!({ "include": ["self_feedback"] });
    let shown = shop.asked("POST", "/v1/tasks/t-002/hydrate", asked);
    assert_eq!((&shown["knowledge"][0]["lacked_by"], &shown["warnings"]), (&json!(3), &json!([])), "{shown}");
    assert!(shown["rendered"].as_str().unwrap().contains("3 tasks lacked this: Test database:"), "{shown}");
    let close = format!("{themes}/{}/close", theme["theme_id"].as_str().unwrap());
    assert_eq!(shop.asked("POST", &close, Value::Null)["items"].as_array().unwrap().len(), 3);
    assert_eq!(shop.asked("GET", themes, Value::Null)["themes"], json!([]));
    let closed = shop.asked("GET", &format!("{themes}?state=closed"), Value::Null);
    assert_eq!(closed["themes"][0]["state"], "closed", "{closed}");

    let all = shop.asked("GET", "/v1/extraction-prompts", Value::Null);
    assert_eq!(ids(&all["prompts"]), ["learnings@1", "self_feedback@1", "review_rules@1"]);
    let one = shop.asked("GET", "/v1/extraction-prompts/learnings@1?repo=acme/shop", Value::Null);
    assert!(one["text"].as_str().unwrap().contains("the repository acme/shop."), "{one}");
    assert_eq!(shop.answered("GET", "/v1/extraction-prompts/learnings@2", Value::Null).0, 404);
}

#[test]
fn a28_the_user_prompt_is_made_of_sources() {
    let shop = Shop::new();
    let comment = json!({ "author": "ann", "body": "Please page it.", "created_at": "2026-01-01T00:00:00Z" });
    let sources = json!([
        { "kind": "issue", "number": 123, "title": "Orders", "body": "Too many.", "comments": [comment] },
        { "kind": "wiki", "title": "Paging", "body": "By cursor." },
    ]);
    shop.task("t-002", json!({ "repo": "acme/shop", "branch": "agent/t-002", "base": "main" }));
    let asked = json!({ "assemble": true, "sources": sources, "render": "json" });
    let made = shop.asked("POST", "/v1/tasks/t-002/hydrate", asked);
    let prompt = made["user_prompt"].as_str().unwrap();
    assert!(prompt.contains("Please page it.") && prompt.contains("[issue #123] Orders"), "{prompt}");
    assert_eq!(made["sources_used"], json!(["issue#123", "wiki"]));
    assert_eq!((&made["truncated"], &made["resolved_base"]), (&json!(false), &json!("main")));
    let trust = &made["content_trust"];
    let outside = json!("untrusted-external");
    assert_eq!(
        (&trust["issue"], &trust["wiki"], &trust["rules"]),
        (&outside, &outside, &json!("memory")),
        "{made}"
    );
    assert!(made["warnings"].to_string().contains("SOURCE_UNKNOWN: wiki"), "{made}");
    assert!(made.get("rendered").is_none(), "{made}");
    let unused = json!({ "sources": [{ "kind": "issue" }] });
    let plain = shop.asked("POST", "/v1/tasks/t-002/hydrate", unused);
    assert!(
        plain.get("user_prompt").is_none() && plain["warnings"].to_string().contains("SOURCES_UNUSED"),
        "{plain}"
    );
}
