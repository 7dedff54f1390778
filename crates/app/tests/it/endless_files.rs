//! Commands that are given a device or a pipe in the place of a file: none reads for ever.

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
        check(2, &["import", "--format", "jsonl", file], "is no regular file");
        check(2, &["sre", "import", "--memory", "notes", file], "is no regular file");
        check(1, &["memory", "list", "--config", file], "is no regular file");
    }
    let large = "more than 67108864 bytes";
    check(1, &["files", "put", "--memory", "notes", "a.md", "/dev/zero"], large);
    check(1, &["profile", "apply", "--memory", "notes", "/dev/zero"], large);
    check(1, &["prefs", "apply", "--memory", "notes", "/dev/zero"], large);
    check(1, &["eval", "add", "t-001", "--findings", "/dev/zero"], large);
}
