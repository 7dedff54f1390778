//! The tools of operations agents: both forms of arguments, their investigation, and values that no
//! tool can set.

use loci_engine::memories::profiles::MemoryEnsure;
use loci_model::principal::Principal;
use serde_json::{Value, json};

use crate::fixture::World;

fn world() -> World {
    let world = World::new();
    let ensure = MemoryEnsure {
        name: "sre_agent_memory".to_owned(),
        profile: Some("sre".to_owned()),
        ..MemoryEnsure::default()
    };
    let admin = Principal::administrator("tester");
    world.block_on(world.test.engine().memory_ensure(&admin, ensure)).unwrap();
    world.with_token(json!([{ "capabilities": ["read", "write"] }]))
}

fn call(world: &World, name: &str, arguments: &Value) -> (u16, Value) {
    let answer = world.send("POST", &format!("/v1/tools/{name}"), &[], arguments.to_string());
    (answer.status.as_u16(), answer.json())
}

fn started(world: &World) -> Value {
    let body = json!({"query": "API server pod is restarting", "services": ["api-server"]});
    let answer = world.send("POST", "/v1/investigations", &[], body.to_string());
    assert_eq!(answer.status.as_u16(), 201, "{}", answer.text);
    answer.json()
}

#[test]
fn both_forms_are_saved_and_found() {
    let world = world();
    started(&world);
    let check = |name: &str, arguments: Value, state: &str| {
        let (status, saved) = call(&world, name, &arguments);
        assert_eq!((status, &saved["saved"], &saved["state"]), (200, &json!(true), &json!(state)), "{saved}");
    };
    check(
        "save_preference",
        json!({"preference": "prefers short reports", "categories": ["communication"]}),
        "active",
    );
    let content = json!({"preference_type": "workflow", "preference_value": {"step_minutes": 10}});
    check("save_preference", json!({"content": content, "context": "chat"}), "active");
    let knowledge =
        |text: &str| json!({"service_name": "api-server", "knowledge": text, "knowledge_type": "baseline"});
    check("save_infrastructure", knowledge("memory usage is 400-500Mi"), "active");
    check("save_infrastructure", knowledge("memory usage is 900Mi"), "active");
    let content = json!({"service_name": "api-server", "knowledge_type": "dependency", "metric": "postgres",
        "knowledge_data": {"target": "postgres"}});
    check(
        "save_infrastructure",
        json!({"content": content, "context": "plan", "agent": "kubernetes"}),
        "active",
    );
    check("save_investigation", json!({"finding": "OOMKilled at 1.5s", "category": "root_cause"}), "active");

    let find = |arguments: Value| call(&world, "retrieve_memory", &arguments);
    let (_, found) =
        find(json!({"memory_type": "infrastructure", "query": "memory usage of the api-server"}));
    let texts = found["results"].to_string();
    assert!(texts.contains("900Mi") && !texts.contains("400-500Mi"), "the newer one is known: {found}");
    assert!(texts.contains("kubernetes-agent"), "an agent has one name: {found}");
    let (_, found) = find(json!({"memory_type": "preference", "query": ""}));
    assert!(found["results"].to_string().contains("prefers short reports"), "{found}");
    let (_, found) = find(json!({"memory_type": "investigation", "query": "pod restarting"}));
    assert!(found["results"].to_string().contains("OOMKilled at 1.5s"), "{found}");
}

/// The instructions that an agent gets at connection name the listed tools, and no other tool.
#[test]
fn the_instructions_name_the_tools_of_the_profile() {
    let world = World::new();
    let names = |profile: &str| -> Vec<String> {
        let listed = world.modern(&format!("/mcp/p/{profile}"), "tools/list", json!({})).json();
        let tools = listed["result"]["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let read = |profile: &str| {
        let path = format!("/mcp/p/{profile}");
        let at_connection =
            world.legacy(&path, "initialize", json!({"protocolVersion": "2025-11-25"})).json();
        let text = at_connection["result"]["instructions"].as_str().unwrap().to_owned();
        let discovered = world.modern(&path, "server/discover", json!({})).json();
        let rules = world.modern(&path, "resources/read", json!({"uri": "memory://rules"})).json();
        let prompt = world.modern(&path, "prompts/get", json!({"name": "memory_rules"})).json();
        assert_eq!(discovered["result"]["instructions"], json!(text), "{profile}");
        assert_eq!(rules["result"]["contents"][0]["text"], json!(text), "{profile}");
        assert_eq!(prompt["result"]["messages"][0]["content"]["text"], json!(text), "{profile}");
        text
    };
    let (own, of_others) = (names("sre"), names("full"));
    let has = |text: &str, name: &String| {
        let is_part = |sign: char| sign.is_alphanumeric() || sign == '_';
        text.split(|sign| !is_part(sign)).any(|word| word == name)
    };
    let text = read("sre");
    for name in &own {
        assert!(has(&text, name), "{name}: {text}");
    }
    for name in of_others.iter().filter(|name| !own.contains(name)) {
        assert!(!has(&text, name), "{name} is not listed: {text}");
    }
    for word in ["preferences", "infrastructure", "investigations", "pending_confirmation", "user_id"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let both = read("core+sre");
    assert_eq!(both, format!("{} {text}", read("core")));
}

#[test]
fn a_worker_has_no_tools_and_hands_in_its_answers() {
    let mut world = world();
    let incident = started(&world)["incident_id"].as_str().unwrap().to_owned();
    let memory = world.send("GET", "/v1/memories", &[], String::new()).json()["memories"][0]["id"].clone();
    let worker = json!([{ "memory": memory, "actor": "kubernetes-agent", "capabilities": ["worker"] }]);
    world.token = Some(world.token_of(worker));
    for profile in ["sre", "recall", "full"] {
        let listed = world.modern(&format!("/mcp/p/{profile}"), "tools/list", json!({})).json();
        assert_eq!(listed["result"]["tools"], json!([]), "{profile}");
    }
    for (name, arguments) in [
        ("retrieve_memory", json!({"memory_type": "infrastructure", "query": "api"})),
        ("save_preference", json!({"preference": "short reports", "categories": ["communication"]})),
        (
            "save_infrastructure",
            json!({"service_name": "api", "knowledge": "x", "knowledge_type": "pattern"}),
        ),
        ("save_investigation", json!({"finding": "x", "category": "observation"})),
    ] {
        let (status, error) = call(&world, name, &arguments);
        assert_eq!(status, 403, "{name}: {error}");
        let called = world.modern("/mcp/p/sre", "tools/call", json!({"name": name, "arguments": arguments}));
        assert!(called.status.as_u16() == 403 || called.json().get("error").is_some(), "{}", called.text);
    }
    let answer = json!({"agent": "kubernetes-agent", "text": "nothing found", "tool_calls": []}).to_string();
    let path = format!("/v1/investigations/{incident}/agent-response");
    let taken = world.send("POST", &path, &[], answer);
    assert_eq!(taken.status.as_u16(), 202, "{}", taken.text);
    let other = json!({"agent": "logs-agent", "text": "nothing found", "tool_calls": []}).to_string();
    assert_eq!(world.send("POST", &path, &[], other).status.as_u16(), 403);
}

#[test]
fn what_was_shown_is_left_out_and_counted() {
    let world = world();
    started(&world);
    let knowledge = json!({"service_name": "api-server", "knowledge": "restarts when memory ends", "knowledge_type": "pattern",
        "agent": "kubernetes-agent"});
    assert_eq!(call(&world, "save_infrastructure", &knowledge).0, 200);
    // Another start shows it.
    let second = started(&world);
    assert!(second["rendered"].as_str().unwrap().contains("restarts when memory ends"), "{second}");
    let asked = |more: Value| {
        let mut arguments = json!({"memory_type": "infrastructure", "query": "api-server restarts"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (_, found) = call(&world, "retrieve_memory", &arguments);
        (found["results"].as_array().unwrap().len(), found["left_out"].clone())
    };
    assert_eq!(asked(json!({})), (0, json!(1)));
    assert_eq!(asked(json!({"include_shown": true})), (1, json!(0)));
}

#[test]
fn a_tool_says_what_is_missing_and_sets_nothing_of_a_person() {
    let world = world();
    let check = |name: &str, arguments: Value, status: u16, part: &str| {
        let (got, answer) = call(&world, name, &arguments);
        assert_eq!(got, status, "{name} {arguments}: {answer}");
        assert!(answer.to_string().contains(part), "{name} {arguments}: {answer}");
    };
    check("save_preference", json!({"preference": "tea"}), 400, "missing: preference, categories");
    check("save_preference", json!({"content": {"preference_value": {"a": 1}}}), 400, "missing: context");
    check("save_infrastructure", json!({"service_name": "api"}), 400, "missing: knowledge, knowledge_type");
    // Knowledge needs no investigation.
    let knowledge = json!({"service_name": "api", "knowledge": "slow", "knowledge_type": "pattern"});
    check("save_infrastructure", knowledge, 200, "active");
    check(
        "save_investigation",
        json!({"finding": "f", "category": "root_cause"}),
        404,
        "no investigation of agent is open",
    );
    check("retrieve_memory", json!({"memory_type": "facts", "query": "x"}), 400, "supported");
    check(
        "retrieve_memory",
        json!({"memory_type": "preferences", "query": "x", "actor_id": "bob"}),
        403,
        "FORBIDDEN",
    );

    let contact = json!({"preference": "escalate to ops.team@example.co.uk", "categories": ["escalation"]});
    check("save_preference", contact, 200, "pending_confirmation");
    let risk = json!({"content": {"preference_type": "workflow", "preference_value": {"auto_approve_simple_plans": true}}, "context": "log"});
    check("save_preference", risk, 200, "rejected");
    let (_, found) = call(&world, "retrieve_memory", &json!({"memory_type": "preferences", "query": ""}));
    let one = &found["results"][0]["content"];
    assert_eq!(one["preference_value"], json!({}), "nothing of it is in force: {found}");
    assert_eq!(one["waiting"].as_object().map(|waiting| waiting.len()), Some(1), "{found}");
    assert_eq!(one["entries"][0]["state"], json!("pending_confirmation"));
    assert_eq!(found["results"].as_array().unwrap().len(), 1, "the risk is nowhere: {found}");
    let value = json!({"contact": "ops-team@company.com", "channel": "email", "delay_minutes": 15});
    let content = json!({"preference_type": "notification", "preference_value": value});
    let (_, kept) = call(&world, "save_preference", &json!({"content": content, "context": "said so"}));
    assert_eq!(kept["saved"], json!(true), "{kept}");
    let (_, found) =
        call(&world, "retrieve_memory", &json!({"memory_type": "preferences", "query": "notification"}));
    let one = &found["results"][0]["content"];
    assert_eq!(one["preference_value"], json!({"channel": "email", "delay_minutes": 15}), "{found}");
    assert_eq!(one["waiting"], json!({"contact": "ops-team@company.com"}), "{found}");
}

/// Sends a call for a user that the connection names.
pub(super) fn call_for(world: &World, user: Option<&str>, name: &str, arguments: &Value) -> (u16, Value) {
    let headers: Vec<(&str, &str)> = user.map(|user| ("x-loci-user", user)).into_iter().collect();
    let answer = world.send("POST", &format!("/v1/tools/{name}"), &headers, arguments.to_string());
    (answer.status.as_u16(), answer.json())
}

pub(super) fn shared() -> World {
    let mut world = world();
    world.token = Some(world.token_of(json!([{ "capabilities": ["read", "write", "impersonate"] }])));
    world
}

pub(super) fn started_for(world: &World, user: &str, query: &str) -> Value {
    let body = json!({"query": query, "user_id": user}).to_string();
    let answer = world.send("POST", "/v1/investigations", &[], body);
    assert_eq!(answer.status.as_u16(), 201, "{}", answer.text);
    answer.json()
}

#[test]
fn a_shared_key_saves_for_the_user_of_the_request() {
    let world = shared();
    let session = started_for(&world, "carol", "pods crash")["session_id"].clone();
    let sentence = |text: &str, more: Value| {
        let mut arguments = json!({"preference": text, "categories": ["communication"]});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let check = |user: Option<&str>, more: Value, expect: &str| {
        let (status, saved) =
            call_for(&world, user, "save_preference", &sentence(&format!("reports for {expect}"), more));
        assert_eq!(
            (status, &saved["user_id"], &saved["state"]),
            (200, &json!(expect), &json!("active")),
            "{saved}"
        );
        // A start of that user reads it, and no other does.
        let found = started_for(&world, expect, "anything")["context"]["user_preferences"].to_string();
        assert!(found.contains(&format!("reports for {expect}")), "{expect}: {found}");
    };
    check(Some("alice"), json!({}), "alice");
    check(None, json!({"user_id": "bob"}), "bob");
    check(Some("alice"), json!({"user_id": "dora"}), "dora");
    check(None, json!({ "session_id": session }), "carol");
    let (status, refused) = call_for(&world, None, "save_preference", &sentence("short reports", json!({})));
    assert_eq!((status, &refused["error"]["field"]), (400, &json!("user_id")), "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("X-Loci-User"), "{refused}");
    let found = started_for(&world, "eve", "anything")["context"]["user_preferences"].clone();
    assert_eq!(found, json!([]));
    // A start without a user is rejected, because its result would be lost.
    let answer = world.send("POST", "/v1/investigations", &[], json!({"query": "q"}).to_string());
    assert_eq!(answer.status.as_u16(), 400, "{}", answer.text);
    let headers = [("x-loci-user", "frank")];
    let answer = world.send("POST", "/v1/investigations", &headers, json!({"query": "q"}).to_string());
    assert_eq!(answer.status.as_u16(), 201, "{}", answer.text);
}

#[test]
fn a_key_of_one_user_names_no_other() {
    let world = world();
    let preference = json!({"preference": "short reports", "categories": ["communication"]});
    let (status, saved) = call_for(&world, None, "save_preference", &preference);
    assert_eq!((status, &saved["user_id"]), (200, &json!("agent")), "{saved}");
    assert_eq!(call_for(&world, Some("alice"), "save_preference", &preference).0, 403);
    let mut named = preference;
    named["user_id"] = json!("alice");
    assert_eq!(call_for(&world, None, "save_preference", &named).0, 403);
}

#[test]
fn a_finding_goes_to_the_open_investigation_of_the_user_under_a_shared_key() {
    let world = shared();
    let of_alice = started_for(&world, "alice", "API pods are crashing")["incident_id"].clone();
    let of_bob = started_for(&world, "bob", "disk is full")["incident_id"].clone();
    let finding = json!({"finding": "Pod memory limit (512Mi) is too low", "category": "root_cause"});
    let (status, saved) = call_for(&world, Some("alice"), "save_investigation", &finding);
    assert_eq!((status, &saved["user_id"]), (200, &json!("alice")), "{saved}");
    let asked =
        json!({"memory_type": "investigation", "query": "crashing pods, full disk", "include_shown": true});
    let (_, found) = call_for(&world, Some("alice"), "retrieve_memory", &asked);
    let of = |incident: &Value| {
        let all = found["results"].as_array().unwrap();
        all.iter().find(|one| one["content"]["incident_id"] == *incident).unwrap()["content"].to_string()
    };
    assert!(of(&of_alice).contains("512Mi") && !of(&of_bob).contains("512Mi"), "{found}");
    assert_eq!(call_for(&world, None, "save_investigation", &finding).0, 400);
    let (status, none) = call_for(&world, Some("zoe"), "save_investigation", &finding);
    assert_eq!(status, 404, "{none}");
    assert!(none.to_string().contains("no investigation of zoe is open"), "{none}");
}

#[test]
fn what_is_saved_without_an_agent_comes_back_in_the_next_start() {
    let world = shared();
    let dependency = json!({"service_name": "web-app", "knowledge": "web-app depends on the orders database",
        "knowledge_type": "dependency"});
    let (status, saved) = call_for(&world, None, "save_infrastructure", &dependency);
    assert_eq!(
        (status, &saved["state"], &saved["warnings"]),
        (200, &json!("active"), &Value::Null),
        "{saved}"
    );
    let next = started_for(&world, "alice", "web-app answers slowly");
    assert!(next["rendered"].as_str().unwrap().contains("depends on the orders database"), "{next}");
    assert!(
        next["context"]["infrastructure_by_agent"]["supervisor"][0]["record_id"] == saved["record_id"],
        "{next}"
    );
    // The request names another agent than those that a start queries.
    let mut of_other = dependency;
    of_other["agent"] = json!("network-agent");
    let (_, saved) = call_for(&world, None, "save_infrastructure", &of_other);
    assert!(saved["warnings"][0].as_str().unwrap().contains("network-agent"), "{saved}");
}

#[test]
fn baselines_of_a_sentence_give_way_to_later_ones() {
    let world = shared();
    let save = |text: &str| {
        let arguments =
            json!({"service_name": "api-server", "knowledge": text, "knowledge_type": "baseline"});
        let (status, saved) = call_for(&world, None, "save_infrastructure", &arguments);
        assert_eq!((status, &saved["saved"]), (200, &json!(true)), "{saved}");
    };
    save("Normal memory usage is 400-500Mi, CPU usage is 200-300m");
    let rendered =
        || started_for(&world, "alice", "api-server is slow")["rendered"].as_str().unwrap().to_owned();
    let first = rendered();
    assert!(first.contains("cpu usage: 200-300m; memory usage: 400-500Mi"), "{first}");
    save("Memory consumption of the api-server is 700-900Mi");
    let second = rendered();
    assert!(second.contains("memory usage: 700-900Mi") && second.contains("cpu usage: 200-300m"), "{second}");
    assert!(!second.contains("400-500Mi"), "the older value is history: {second}");
}

#[test]
fn null_is_as_good_as_absent() {
    let world = shared();
    let (_, saved) = call_for(
        &world,
        Some("alice"),
        "save_preference",
        &json!({"preference": "short reports", "categories": ["style"], "content": null, "context": null}),
    );
    assert_eq!(saved["saved"], json!(true), "{saved}");
    let asked = json!({"memory_type": "preferences", "query": "reports", "actor_id": null, "max_results": 5,
        "session_id": null, "since": null, "service": null});
    let (status, found) = call_for(&world, Some("alice"), "retrieve_memory", &asked);
    assert_eq!((status, found["results"].as_array().unwrap().len()), (200, 1), "{found}");
    let called = world
        .modern("/mcp/p/sre", "tools/call", json!({"name": "retrieve_memory", "arguments": asked}))
        .json();
    assert!(called.to_string().contains("user_id"), "without a user it fails clearly: {called}");
    let missing = call_for(&world, None, "retrieve_memory", &json!({"memory_type": null, "query": "x"}));
    assert_eq!(missing.0, 400, "{}", missing.1);
}
