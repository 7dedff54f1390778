//! Keys of transcript turns do not depend on their position: a file that grew at its beginning, a
//! resumed session and a file imported by an earlier version add nothing, and no copy restores
//! forgotten data.

use std::fs;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::native::send;
use crate::program::{Home, Server};

/// A line that is not a turn.
const SUMMARY: &str = "{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"u\"}\n";
/// The time of each turn, and in milliseconds.
const TIME: &str = "2020-01-01T00:00:00Z";
const TIME_MS: i64 = 1_577_836_800_000;

fn home() -> Home {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    home
}

/// Returns a line of a session of Claude Code.
fn line(session: &str, uuid: &str, text: &str) -> String {
    let line = json!({"type": "user", "sessionId": session, "uuid": uuid, "timestamp": TIME, "cwd": "/a",
        "message": {"role": "user", "content": text}});
    format!("{line}\n")
}

/// Returns a conversation of ChatGPT: two turns, whose ids are unique within it.
fn conversation(id: &str) -> Value {
    let turn = |role: &str, parent: Option<&str>, text: &str| {
        json!({"parent": parent, "message": {"author": {"role": role}, "create_time": 1_577_836_800,
            "content": {"content_type": "text", "parts": [text]}}})
    };
    json!({"id": id, "title": "T", "current_node": "b", "mapping": {
        "a": turn("user", None, "yes"), "b": turn("assistant", Some("a"), "Noted.")}})
}

/// Returns an event of AgentCore.
fn event(id: &str) -> String {
    let event = json!({"actorId": "kim", "sessionId": "w", "eventId": id, "eventTimestamp": TIME,
        "payload": [{"conversational": {"content": {"text": "yes"}, "role": "USER"}}]});
    format!("{event}\n")
}

fn arguments<'a>(file: &'a str, actor: &'a str) -> [&'a str; 8] {
    ["import", "--format", "transcript", "--memory", "notes", "--actor", actor, file]
}

fn write(home: &Home, name: &str, text: &str) -> String {
    let path = home.path(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn import(home: &Home, name: &str, text: &str, actor: &str) -> Value {
    let file = write(home, name, text);
    let report = home.json(&arguments(&file, actor));
    assert_eq!(report["errors"], 0, "{name}: {report}");
    report
}

/// Returns the number of all events of the memory.
fn events(home: &Home) -> usize {
    let file = home.path("all.jsonl");
    home.ok(&["export", "--memory", "notes", file.to_str().unwrap()]);
    let lines = fs::read_to_string(&file).unwrap();
    lines.lines().filter(|line| line.contains(r#""type":"event""#)).count()
}

#[test]
fn a_turn_is_stored_once_wherever_it_stands() {
    let home = home();
    let stored = |name: &str, text: &str, expect: usize| {
        import(&home, name, text, "kim");
        assert_eq!(events(&home), expect, "{name}: {text}");
    };
    let said = [line("s1", "u1", "yes"), line("s1", "u2", "yes")].concat();
    stored("claude.jsonl", &said, 2);
    stored("claude.jsonl", &said, 2);
    stored("claude.jsonl", &format!("{SUMMARY}{said}"), 2);
    // A resumed session repeats the previous lines.
    let resumed = [line("s2", "u1", "yes"), line("s2", "u2", "yes"), line("s2", "u3", "yes")].concat();
    stored("resumed.jsonl", &resumed, 3);
    stored("resumed.jsonl", &format!("{SUMMARY}{resumed}"), 3);
    // Another text is another turn, even with the same id.
    stored("changed.jsonl", &line("s2", "u3", "no"), 4);
    import(&home, "claude.jsonl", &said, "pat");
    assert_eq!(events(&home), 6, "another actor's turns");

    let talk = |first: &str| format!("# session t 2020-01-02T10:00:00Z\n{first}User: yes\nUser: yes\n");
    stored("talk.txt", &talk(""), 8);
    stored("talk.txt", &talk("User: hello\n"), 9);
    stored("copy.txt", &talk(""), 9);

    let chat = json!([conversation("c1")]);
    stored("chat.json", &chat.to_string(), 11);
    stored("chat.json", &serde_json::to_string_pretty(&chat).unwrap(), 11);
    let newer = json!([conversation("c2"), conversation("c1")]);
    stored("chat.json", &newer.to_string(), 13);

    stored("wire.jsonl", &[event("1#a"), event("1#b")].concat(), 15);
    stored("wire.jsonl", &["\n".to_owned(), event("1#b"), event("1#a")].concat(), 15);
}

#[test]
fn a_file_that_begins_anew_loses_no_turn() {
    let home = home();
    for (text, expect) in [
        ("User: hello\nUser: yes\n", 2),
        ("User: hello\nUser: yes\nUser: yes\n", 3),
        // The next day, in a file with the same name.
        ("User: yes\nUser: hello\n", 5),
        // Of a line in front and the previous first one, both are new.
        ("User: so\nUser: yes\nUser: hello\n", 7),
    ] {
        let before = events(&home);
        let report = import(&home, "chat.txt", text, "kim");
        assert_eq!(events(&home), expect, "{text}");
        assert_eq!(report["events"], expect - before, "{report}");
        let again = import(&home, "chat.txt", text, "kim");
        assert_eq!((&again["events"], &again["already_stored"]), (&json!(0), &report["turns"]), "{again}");
        assert_eq!(events(&home), expect, "{text}");
    }
    let file = write(&home, "chat.txt", "User: so\nUser: more\n");
    let told = home.ok(&arguments(&file, "kim"));
    assert!(told.contains("2 turns, 1 event, 1 already stored in 1 session, 0 errors"), "{told}");
}

#[test]
fn no_copy_brings_back_what_was_forgotten() {
    let home = home();
    let said = [line("s1", "u1", "yes"), line("s1", "u2", "no")].concat();
    let talk = "User: yes\nUser: no\n";
    import(&home, "s1.jsonl", &said, "kim");
    import(&home, "talk.txt", talk, "kim");
    import(&home, "chat.json", &json!([conversation("c1")]).to_string(), "kim");
    assert_eq!(events(&home), 6);
    home.ok(&["forget", "--memory", "notes", "--actor", "kim", "--confirm", "kim"]);

    let resumed = said.replace("\"s1\"", "\"s2\"");
    let pretty = serde_json::to_string_pretty(&json!([conversation("c0"), conversation("c1")])).unwrap();
    // The number of erased events, and the number of events of a forgotten actor that were never
    // imported.
    for (name, text, erased, forgotten) in [
        ("s1.jsonl", said.clone(), 2, 0),
        ("s1.jsonl", format!("{SUMMARY}{said}"), 2, 0),
        ("s2.jsonl", resumed, 2, 0),
        ("s1.jsonl", said.replace("yes", "Yes"), 1, 1),
        ("talk.txt", talk.to_owned(), 2, 0),
        ("talk.txt", format!("User: hello\n{talk}"), 1, 2),
        ("copy.txt", talk.to_owned(), 0, 2),
        ("chat.json", pretty, 2, 2),
    ] {
        let report = import(&home, name, &text, "kim");
        assert_eq!((&report["erased"], &report["forgotten"]), (&json!(erased), &json!(forgotten)), "{text}");
        assert_eq!((&report["events"], report["erased_on"].is_string()), (&json!(0), true), "{report}");
        assert_eq!(events(&home), 0, "{name}: {text}");
    }
    let copy = write(&home, "copy.txt", talk);
    let told = home.ok(&arguments(&copy, "kim"));
    let expect = "2 turns, 0 events: 2 are of an actor who was forgotten on 20";
    assert!(told.contains(expect) && told.contains("(--force stores them)"), "{told}");
    import(&home, "s1.jsonl", &said, "pat");
    assert_eq!(events(&home), 2, "another actor was not forgotten");

    let forced = home.json(&[&arguments(&copy, "kim")[..], &["--force"]].concat());
    assert_eq!((&forced["events"], events(&home)), (&json!(2), 4), "{forced}");
    let report = import(&home, "copy.txt", talk, "kim");
    let counts = ["events", "already_stored", "forgotten"].map(|name| report[name].as_u64());
    assert_eq!(counts, [Some(0), Some(2), Some(0)], "for good: {report}");
    assert_eq!(events(&home), 4);
}

/// Stores a turn of Claude Code with a key by line, as earlier versions did, and returns the
/// event's id.
fn stored_by_line(server: &Server, number: usize, text: &str) -> String {
    let payload = json!([{"message": {"role": "user", "text": text}}]);
    let metadata = json!({"cwd": "/a"});
    let said = json!(["kim", "s1", TIME_MS, payload, metadata]);
    let key = hex::encode(Sha256::digest(format!("{said}{number} 0")));
    let body =
        json!({"actor": "kim", "session": "s1", "time": TIME, "payload": payload, "metadata": metadata});
    let headers = format!("Idempotency-Key: import-{key}\r\n");
    let (status, made) = send(server, "POST", "/v1/memories/notes/events", &headers, &body.to_string());
    assert_eq!(status, 201, "{made}");
    made["event"]["id"].as_str().unwrap().to_owned()
}

#[test]
fn turns_of_an_earlier_version_are_neither_doubled_nor_brought_back() {
    let home = home();
    let server = home.serve(&[]);
    let twice = [line("s1", "u1", "yes"), line("s1", "u2", "yes")].concat();
    let said = format!("{twice}{}", line("s1", "u3", "no"));
    stored_by_line(&server, 1, "yes");
    stored_by_line(&server, 2, "yes");
    let third = stored_by_line(&server, 3, "no");
    home.ok(&["event", "delete", "--memory", "notes", "--actor", "kim", "--session", "s1", &third]);
    let report = import(&home, "s1.jsonl", &said, "kim");
    let counts = ["events", "already_stored", "erased"].map(|name| report[name].as_u64());
    assert_eq!(counts, [Some(0), Some(2), Some(1)], "{report}");
    assert_eq!(events(&home), 2);
    // After that, their keys are independent of the position.
    let report = import(&home, "s1.jsonl", &format!("{SUMMARY}{twice}"), "kim");
    assert_eq!((&report["already_stored"], events(&home)), (&json!(2), 2), "{report}");
}

#[test]
fn turns_of_an_earlier_version_that_were_forgotten_stay_away() {
    let home = home();
    let server = home.serve(&[]);
    stored_by_line(&server, 1, "yes");
    home.ok(&["forget", "--memory", "notes", "--actor", "kim", "--confirm", "kim"]);
    let said = [line("s1", "u1", "yes"), line("s1", "u2", "yes")].concat();
    let report = import(&home, "s1.jsonl", &said, "kim");
    assert_eq!((&report["erased"], &report["forgotten"]), (&json!(1), &json!(1)), "{report}");
    assert_eq!(events(&home), 0);
}
