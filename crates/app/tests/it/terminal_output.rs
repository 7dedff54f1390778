//! Text of a memory moves no cursor: commands make control characters visible, and files stay what they
//! are in a pipe.

use serde_json::{Value, json};

use crate::native::send;
use crate::program::Home;

const TEXT: &str = "The gate \u{1b}[2J\u{9b}31m is \u{202e}open\u{7}.";

#[test]
fn commands_write_no_escape_sequence() {
    let home = Home::new();
    let server = home.serve(&[]);
    send(&server, "POST", "/v1/memories", "", r#"{"name":"notes"}"#);
    let new = json!({ "records": [{ "namespace": "/a/", "text": TEXT, "title": TEXT }] }).to_string();
    let (_, made) = send(&server, "POST", "/v1/memories/notes/records", "", &new);
    let record = made["items"][0]["id"].as_str().unwrap();
    let message = json!({ "actor": "ann", "session": "s", "payload": [{ "message": { "role": "user", "text": TEXT } }] });
    let (status, _) = send(&server, "POST", "/v1/memories/notes/events", "", &message.to_string());
    assert_eq!(status, 201);
    let place = ["--memory", "notes", "--actor", "ann", "--session", "s"];
    let of_notes =
        |command: &[&str], rest: &[&str]| [command, &["--memory", "notes"], rest].concat().join("\n");
    for command in [
        of_notes(&["search"], &["gate"]),
        of_notes(&["record", "list"], &[]),
        of_notes(&["record", "history"], &[record]),
        [&["event", "list"], &place[..]].concat().join("\n"),
    ] {
        let arguments: Vec<&str> = command.split('\n').collect();
        let shown = home.ok(&arguments);
        let acts = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || c == '\u{202e}';
        assert!(!shown.contains(acts), "{arguments:?}: {shown:?}");
        assert!(shown.contains("\\u{1b}[2J"), "{arguments:?}: {shown:?}");
        let whole: Value = home.json(&arguments);
        let written = home.ok(&[&arguments[..], &["--json"]].concat());
        assert!(!written.contains(acts) && whole.to_string().contains("2J"), "{written:?}");
    }
}

#[test]
fn a_file_in_a_pipe_is_byte_for_byte() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    let body = "# Gate\n\nA \u{202e}word\u{2069} and a tab\t.\n";
    std::fs::write(home.path("gate.md"), body).unwrap();
    let path = "knowledge/facts/gate.md";
    let file = home.path("gate.md");
    home.ok(&["files", "put", "--memory", "notes", "--new", path, file.to_str().unwrap()]);
    assert_eq!(home.ok(&["files", "cat", "--memory", "notes", path]), body);
}
