//! The user of a call to the operations tools: named by an argument, by the connection or by a
//! session, always checked, and never guessed.

use serde_json::{Value, json};

use crate::fixture::World;
use crate::operations::{call_for, shared, started_for};

/// Returns the keys of these tests: of one user, for one user, for all users, and of an
/// administrator.
fn token_of(world: &World, kind: &str) -> String {
    let whole = |capabilities: &[&str]| json!({ "capabilities": capabilities });
    let for_one = |user: &str| json!({ "actor": user, "capabilities": ["impersonate"] });
    world.token_of(match kind {
        "own" => json!([whole(&["read", "write"])]),
        "all" => json!([whole(&["read", "write", "impersonate"])]),
        "admin" => json!([whole(&["read", "write", "admin"])]),
        user => json!([whole(&["read", "write"]), for_one(user)]),
    })
}

#[test]
fn a_requester_is_never_guessed() {
    let mut world = shared();
    let session = started_for(&world, "alice", "pods crash")["session_id"].clone();
    let (of_alice, of_nobody) = (json!({ "session_id": session }), json!({ "session_id": "none-such" }));
    for (kind, more, expect) in [
        ("alice", json!({}), Err("capability impersonate")),
        ("alice", of_nobody.clone(), Err("none-such")),
        ("alice", of_alice.clone(), Ok("alice")),
        ("alice", json!({"user_id": "alice"}), Ok("alice")),
        ("all", of_nobody.clone(), Err("none-such")),
        ("admin", json!({}), Ok("agent")),
        ("admin", of_nobody.clone(), Ok("agent")),
        ("admin", of_alice, Ok("alice")),
        ("own", of_nobody, Ok("agent")),
    ] {
        world.token = Some(token_of(&world, kind));
        let mut call = json!({"preference": "short reports", "categories": ["communication"]});
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (status, answer) = call_for(&world, None, "save_preference", &call);
        match expect {
            Ok(user) => {
                assert_eq!((status, &answer["user_id"]), (200, &json!(user)), "{kind} {more}: {answer}")
            }
            Err(part) => {
                let (field, said) = (&answer["error"]["field"], answer["error"]["message"].to_string());
                assert_eq!((status, field), (400, &json!("user_id")), "{kind} {more}: {answer}");
                assert!(said.contains(part) && said.contains("X-Loci-User"), "{kind} {more}: {said}");
            }
        }
    }
    world.token = Some(token_of(&world, "alice"));
    let begun = world.send("POST", "/v1/investigations", &[], json!({"query": "q"}).to_string());
    assert_eq!((begun.status.as_u16(), &begun.json()["error"]["field"]), (400, &json!("user_id")));
}

#[test]
fn an_argument_names_no_other_user_than_the_connection() {
    let mut world = shared();
    let call = json!({"preference": "short reports", "categories": ["communication"]});
    for (kind, connection, named, is_taken) in [
        ("admin", Some("alice"), "bob", false),
        ("admin", Some("alice"), "alice", true),
        ("admin", None, "bob", true),
        ("own", Some("agent"), "bob", false),
        ("alice", Some("alice"), "bob", false),
        ("bob", Some("alice"), "bob", true),
        ("all", Some("alice"), "bob", true),
    ] {
        world.token = Some(token_of(&world, kind));
        let mut call = call.clone();
        call["user_id"] = json!(named);
        let case = format!("{kind} {connection:?} {named}");
        let (status, answer) = call_for(&world, connection, "save_preference", &call);
        let headers: Vec<_> = connection.map(|user| ("x-loci-user", user)).into_iter().collect();
        let start = json!({"query": "q", "user_id": named}).to_string();
        let begun = world.send("POST", "/v1/investigations", &headers, start);
        if is_taken {
            assert_eq!((status, &answer["user_id"]), (200, &json!(named)), "{case}: {answer}");
            assert!(begun.status.is_success(), "{case}: {}", begun.text);
            continue;
        }
        for (status, answer) in [(status, answer), (begun.status.as_u16(), begun.json())] {
            assert_eq!((status, &answer["error"]["field"]), (403, &json!("user_id")), "{case}: {answer}");
            let said = answer["error"]["message"].to_string();
            let has =
                ["bob", connection.unwrap(), "X-Loci-User", "impersonate"].map(|part| said.contains(part));
            assert_eq!(has, [true; 4], "{case}: {said}");
        }
    }
}

#[test]
fn a_user_that_is_given_is_checked_by_every_tool() {
    let mut world = shared();
    let knowledge = json!({"service_name": "api", "knowledge": "slow at noon", "knowledge_type": "pattern"});
    let with = |base: &Value, more: Value| {
        let mut base = base.clone();
        base.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        base
    };
    let find = |kind: &str, more: Value| with(&json!({"memory_type": kind, "query": "api"}), more);
    let calls = [
        ("save_infrastructure", knowledge.clone()),
        ("save_infrastructure", with(&knowledge, json!({"session_id": "s-1"}))),
        ("save_preference", json!({"preference": "short reports", "categories": ["communication"]})),
        ("save_investigation", json!({"finding": "f", "category": "observation", "session_id": "s-1"})),
        ("retrieve_memory", find("preferences", json!({"actor_id": "agent"}))),
        ("retrieve_memory", find("infrastructure", json!({"session_id": "s-1"}))),
        ("retrieve_memory", find("infrastructure", json!({"include_shown": true}))),
        ("retrieve_memory", find("investigations", json!({"include_shown": true}))),
    ];
    for (kind, connection, named) in [
        ("own", None, Some("alice")),
        ("own", Some("alice"), None),
        ("bob", None, Some("alice")),
        ("admin", Some("carol"), Some("alice")),
    ] {
        world.token = Some(token_of(&world, kind));
        for (name, arguments) in &calls {
            let given = with(arguments, json!({ "user_id": named }));
            let (status, refused) = call_for(&world, connection, name, &given);
            let found = (status, &refused["error"]["code"], &refused["error"]["field"]);
            let expect = (403, &json!("FORBIDDEN"), &json!("user_id"));
            assert_eq!(found, expect, "{kind} {connection:?} {name} {given}: {refused}");
        }
    }
    world.token = Some(token_of(&world, "alice"));
    let nothing = find("infrastructure", json!({"user_id": "alice"}));
    let (status, found) = call_for(&world, None, "retrieve_memory", &nothing);
    assert_eq!((status, &found["results"]), (200, &json!([])), "nothing was saved: {found}");
    for (name, arguments) in calls.iter().filter(|(name, _)| *name == "save_infrastructure") {
        let (status, saved) = call_for(&world, Some("alice"), name, arguments);
        assert_eq!((status, &saved["saved"]), (200, &json!(true)), "{saved}");
    }
}
