//! Several ways to one folder: commands without a server, through its socket, past it, and over its
//! URL.

use crate::program::Home;

const QUESTION: &str = "What is the boat called?";

fn remember(home: &Home, extra: &[&str], text: &str) {
    home.ok(&[&["event", "create", "--memory", "notes", "--actor", "ann", "--session", "s1", text], extra]
        .concat());
}

fn best(home: &Home, extra: &[&str]) -> String {
    let found = home.json(&[&["search", "--memory", "notes", QUESTION], extra].concat());
    assert_eq!(found["degraded"], serde_json::json!([]), "{found}");
    found["hits"][0]["record"]["text"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_command_without_a_server_extracts_what_it_wrote() {
    let home = Home::new();
    let id = home.ok(&["memory", "create", "notes"]);
    assert!(id.starts_with("notes-"), "{id}");
    remember(&home, &[], "My boat is called Gull and lies in Largs.");
    assert!(best(&home, &[]).contains("Gull"));
    let actors = home.json(&["event", "actors", "--memory", "notes"]);
    assert_eq!(actors["actors"], serde_json::json!(["ann"]));
    let jobs = home.json(&["job", "wait", "--memory", "notes"]);
    assert_eq!(jobs, serde_json::json!({"complete": true, "pending": 0, "failed": 0}));
}

#[test]
fn a_command_reaches_the_server_of_its_folder() {
    let home = Home::new();
    let server = home.serve(&[]);
    home.ok(&["memory", "create", "notes"]);
    remember(&home, &[], "My boat is called Gull and lies in Largs.");
    home.ok(&["job", "wait", "--memory", "notes"]);
    assert!(best(&home, &[]).contains("Gull"), "by the socket");
    assert!(best(&home, &["--no-attach"]).contains("Gull"), "past the server");
    assert!(best(&home, &["--url", &server.url]).contains("Gull"), "over the URL");
    remember(&home, &["--no-attach"], "We sold the old sails in April for forty pounds.");
    home.ok(&["job", "wait", "--memory", "notes"]);
    let found = home.json(&["search", "--memory", "notes", "What were the sails sold for?"]);
    assert!(found["hits"][0]["record"]["text"].as_str().unwrap().contains("forty pounds"), "{found}");
    let doctor = home.json(&["doctor", "--rebuild"]);
    assert_eq!(doctor["ok"], true, "{doctor}");
    let told = home.json(&["doctor", "--telemetry"]);
    let names: Vec<&str> = told["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["T1", "T2", "T3", "T4", "T5", "T6", "T7", "telemetry"], "{told}");
    assert_eq!(told["ok"], true, "{told}");
    assert!(home.path("data/loci.sock").exists());
    assert!(server.stop(), "{}", home.log());
    assert!(!home.path("data/loci.sock").exists());
}

#[test]
fn a_program_with_the_engine_in_it_shares_the_folder() {
    use loci_app::embedded_engine::{EmbeddedEngine, EmbeddedOptions};

    let home = Home::new();
    let folder = home.path("data");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let open = |attach: bool| {
        let options = EmbeddedOptions { attach, ..EmbeddedOptions::new(&folder) };
        runtime.block_on(EmbeddedEngine::open(options)).unwrap()
    };
    let names = |engine: &EmbeddedEngine| {
        let listing = loci_api::memory::MemoryListing::default();
        let list = runtime.block_on(engine.client().memory_list(&listing)).unwrap();
        list.memories.into_iter().map(|memory| memory.name).collect::<Vec<_>>()
    };
    let server = home.serve(&[]);
    home.ok(&["memory", "create", "notes"]);
    let attached = open(true);
    assert!(attached.is_attached());
    assert_eq!(names(&attached), ["notes"]);
    let beside = open(false);
    assert!(!beside.is_attached());
    assert_eq!(names(&beside), ["notes"], "past the server");
    assert!(server.stop(), "{}", home.log());
    let alone = open(true);
    assert!(!alone.is_attached(), "nobody answers any more");
    remember(&home, &[], "My boat is called Gull and lies in Largs.");
    assert!(best(&home, &[]).contains("Gull"), "a command beside two engines");
    for engine in [attached, beside, alone] {
        runtime.block_on(engine.close()).unwrap();
    }
}

#[test]
fn exit_codes_tell_programs_what_happened() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    let check = |code: i32, arguments: &[&str], part: &str| {
        let said = home.fails(code, arguments);
        assert!(said.contains(part), "{arguments:?}: {said}");
    };
    check(2, &["memory", "creat"], "unrecognized subcommand");
    check(2, &["memory", "create", "no spaces"], "name");
    check(2, &["memory", "delete", "notes"], "--yes");
    check(3, &["memory", "get", "nothing"], "no memory named nothing");
    check(3, &["memory", "get", "nothing-0123456789"], "Memory not found");
    check(4, &["memory", "create", "notes"], "notes");
    check(1, &["memory", "list", "--url", "http://127.0.0.1:1"], "loci serve");
    let said = home.fails(3, &["memory", "get", "nothing-0123456789", "--json"]);
    let problem: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(problem["error"]["code"], "NOT_FOUND");
}

#[test]
fn a_folder_too_deep_for_a_socket_is_served_on_tcp() {
    let home = Home::new();
    let deep = home.path(&"d".repeat(120));
    let server = home.serve(&["--data-dir", deep.to_str().unwrap()]);
    assert_eq!(home.json(&["memory", "list", "--url", &server.url])["memories"], serde_json::json!([]));
    assert!(server.stop(), "{}", home.log());
    assert!(home.log().contains("too long for loci.sock"), "{}", home.log());
}
