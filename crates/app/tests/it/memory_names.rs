//! A memory's name is accepted wherever its id is, and inaccessible memories stay hidden.

use serde_json::{Value, json};

use crate::native::send;
use crate::program::Home;

/// Each reading operation of the native API gives the same answer for the name and the id of a
/// memory.
#[test]
fn a_name_does_what_an_id_does() {
    let home = Home::new();
    let server = home.serve(&[]);
    let (_, made) = send(&server, "POST", "/v1/memories", "", r#"{"name":"notes"}"#);
    let id = made["id"].as_str().unwrap();
    let new = r#"{"records":[{"namespace":"/a/","text":"The gate code is 4711."}]}"#;
    assert_eq!(send(&server, "POST", "/v1/memories/notes/records", "", new).0, 201);
    let (_, document) = send(&server, "GET", "/openapi.json", "", "");
    let (mut checked, mut answered) = (0, 0);
    for (path, operations) in document["paths"].as_object().unwrap() {
        let is_of_memory = path.contains("{memory}") && path.matches('{').count() == 1;
        // An export contains its time.
        if !is_of_memory || operations.get("get").is_none() || path.ends_with("/export") {
            continue;
        }
        let ask = |named: &str| send(&server, "GET", &path.replace("{memory}", named), "", "");
        let (by_id, by_name) = (ask(id), ask("notes"));
        assert_eq!(by_name, by_id, "{path}");
        let unknown = ask("nothing");
        assert!(unknown.0 == 404 || by_id.0 == 400, "{path}: {unknown:?}");
        (checked, answered) = (checked + 1, answered + usize::from(by_id.0 == 200));
    }
    assert!(checked > 15 && answered > 8, "{checked} operations, {answered} with an answer");

    let search = |named: &str| {
        let body = json!({ "memory": named, "query": "gate code" }).to_string();
        send(&server, "POST", "/v1/search", "", &body)
    };
    assert_eq!(search("notes").1["hits"][0]["record"]["memory"], json!(id));
    assert_eq!((search("nothing").0, search("not a name").0), (404, 400));
    assert_eq!(home.ok(&["search", "--memory", "notes", "gate code"]).matches("4711").count(), 1);
    let object = "/s3/notes/memory/agent/boats.md";
    assert_eq!(send(&server, "PUT", object, "", "# Boats\n").0, 200);
    assert_eq!(send(&server, "GET", &object.replace("notes", "nothing"), "", "").0, 404);
    let tool = "/v1/memory-tool?memory=notes";
    let view = r#"{"command":"view","path":"/memories"}"#;
    assert_eq!(send(&server, "POST", tool, "", view).1["is_error"], Value::Bool(false));
}

/// A command without `--memory` uses `LOCI_MEMORY`, or the only memory.
#[test]
fn a_command_without_a_memory_uses_the_only_one() {
    let home = Home::new();
    let ran = |arguments: &[&str], variable: &str| {
        let output = home.command(arguments).env("LOCI_MEMORY", variable).output().unwrap();
        output.status.code()
    };
    home.ok(&["memory", "create", "notes"]);
    let commands = [&["export"][..], &["job", "next"], &["search", "boat"], &["record", "list"]];
    let expect = [Some(0), Some(3), Some(0), Some(0)];
    assert_eq!(commands.map(|arguments| ran(arguments, "")), expect);
    home.ok(&["memory", "create", "other"]);
    assert_eq!(ran(&["export"], ""), Some(2), "several memories, and none named");
    assert_eq!(commands.map(|arguments| ran(arguments, "notes")), expect);
    assert_eq!(ran(&["export", "--all"], "notes"), Some(0));
    assert_eq!(ran(&["ops", "list"], "notes"), Some(0));
}

/// A command outside of a clone creates no memory for code.
#[test]
fn a_call_that_fails_creates_no_memory() {
    let home = Home::new();
    home.ok(&["mcp"]);
    assert_ne!(home.run(&["fact", "recent"]).status.code(), Some(0));
    let fact =
        ["fact", "store", "--repo", "acme/none", "--subject", "Boats", "--cite", "a.rs:1", "It floats."];
    for arguments in [
        &fact[..],
        &["fact", "recent", "--repo", "acme/none"],
        &["fact", "search", "boat", "--repo", "acme/none"],
        &["fact", "stats", "--repo", "acme/none"],
    ] {
        assert!(home.fails(3, arguments).contains("acme/none"), "{arguments:?}");
    }
    assert_eq!(home.json(&["memory", "list"])["memories"], json!([]));
    let server = home.serve(&[]);
    for body in [
        "{}",
        r#"{"name":""}"#,
        r#"{"name":"acme/shop","aliases":[""]}"#,
        r#"{"name":"acme/shop","forge_id":"4711"}"#,
        r#"{"name":"acme/shop","at_forge":true}"#,
    ] {
        let (status, answer) = send(&server, "POST", "/v1/repos", "", body);
        assert_eq!(status, 400, "{body}: {answer}");
    }
    assert_eq!(send(&server, "GET", "/v1/memories", "", "").1["memories"], json!([]));
}

/// A grant by name is equal to one by id. Names of inaccessible memories behave like unknown ones.
#[test]
fn a_name_shows_nothing_that_an_id_hides() {
    let home = Home::new();
    let server = home.serve(&[]);
    let made = ["mine", "theirs"].map(|name| {
        let (_, made) = send(&server, "POST", "/v1/memories", "", &json!({ "name": name }).to_string());
        made["id"].as_str().unwrap().to_owned()
    });
    let grant = r#"{"memory":"mine","capabilities":["read"]}"#;
    let key = home.json(&["key", "create", "reader", "--grant", grant]);
    assert_eq!(key["grants"][0]["memory"], json!(made[0]), "{key}");
    let bearer = format!("Authorization: Bearer {}\r\n", key["token"].as_str().unwrap());
    let get = |named: &str| send(&server, "GET", &format!("/v1/memories/{named}"), &bearer, "");
    assert_eq!((get("mine").0, get(&made[0]).0), (200, 200));
    let (status, theirs) = get("theirs");
    let (_, nothing) = get("nothing");
    let same = theirs.to_string().replace("theirs", "nothing");
    assert_eq!((status, same), (404, nothing.to_string()), "{theirs}");
    assert!(
        home.fails(3, &["key", "create", "k", "--grant", r#"{"memory":"nothing","capabilities":["read"]}"#])
            .contains("there is no memory named nothing")
    );
}
