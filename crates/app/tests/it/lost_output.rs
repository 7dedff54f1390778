//! A result that cannot be written is a failure of the command. Errors of the command itself have
//! codes for programs.

use std::fs::File;

use serde_json::Value;

use crate::program::Home;

#[test]
fn a_full_disk_fails_the_command() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    for arguments in [
        &["memory", "list"][..],
        &["memory", "list", "--json"],
        &["completions", "bash"],
        &["export", "--memory", "notes"],
        &["--help"],
        &["--version"],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = home.command(arguments).stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains("No space left on device"), "{arguments:?}: {said}");
    }
}

#[test]
fn errors_of_the_command_have_codes() {
    let home = Home::new();
    for (code, arguments, expect) in [
        (2, &["search", "boat", "--nonsense"][..], "INVALID"),
        (2, &["memory", "nonsense"], "INVALID"),
        (3, &["search", "boat", "--memory", "nowhere"], "NOT_FOUND"),
        (1, &["memory", "list", "--url", "http://127.0.0.1:1"], "UNAVAILABLE"),
    ] {
        let said = home.fails(code, &[arguments, &["--json"]].concat());
        let error: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
        assert_eq!(error["error"]["code"], expect, "{arguments:?}: {said}");
        assert!(!error["error"]["message"].as_str().unwrap().contains('\n'), "{said}");
    }
}
