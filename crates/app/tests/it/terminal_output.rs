//! Texts of a memory do not control the terminal: commands make control characters visible, and
//! files stay unchanged in a pipe.

use serde_json::{Value, json};

use crate::fact_repository::Shop;
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
        check(&arguments, |all| home.ok(all));
    }
    let shop = Shop::new(&home, "shop");
    shop.json(&["task", "create", "--id", "t-001", TEXT]);
    shop.json(&["session", "append", "t-001", "--seq", "1", "--type", "decision", TEXT]);
    let of_task = [&["session", "show", "t-001"][..], &["attribution", "--task", "t-001"], &["task", "list"]];
    for arguments in of_task {
        check(arguments, |all| {
            let (code, out, said) = shop.run(all);
            assert_eq!(code, 0, "{all:?}: {said}");
            out
        });
    }
}

/// True for a character that a terminal would obey.
fn acts(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t') || c == '\u{202e}'
}

/// Checks the output of a command for people and for programs.
fn check(arguments: &[&str], run: impl Fn(&[&str]) -> String) {
    let shown = run(arguments);
    assert!(!shown.contains(acts), "{arguments:?}: {shown:?}");
    assert!(shown.contains("\\u{1b}[2J"), "{arguments:?}: {shown:?}");
    let written = run(&[arguments, &["--json"]].concat());
    let whole: Value = serde_json::from_str(&written).unwrap();
    assert!(!written.contains(acts) && whole.to_string().contains("2J"), "{arguments:?}: {written:?}");
}

/// A document is unchanged in a pipe and made visible on a terminal, which util-linux's `script`
/// provides here.
#[cfg(target_os = "linux")]
#[test]
fn a_document_on_a_terminal_writes_no_escape_sequence() {
    use std::process::Command;

    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    std::fs::write(home.path("gate.md"), format!("{TEXT}\n")).unwrap();
    let (path, file) = ("knowledge/gate.md", home.path("gate.md"));
    home.ok(&["files", "put", "--memory", "notes", "--new", path, file.to_str().unwrap()]);
    for more in ["", "--raw"] {
        let command = home.command(&["files", "cat", "--memory", "notes", path]);
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let words: Vec<&str> = words.map(|word| word.to_str().unwrap()).collect();
        let line = format!("{} {more}", words.join(" "));
        let mut terminal = Command::new("script");
        terminal.args(["-q", "-e", "-c", &line, "/dev/null"]).stdin(std::process::Stdio::null());
        terminal.env_clear().env("PATH", crate::fact_repository::PATH).current_dir(home.path(""));
        terminal.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = terminal.output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n");
        assert!(output.status.success(), "{line}: {shown}");
        assert!(!shown.contains(acts) && shown.contains("\\u{1b}[2J"), "{line}: {shown:?}");
    }
    let written = home.ok(&["files", "cat", "--memory", "notes", "--json", path]);
    let whole: Value = serde_json::from_str(&written).unwrap();
    assert!(!written.contains(acts), "{written:?}");
    assert_eq!(whole["body"], format!("{TEXT}\n"));
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
