//! Commands that are given a device or a pipe instead of a file: none reads forever.

use crate::program::Home;

#[test]
fn what_never_ends_is_refused() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    let pipe = home.path("pipe").display().to_string();
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let check = |code: i32, arguments: &[&str], rule: &str| {
        let said = home.fails(code, arguments);
        assert!(said.contains(rule), "{arguments:?}: {said}");
    };
    for file in ["/dev/zero", &pipe] {
        check(2, &["import", "--format", "jsonl", file], "is not a regular file");
        check(2, &["sre", "import", "--memory", "notes", file], "is not a regular file");
        check(1, &["memory", "list", "--config", file], "is not a regular file");
        for arguments in TEXTS {
            check(1, &[arguments, &[file]].concat(), "it is not a regular file");
        }
    }
}

/// Commands that take a text, up to its file.
const TEXTS: [&[&str]; 6] = [
    &["files", "put", "--memory", "notes", "a.md"],
    &["profile", "apply", "--memory", "notes"],
    &["prefs", "apply", "--memory", "notes"],
    &["eval", "add", "t-001", "--findings"],
    &["prompt", "add", "--template", "coding"],
    &["task", "complete", "t-001", "--report"],
];
