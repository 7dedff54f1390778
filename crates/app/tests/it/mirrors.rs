//! Mirrors on the command line and over HTTP: a directory without a server, a repository that git
//! clones from one, and edits that return.

use std::path::Path;
use std::process::Command;

use crate::native::send;
use crate::program::Home;

fn git(at: &Path, arguments: &[&str]) -> (bool, String) {
    let output = Command::new("git")
        .current_dir(at)
        .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.org"])
        .args(arguments)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).trim_end().to_owned())
}

#[test]
fn a_directory_is_kept_without_a_server() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    home.ok(&["mirror", "add", "--memory", "notes", "desk", "desk"]);
    home.ok(&["files", "put", "--memory", "notes", "knowledge/facts/a.md", "/dev/null"]);
    let refused = home.fails(2, &["mirror", "add", "--memory", "notes", "out", "/etc/loci"]);
    assert!(refused.contains("mirror.roots"), "{refused}");
    home.ok(&["files", "append", "--memory", "notes", "knowledge/facts/a.md", "- one"]);
    let late = ["files", "append", "--memory", "notes", "knowledge/facts/a.md", "- two", "--reason", "why"];
    assert!(home.fails(2, &late).contains("--reason stands among the lines"));
    let report = home.json(&["mirror", "sync", "--memory", "notes", "desk"]);
    assert_eq!((&report["written"], &report["finding"]), (&1.into(), &"whole".into()), "{report}");
    let status = home.json(&["mirror", "status", "--memory", "notes", "desk"]);
    assert_eq!(status["last"]["written"], 1, "{status}");
    home.ok(&["mirror", "rm", "--memory", "notes", "desk"]);
}

#[test]
fn a_clone_over_http_and_back_again() {
    let home = Home::new();
    let server = home.serve(&[]);
    let (_, memory) = send(&server, "POST", "/v1/memories", "", r#"{"name":"notes"}"#);
    let id = memory["id"].as_str().unwrap().to_owned();
    let make = r#"{"name":"team","kind":"git","path":"team.git","debounce_ms":0}"#;
    let (status, made) = send(&server, "POST", &format!("/v1/memories/{id}/mirrors"), "", make);
    assert_eq!(status, 201, "{made}");
    home.ok(&["files", "append", "--memory", "notes", "knowledge/facts/a.md", "- one"]);
    home.ok(&["mirror", "sync", "--memory", "notes", "team"]);
    let url = format!("{}/git/{id}/team.git", server.url);
    let folder = tempfile::tempdir().unwrap();
    for (name, more) in [("v2", &["protocol.version=2"]), ("v0", &["protocol.version=0"])] {
        let (done, said) = git(folder.path(), &["-c", more[0], "clone", "-q", &url, name]);
        assert!(done, "{said}\n{}", home.log());
    }
    let (done, said) = git(folder.path(), &["clone", "-q", "--depth", "1", &url, "shallow"]);
    assert!(done, "{said}");
    let clone = folder.path().join("v2");
    let file = clone.join("knowledge/facts/a.md");
    assert!(std::fs::read_to_string(&file).unwrap().ends_with("- one\n"));
    let (done, said) = git(folder.path(), &["clone", "-q", &url.replace("team", "none"), "none"]);
    assert!(!done && said.contains("not found"), "{said}");
    // Nobody pushes. Loci pulls the commits of a clone.
    std::fs::write(&file, "---\ndescription: \"- one\"\n---\n\n- one\n- two\n").unwrap();
    git(&clone, &["commit", "-qam", "two"]);
    let (done, said) = git(&clone, &["push", "-q"]);
    assert!(!done && said.contains("403"), "{said}");
    let from = clone.to_str().unwrap();
    let report = home.json(&["mirror", "pull", "--memory", "notes", "team", "--from", from]);
    assert_eq!((&report["taken"], &report["commits"]), (&1.into(), &1.into()), "{report}");
    let text = home.ok(&["files", "cat", "--memory", "notes", "knowledge/facts/a.md"]);
    assert!(text.ends_with("- two\n"), "{text}");
    let (done, said) = git(&folder.path().join("v0"), &["pull", "-q"]);
    assert!(done, "{said}");
    assert!(server.stop());
}

/// A commit of a clone is pulled, and the clone is rebased onto the resulting commit, without a
/// conflict and without remaining commits of its own.
#[test]
fn a_clone_is_rebased_onto_what_was_pulled_from_it() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    let add = ["mirror", "add", "--memory", "notes", "team", "team.git", "--kind", "git"];
    home.ok(&[&add[..], &["--debounce", "0ms"]].concat());
    home.ok(&["files", "append", "--memory", "notes", "knowledge/facts/made.md", "hello"]);
    home.ok(&["mirror", "sync", "--memory", "notes", "team"]);
    let done = |at: &Path, arguments: &[&str]| {
        let (is_done, said) = git(at, arguments);
        assert!(is_done, "{arguments:?}: {said}");
        said
    };
    let (mirror, clone) = (home.path("data/mirrors/team.git"), home.path("clone"));
    done(&home.path(""), &["clone", "-q", mirror.to_str().unwrap(), "clone"]);
    // Two files created by people, and one by Loci, whose description follows its text.
    let made = |text: &str| format!("---\ndescription: \"hello\"\n---\n\n{text}\n");
    assert_eq!(std::fs::read_to_string(clone.join("knowledge/facts/made.md")).unwrap(), made("hello"));
    let files = [
        ("knowledge/facts/new.md", "# Note\n\nBees are kept on the roof.\n".to_owned()),
        ("knowledge/data.json", "{\"a\":1}\n".to_owned()),
        ("knowledge/facts/made.md", made("hello there")),
    ];
    for (path, text) in &files {
        std::fs::write(clone.join(path), text).unwrap();
    }
    done(&clone, &["add", "--all"]);
    done(&clone, &["commit", "-q", "-m", "by hand"]);
    let from = clone.to_str().unwrap();
    let report = home.json(&["mirror", "pull", "--memory", "notes", "team", "--from", from]);
    assert_eq!((&report["created"], &report["taken"]), (&2.into(), &1.into()), "{report}");
    assert!(report["conflicts"].as_array().unwrap().is_empty(), "{report}");
    done(&clone, &["pull", "-q", "--rebase"]);
    assert_eq!(done(&clone, &["status", "--porcelain", "--branch"]), "## main...origin/main");
    assert_eq!(done(&clone, &["rev-parse", "HEAD"]), report["commit"].as_str().unwrap());
    for (path, text) in &files {
        let shown = std::fs::read_to_string(clone.join(path)).unwrap();
        let expect = text.replace("description: \"hello\"", "description: \"hello there\"");
        assert_eq!(shown, expect, "{path}");
    }
}

#[test]
fn a_key_is_needed_where_keys_are() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    let key = home.json(&["key", "create", "me"]);
    let server = home.serve(&[]);
    let token = key["token"].as_str().or(key["secret"].as_str()).unwrap_or_default().to_owned();
    let folder = tempfile::tempdir().unwrap();
    let url = format!("{}/git/notes-0123456789/team.git", server.url);
    let (done, said) = git(folder.path(), &["clone", "-q", &url, "none"]);
    assert!(!done && !said.contains("not found"), "{said}");
    let with_key = url.replace("http://", &format!("http://any:{token}@"));
    let (done, said) = git(folder.path(), &["clone", "-q", &with_key, "none"]);
    assert!(!done && said.contains("not found"), "{said} {key}");
}
