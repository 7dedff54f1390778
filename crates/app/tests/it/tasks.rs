//! Tasks on the command line and over HTTP: from start to end, and without a reachable server.
//! Names contain the numbers of the acceptance tests of coding agents' memory if they are one.

use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use loci_engine_testkit::postgres::PostgresServer;
use serde_json::{Value, json};

use crate::fact_repository::Shop;
use crate::githooks::git_with;
use crate::native::send;
use crate::program::Home;

/// An address without a listener.
const NOWHERE: &str = "http://127.0.0.1:9";
/// The time limit of a reporting command, generous for a busy machine.
const HELD_UP_MAX: Duration = Duration::from_secs(10);
/// The time limit of a hydration in tests that are not about its time.
const PATIENT: [&str; 2] = ["--timeout-ms", "30000"];

/// Readdresses entries for the unreachable address to the server of this machine.
fn as_if_for_here(spool: &str) -> String {
    let here = spool.replace(&format!("\"url\":\"{NOWHERE}\","), "");
    assert_ne!(here, spool);
    here
}

fn begin(shop: &Shop<'_>, id: &str) {
    shop.json(&["task", "create", "--id", id, "--user", "bob", "Add pagination to /orders"]);
}

#[test]
fn a_task_from_its_beginning_to_its_end() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    begin(&shop, "t-001");
    begin(&shop, "t-001");
    let (code, _, said) = shop.run(&["task", "create", "--id", "t-001", "Something else"]);
    assert_eq!(code, 4, "{said}");
    let task = shop.json(&["task", "show", "t-001"]);
    assert_eq!((&task["repo"], &task["status"]), (&json!("acme/shop"), &json!("accepted")), "{task}");

    let noted = shop.json(&["task", "note", "t-001", "**Cart:** `add_item` refuses more than 50 items."]);
    assert_eq!(
        (&noted["learning"]["action"], &noted["learning"]["topic"]),
        (&json!("added"), &json!("Cart"))
    );
    shop.write(
        "learnings.md",
        "- **Cart:** `add_item` refuses more than 50 items.\n- **Money:** prices are `Cents`.\n",
    );
    let report = ["task", "complete", "t-001", "--status", "completed", "--summary", "Added pagination."];
    let flags = ["--learnings", "learnings.md", "--pr", "57", "--cost-usd", "NaN", "--duration-s", "812.4"];
    let left = shop.json(&[&report[..], &flags].concat());
    let actions: Vec<_> = left["learnings"].as_array().unwrap().iter().map(|one| &one["action"]).collect();
    assert_eq!(actions, [&json!("duplicate"), &json!("added")], "{left}");
    let kept = shop.json(&["task", "finalize", "t-001", "--status", "completed", "--cost-usd", "0.421349"]);
    assert_eq!((&kept["wrote"], &kept["kind"]), (&json!(false), &json!("kept_existing")), "{kept}");
    assert_eq!(kept["episode_id"], left["episode_id"]);

    let listed = shop.json(&["task", "list", "--repo", "acme/shop", "--status", "completed", "--pr", "57"]);
    assert_eq!(listed["tasks"].as_array().unwrap().len(), 1, "{listed}");
    let (code, out, _) = shop.run(&["task", "show", "t-001"]);
    assert!(code == 0 && out.contains("completed") && out.contains("pull request 57"), "{out}");
    let episode = shop.json(&["record", "get", "--memory", "code", left["episode_id"].as_str().unwrap()]);
    assert_eq!(
        episode["metadata"]["cost_usd"], 0.4213,
        "filled in at the end, with four decimals: {episode}"
    );
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a process is timed by the machine's time")]
fn what_is_remembered_is_printed_for_the_prompt() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    begin(&shop, "t-001");
    shop.json(&["task", "note", "t-001", "**Orders:** pagination goes by a cursor, never by an offset."]);
    begin(&shop, "t-002");
    let hydrate = [&["task", "hydrate", "t-002"][..], &PATIENT].concat();
    let found = shop.json(&[&hydrate[..], &["--budget-tokens", "400"]].concat());
    let id = found["knowledge"][0]["id"].as_str().unwrap_or_else(|| panic!("{found}"));
    assert_eq!((&found["degraded"], &found["arm"]), (&json!(false), &json!("on")), "{found}");
    assert!(found["budget"]["used"].as_u64().unwrap() <= 400, "{found}");
    assert_eq!(found["memory_context"]["past_episodes"], json!([]));
    let (code, out, _) = shop.run(&hydrate);
    assert!(code == 0 && out.contains(id) && out.starts_with("<<loci-data-"), "{out}");
    let explained = shop.json(&["task", "explain", "t-002"]);
    assert_eq!(explained["exposures"].as_array().unwrap().len(), 2, "{explained}");
    assert_eq!((&explained["records"][0]["id"], &explained["records"][0]["shown"]), (&json!(id), &json!(2)));
    let (code, out, _) = shop.run(&["task", "explain", "t-002"]);
    assert!(code == 0 && out.contains("1 shown, 0 not") && out.contains(id), "{out}");

    // An invalid request does not fail the command either, except with --strict.
    let (code, out, said) = shop.run(&["task", "hydrate", "t-002", "--timeout-ms", "1"]);
    assert!(code == 0 && out.contains("No previous knowledge") && said.contains("timeout_ms"), "{said}");
    assert_ne!(shop.run(&["task", "hydrate", "t-002", "--timeout-ms", "1", "--strict"]).0, 0);
    // A rejection differs from an unreachable server.
    let (code, out, said) = shop.run(&["task", "hydrate", "t-404"]);
    assert!(
        code == 0 && said.contains("server refused") && out.contains("could not be read"),
        "{said} {out}"
    );
    let (code, out, _) = shop.run(&["task", "hydrate", "t-404", "--json"]);
    let refused: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &refused["error"]["code"]), (0, &json!("NOT_FOUND")), "{out}");
    assert_eq!((&refused["status"]["rules"], &refused["degraded"]), (&json!("error"), &json!(true)), "{out}");
    assert!(refused["warnings"][0].as_str().unwrap().starts_with("REFUSED: "), "{out}");
    assert_eq!(shop.run(&["task", "hydrate", "t-404", "--strict"]).0, 3);
    let began = Instant::now();
    let (code, out, said) = shop.run(&["task", "hydrate", "t-002", "--url", NOWHERE]);
    assert!(began.elapsed() < HELD_UP_MAX, "{:?}", began.elapsed());
    assert!(code == 0 && out.contains("No previous knowledge") && !out.contains(id), "{out}");
    assert!(said.contains("loci task hydrate:") && !said.contains("server refused"), "{said}");
    let (code, out, _) = shop.run(&["task", "hydrate", "t-002", "--url", NOWHERE, "--json"]);
    let nothing: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &nothing["degraded"]), (0, &json!(true)), "{out}");
    assert_eq!(nothing["error"]["code"], "UNAVAILABLE", "{out}");
    assert_eq!(nothing["memory_context"], json!({"repo_knowledge": null, "past_episodes": null}));
    assert_eq!(shop.run(&["task", "hydrate", "t-002", "--url", NOWHERE, "--strict"]).0, 1);
    assert_eq!(shop.json(&["spool", "show"]), json!([]), "a question is of no use later");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a process is timed by the machine's time")]
fn a38_what_was_reported_offline_is_there_once_when_the_server_is() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    begin(&shop, "t-001");
    let secret = ["ghp_", "abcdefghijklmnop", "qrstuvwxyz0123456789"].concat();
    let summary = format!("Pushed with {secret}.");
    let report = ["task", "complete", "t-001", "--status", "completed", "--summary", &summary];
    let away = |arguments: &[&str]| {
        let began = Instant::now();
        let run = shop.run(&[arguments, &["--url", NOWHERE]].concat());
        assert!(began.elapsed() < HELD_UP_MAX, "{arguments:?} took {:?}", began.elapsed());
        run
    };
    let (code, out, said) = away(&report);
    assert_eq!((code, out.as_str()), (0, ""), "{said}");
    assert!(said.contains("spooled in") && said.contains("loci task complete:"), "{said}");
    let (code, _, said) = away(&[&report[..], &["--strict"]].concat());
    assert_eq!(code, 1, "{said}");
    assert_eq!(away(&["task", "note", "t-001", "Orders have 3 states."]).0, 0);
    assert_eq!(away(&["task", "finalize", "t-001", "--status", "failed"]).0, 0);

    let file = shop.path().join(".git/loci/spool.jsonl");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let kept = std::fs::read_to_string(&file).unwrap();
    assert_eq!((kept.lines().count(), kept.contains(&secret)), (4, false), "{kept}");
    let waiting = shop.json(&["spool", "show"]);
    let calls: Vec<_> = waiting.as_array().unwrap().iter().map(|one| one["call"].as_str().unwrap()).collect();
    assert_eq!(calls, ["complete", "complete", "note", "finalize"]);

    // Entries for one server are sent to no other.
    let (code, _, said) = shop.run(&["task", "note", "t-001", "Invoices are numbered by year."]);
    assert!(code == 0 && !said.contains("spooled"), "{said}");
    assert_eq!(shop.json(&["spool", "show"]).as_array().unwrap().len(), 4);
    let kept = as_if_for_here(&kept);
    std::fs::write(&file, &kept).unwrap();
    // The next command that reaches the server sends the waiting entries first, in order.
    let (code, _, said) = shop.run(&["task", "note", "t-001", "Orders have 3 states."]);
    assert!(code == 0 && said.contains("4 spooled reports sent, 0 refused"), "{said}");
    assert_eq!(shop.json(&["spool", "show"]), json!([]));
    // A second send, as after a crash before the file was rewritten.
    std::fs::write(&file, kept).unwrap();
    assert_eq!(shop.json(&["spool", "flush"]), json!({ "taken": 4, "refused": 0, "waiting": 0 }));
    let of = |namespace: &str| {
        let listed = shop.json(&["record", "list", "--memory", "code", "--namespace", namespace]);
        listed["records"].as_array().unwrap().len()
    };
    let held = (of("/acme/shop/episodes/"), of("/acme/shop/knowledge/"));
    assert_eq!(held, (1, 2), "duplicates are harmless");
    assert_eq!(shop.json(&["task", "show", "t-001"])["status"], "completed");
}

/// Readdresses entries for the unreachable address to the server of this machine, including the
/// directory of the clone.
fn move_here(shop: &Shop<'_>) {
    let file = shop.path().join(".git/loci/spool.jsonl");
    let kept = as_if_for_here(&std::fs::read_to_string(&file).unwrap());
    let body = format!("\"body\":{{\"directory\":{},", json!(shop.at()));
    std::fs::write(&file, kept.replace("\"body\":{\"create\":", &format!("{body}\"create\":"))).unwrap();
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a process is timed by the machine's time")]
fn a_task_that_no_server_took_in_goes_on_and_is_there_when_one_is() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    let away = |arguments: &[&str]| {
        let began = Instant::now();
        let (code, out, said) = shop.run(&[arguments, &["--url", NOWHERE]].concat());
        assert!(began.elapsed() < HELD_UP_MAX, "{arguments:?} took {:?}", began.elapsed());
        (code, out, said)
    };
    let create = ["task", "create", "--user", "bob", "Add pagination to /orders"];
    let (code, out, said) = away(&[&create[..], &["--strict"]].concat());
    assert_eq!((code, out.as_str()), (1, ""), "{said}");
    assert_eq!(shop.json(&["spool", "show"]), json!([]), "whoever is told at once asks again");
    let (code, out, said) = away(&create);
    assert!(code == 0 && said.contains("loci task create:") && said.contains("spooled in"), "{said}");
    let id = out.trim().to_owned();
    let (code, out, _) = away(&[&create[..], &["--id", "t-named", "--json"]].concat());
    let named: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &named["task_id"], &named["spooled"]), (0, &json!("t-named"), &json!(true)), "{out}");

    // All following reports wait behind it.
    shop.run(&["githook", "install", "--task", &id, "--url", NOWHERE]);
    let commit = ["commit", "--quiet", "--allow-empty", "--message", "Add pagination"];
    git_with(&home, &shop.path(), &[], &commit);
    let sha = shop.git(&["rev-parse", "HEAD"]);
    let (code, _, said) =
        away(&["session", "append", &id, "--seq", "1", "--type", "decision", "A cursor it is."]);
    assert_eq!(code, 0, "{said}");
    let report = ["task", "complete", &id, "--status", "completed", "--summary", "Added pagination."];
    assert_eq!(away(&report).0, 0);
    assert_eq!(away(&["task", "finalize", &id, "--status", "completed"]).0, 0);
    let calls: Vec<String> = shop
        .json(&["spool", "show"])
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["call"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(calls, ["create", "create", "commits", "session", "complete", "finalize"]);

    move_here(&shop);
    assert_eq!(shop.json(&["spool", "flush"]), json!({ "taken": 6, "refused": 0, "waiting": 0 }));
    let task = shop.json(&["task", "show", &id]);
    assert_eq!((&task["status"], &task["repo"]), (&json!("completed"), &json!("acme/shop")), "{task}");
    assert_eq!(task["written"]["minimal"], json!(false), "{task}");
    let found = shop.json(&["attribution", "--task", &id]);
    assert_eq!(found["items"][0]["commits"][0]["sha"], json!(sha), "{found}");
    assert_eq!(found["items"][0]["snippets"][0]["text"], "A cursor it is.", "{found}");
}

#[test]
fn whoever_comes_next_takes_in_what_waits() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    let begun = |id: &str| {
        let (code, _, said) = shop.run(&["task", "create", "--id", id, "Add pagination", "--url", NOWHERE]);
        assert_eq!(code, 0, "{said}");
        move_here(&shop);
    };
    begun("t-001");
    let (code, _, said) = shop.run(&["task", "note", "t-001", "Orders have 3 states."]);
    assert!(code == 0 && said.contains("1 spooled reports sent, 0 refused"), "{said}");
    begun("t-002");
    let found = shop.json(&[&["task", "hydrate", "t-002"][..], &PATIENT].concat());
    assert_eq!((&found["degraded"], &found["task_id"]), (&json!(false), &json!("t-002")), "{found}");
    assert_eq!(shop.json(&["spool", "show"]), json!([]));
    // A rejection by a reachable server is reported at once.
    let (code, _, said) = shop.run(&["task", "create", "--id", "t-002", "Something else"]);
    assert_eq!(code, 4, "{said}");
    assert_eq!(shop.json(&["spool", "show"]), json!([]));
}

#[test]
fn what_a_server_refuses_stays_in_the_spool_and_is_not_sent_again() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    begin(&shop, "t-001");
    assert_eq!(shop.run(&["task", "note", "t-001", "", "--url", NOWHERE]).0, 0);
    let file = shop.path().join(".git/loci/spool.jsonl");
    std::fs::write(&file, as_if_for_here(&std::fs::read_to_string(&file).unwrap())).unwrap();
    let (code, _, said) = shop.run(&["task", "note", "t-001", "Prices are in 1 currency."]);
    assert!(code == 0 && said.contains("0 spooled reports sent, 1 refused"), "{said}");
    let (_, _, said) = shop.run(&["task", "note", "t-001", "Prices are in 1 currency."]);
    assert!(!said.contains("spooled"), "{said}");
    let (code, out, _) = shop.run(&["spool", "flush"]);
    assert_eq!((code, out.trim()), (5, "0 sent, 1 refused, 0 waiting"));
    // A report about an unknown task is spooled too, with the reason: the task may be created
    // later.
    let (code, _, said) = shop.run(&["task", "note", "t-405", "Orders have 3 states."]);
    assert!(code == 0 && said.contains("no task t-405"), "{said}");
    let kept = shop.json(&["spool", "show"]);
    assert_eq!(kept.as_array().unwrap().len(), 2);
    assert!(kept[0]["waits"]["why"].as_str().unwrap().contains("no task t-405"), "{kept}");
    assert!(kept[1]["refused"].is_string(), "{kept}");
    let (code, out, _) = shop.run(&["spool", "flush"]);
    assert_eq!((code, out.trim()), (5, "0 sent, 1 refused, 1 waiting"));
    begin(&shop, "t-405");
    let (code, out, _) = shop.run(&["spool", "flush"]);
    assert_eq!((code, out.trim()), (5, "1 sent, 1 refused, 0 waiting"));
    assert_eq!(shop.run(&["task", "note", "t-406", "Orders have 3 states.", "--strict"]).0, 3);
    begin(&shop, "t-002");
    let report = ["task", "complete", "t-002", "--status", "completed", "--learnings", "not-there.md"];
    let (code, _, said) = shop.run(&report);
    assert!(code == 0 && said.contains("left out of the report") && !said.contains("loci task"), "{said}");
    let task = shop.json(&["task", "show", "t-002"]);
    assert!(task["written"]["episode_id"].is_string(), "{task} {said}");
    assert_ne!(shop.run(&[&report[..], &["--strict"]].concat()).0, 0);
    let (code, _, said) = shop.run(&["task", "complete", "t-002", "--status", "nonsense"]);
    assert!(code == 2 && said.contains("timed_out"), "{said}");
}

#[test]
fn a_spool_of_ones_own() {
    let home = Home::new();
    let path = home.path("own/spool.jsonl");
    let note = |variables: &[(&str, &std::path::Path)]| {
        let mut command = home.command(&["task", "note", "t-1", "Orders have 3 states.", "--url", NOWHERE]);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = note(&[]);
    assert!(code == Some(0) && said.contains("LOCI_SPOOL"), "{said}");
    let (code, said) = note(&[("LOCI_SPOOL", &path)]);
    assert!(code == Some(0) && path.exists(), "{said}");
}

#[test]
fn the_shapes_over_http() {
    let home = Home::new();
    let server = home.serve(&[]);
    let call = |method: &str, path: &str, body: &str| send(&server, method, path, "", body);
    assert_eq!(call("POST", "/v1/repos", r#"{"name":"vercel/next.js"}"#).0, 200);
    let new = r#"{"task_id":"t:1","repo":"vercel/next.js","description":"x","user":"bob"}"#;
    let (status, made) = call("POST", "/v1/tasks", new);
    assert_eq!((status, &made["memory_arm"]), (201, &json!("on")), "{made}");
    assert_eq!(call("POST", "/v1/tasks", new), (200, made.clone()));
    let other = call("POST", "/v1/tasks", &new.replace("\"x\"", "\"y\""));
    assert_eq!((other.0, &other.1["error"]["code"]), (409, &json!("CONFLICT")));
    let unknown = call("POST", "/v1/tasks", r#"{"repo":"a/b","description":"x"}"#);
    assert_eq!((unknown.0, &unknown.1["error"]["code"]), (404, &json!("REPO_UNKNOWN")), "{}", unknown.1);
    let (status, patched) = call("PATCH", "/v1/tasks/t:1", r#"{"status":"running"}"#);
    assert_eq!((status, &patched["task"]["status"]), (200, &json!("running")));

    let report =
        r#"{"status":"completed","cost_usd":"NaN","duration_s":"Infinity","verification":{"build":true}}"#;
    let (status, left) = call("POST", "/v1/tasks/t:1/complete", report);
    assert_eq!(
        (status, &left["memory_written"], &left["degraded"]),
        (202, &json!(true), &json!(false)),
        "{left}"
    );
    let (status, noted) = call("POST", "/v1/tasks/t:1/notes", r#"{"text":"Port 3000 is used."}"#);
    assert_eq!((status, &noted["learning"]["action"]), (202, &json!("added")), "{noted}");
    let (status, done) = call("POST", "/v1/tasks/t:1/finalize", r#"{"status":"completed","cost_usd":0.5}"#);
    assert_eq!((status, &done["kind"]), (200, &json!("kept_existing")), "{done}");
    let (_, task) = call("GET", "/v1/tasks/t:1", "");
    assert_eq!(
        (&task["cost_usd"], &task["written"]["episode_id"]),
        (&json!(0.5), &left["episode_id"]),
        "{task}"
    );
    assert_eq!(task["duration_s"], Value::Null);
    let (_, listed) = call("GET", "/v1/tasks?repo=vercel%2Fnext.js&q=X&limit=1", "");
    assert_eq!(listed["tasks"].as_array().unwrap().len(), 1, "{listed}");

    let check = |method: &str, path: &str, body: &str, status: u16, field: &str| {
        let (got, answer) = call(method, path, body);
        assert_eq!((got, &answer["error"]["field"]), (status, &json!(field)), "{path} {body}: {answer}");
    };
    check("POST", "/v1/tasks", r#"{"repo":"vercel/next.js","descripton":"x"}"#, 400, "descripton");
    check("POST", "/v1/tasks", r#"{"task_id":"-t","repo":"vercel/next.js"}"#, 400, "task_id");
    check("POST", "/v1/tasks", r#"{"kind":"chore","repo":"vercel/next.js"}"#, 400, "kind");
    check("PATCH", "/v1/tasks/t:1", r#"{"status":"done"}"#, 400, "status");
    check("POST", "/v1/tasks/t:1/complete", r#"{"status":"running"}"#, 400, "status");
    check("POST", "/v1/tasks/t:1/complete", r#"{"failure_category":"bad luck"}"#, 400, "failure_category");
    check("POST", "/v1/tasks/t:1/finalize", r#"{}"#, 400, "status");
    check("POST", "/v1/tasks/none/complete", r#"{}"#, 404, "task_id");
}

#[test]
fn a01_names_of_repositories_at_every_door() {
    let names: Value =
        serde_json::from_str(include_str!("../../../engine/tests/coding/repository_names.json")).unwrap();
    let names = |list: &str| -> Vec<String> {
        names[list].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let home = Home::new();
    let server = home.serve(&[]);
    let check = |name: &str, is_name: bool, expect: (u16, u16, i32)| {
        let created = send(&server, "POST", "/v1/tasks", "", &json!({ "repo": name }).to_string());
        let added = send(&server, "POST", "/v1/repos", "", &json!({ "name": name }).to_string());
        let tool = json!({ "repo": name, "query": "x" }).to_string();
        let told = send(&server, "POST", "/v1/tools/memory_search", "", &tool);
        for other in ["task_history", "rules_list", "memory_hydrate", "attribution_lookup"] {
            let asked = json!({ "repo": name }).to_string();
            let answer = send(&server, "POST", &format!("/v1/tools/{other}"), "", &asked);
            assert_eq!(answer.0, told.0, "{other} {name:?}: {}", answer.1);
        }
        // An argument cannot contain a zero character.
        let code = match name.contains('\0') {
            true => expect.2,
            false => home.run(&["task", "create", "x", &format!("--repo={name}")]).status.code().unwrap(),
        };
        assert_eq!((added.0, told.0, code), expect, "{name:?}: {} {}", added.1, told.1);
        // A valid name may already be known by another spelling.
        assert_eq!(created.0 != 400, is_name, "{name:?}: {}", created.1);
    };
    for name in names("reject") {
        check(&name, false, (400, 400, 2));
    }
    for name in names("accept") {
        check(&name, true, (200, 200, 0));
    }
}

/// A server that is killed during concurrent reports and ends: the remaining data is consistent,
/// and after another end each task has one episode.
#[test]
fn a31_killed_in_the_middle_of_reports() {
    killed_in_the_middle_of_reports(&Home::new(), &[]);
}

#[test]
fn a31_killed_in_the_middle_of_reports_on_postgres() {
    let database = PostgresServer::shared().unwrap().fresh_database().unwrap();
    killed_in_the_middle_of_reports(&Home::new(), &[("LOCI_STORE", database.as_str())]);
    PostgresServer::shared().unwrap().drop_database(&database).unwrap();
}

fn killed_in_the_middle_of_reports(home: &Home, store: &[(&str, &str)]) {
    const ROUNDS: usize = 4;
    const TASKS: usize = 12;
    for round in 0..ROUNDS {
        let server = home.serve_with(&[], store);
        send(&server, "POST", "/v1/repos", "", r#"{"name":"acme/shop"}"#);
        for number in 0..TASKS {
            let new = json!({ "task_id": format!("t-{round}-{number}"), "repo": "acme/shop" });
            assert_eq!(send(&server, "POST", "/v1/tasks", "", &new.to_string()).0, 201);
        }
        // Killed after this many answers, regardless of the other requests.
        let answers = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for number in 0..TASKS {
                let (answers, url) = (&answers, server.url.clone());
                scope.spawn(move || report_and_end(&url, round, number, answers));
            }
            while answers.load(std::sync::atomic::Ordering::SeqCst) < 2 + round * 4 {
                std::thread::yield_now();
            }
            server.kill();
        });
    }
    let server = home.serve_with(&[], store);
    let mut learned = 0;
    for (round, number) in (0..ROUNDS).flat_map(|round| (0..TASKS).map(move |number| (round, number))) {
        let path = format!("/v1/tasks/t-{round}-{number}");
        let (status, _) = send(&server, "POST", &format!("{path}/finalize"), "", r#"{"status":"failed"}"#);
        assert_eq!(status, 200);
        let (_, task) = send(&server, "GET", &path, "", "");
        // A report is stored completely or not at all.
        let is_reported = task["written"]["minimal"] == json!(false);
        assert_eq!(task["written"]["learnings"] == json!(1), is_reported, "{task}");
        learned += usize::from(is_reported);
    }
    let count = |namespace: &str| {
        let list = ["record", "list", "--memory", "code", "--limit", "100", "--namespace", namespace];
        let listed = home.json(&[&list[..], &["--url", &server.url]].concat());
        listed["records"].as_array().unwrap().len()
    };
    assert_eq!(count("/acme/shop/episodes/"), ROUNDS * TASKS);
    assert_eq!(count("/acme/shop/knowledge/"), learned);
    assert!(server.stop());
}

/// Sends one task's report and its end, and counts each answer.
fn report_and_end(url: &str, round: usize, number: usize, answers: &std::sync::atomic::AtomicUsize) {
    let task = format!("/v1/tasks/t-{round}-{number}");
    let report = json!({
        "status": "completed",
        "summary": format!("Report {number}."),
        "learnings_text": format!("- Learning {number} of round {round}."),
    });
    for (what, body) in [("complete", report), ("finalize", json!({ "status": "completed" }))] {
        if try_send(url, &format!("{task}/{what}"), &body.to_string()) {
            answers.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        }
    }
}

/// Sends a request to a server that may end at any moment. Returns true on success.
fn try_send(url: &str, path: &str, body: &str) -> bool {
    use std::io::{Read as _, Write as _};
    let Ok(mut stream) = std::net::TcpStream::connect(url.trim_start_matches("http://")) else {
        return false;
    };
    let length = body.len();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    let mut answer = String::new();
    stream.write_all(request.as_bytes()).is_ok()
        && stream.read_to_string(&mut answer).is_ok()
        && answer.starts_with("HTTP/1.1 20")
}
