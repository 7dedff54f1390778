//! File backends on the command line: the suite against a directory, a served one and a memory, and
//! copies between them.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::program::Home;

/// `loci backend serve` on a free port, stopped on drop.
struct Served {
    child: Child,
    url: String,
}

impl Served {
    fn start(home: &Home, arguments: &[&str]) -> Self {
        let all = [&["backend", "serve", "--port", "0"], arguments].concat();
        let mut child = home.command(&all).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().rsplit(' ').next().unwrap().to_owned();
        assert!(url.starts_with("http://127.0.0.1:"), "{line}");
        Self { child, url }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn outcomes(report: &Value, outcome: &str) -> Vec<String> {
    let checks = report["checks"].as_array().unwrap().iter();
    let named = checks.filter(|check| check["outcome"] == outcome);
    named.map(|check| check["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_suite_is_a_command() {
    let home = Home::new();
    std::fs::write(home.path("token"), "secret\n").unwrap();
    std::fs::set_permissions(home.path("token"), std::fs::Permissions::from_mode(0o600)).unwrap();
    let token = home.path("token");
    let token = token.to_str().unwrap();
    let report = home.json(&["backend", "check", "--directory", "files"]);
    assert_eq!(outcomes(&report, "failed"), [""; 0]);
    assert_eq!(report["capabilities"]["cas"], true);
    assert!(outcomes(&report, "skipped").contains(&"history".to_owned()), "{report}");
    let served = Served::start(&home, &["--directory", "files", "--token-file", token]);
    let text =
        home.ok(&["backend", "check", "--url", &served.url, "--token-file", token, "--prefix", "deep"]);
    assert!(text.contains("passed   concurrent-absent") && text.contains(" passed, 0 failed, "), "{text}");
    let error = home.fails(1, &["backend", "check", "--url", &served.url]);
    assert!(error.contains("must carry the server's token"), "{error}");
    let below = format!("{}/files", served.url);
    let error = home.fails(1, &["backend", "check", "--url", &below, "--token-file", token]);
    assert!(error.contains("give the base URL of a server of the HTTP form"), "{error}");
    home.ok(&["memory", "create", "notes"]);
    let report = home.json(&["backend", "check", "--memory", "notes", "--namespace", "/team"]);
    assert_eq!(outcomes(&report, "failed"), [""; 0], "{report}");
    assert_eq!(outcomes(&report, "skipped"), ["cas-unsupported", "versioning-unsupported", "search"]);
}

#[test]
fn one_place_must_be_named() {
    let home = Home::new();
    let check = |code: i32, arguments: &[&str], part: &str| {
        let error = home.fails(code, &[&["backend"], arguments].concat());
        assert!(error.contains(part), "{arguments:?}: {error}");
    };
    check(2, &["check"], "name one place: --directory DIR, --url URL, or --memory MEMORY");
    check(2, &["check", "--directory", "a", "--memory", "m"], "cannot be used with");
    check(2, &["check", "--namespace", "/a"], "--memory");
    check(2, &["copy", "--from-directory", "a"], "name one place: --to-directory");
    check(
        2,
        &["copy", "--from-directory", "a", "--from-memory", "m", "--to-directory", "b"],
        "--from-directory",
    );
    for arguments in [&["check", "--url", "http://127.0.0.1:1"][..], &["serve", "--directory", "a"]] {
        check(2, &[arguments, &["--token", "secret"]].concat(), "as a file with --token-file");
    }
    let copy = ["copy", "--from-directory", "a", "--to-directory", "b", "--token", "secret"];
    check(2, &copy, "--from-token-file or --to-token-file");
    let mut variable = home.command(&["backend", "check", "--directory", "a"]);
    assert!(variable.env("LOCI_TOKEN", "of other commands").output().unwrap().status.success());
    check(3, &["check", "--memory", "absent"], "no memory named absent");
    check(1, &["check", "--url", "http://127.0.0.1:1"], "asking http://127.0.0.1:1 for its capabilities");
}

#[test]
fn files_are_copied_between_places() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    std::fs::create_dir_all(home.path("files/deep")).unwrap();
    std::fs::write(home.path("files/a.md"), "first\r\nsecond").unwrap();
    std::fs::write(home.path("files/deep/b.md"), "").unwrap();
    std::fs::write(home.path("files/image.bin"), b"\xff\xfe").unwrap();
    let to_memory =
        ["backend", "copy", "--from-directory", "files", "--to-memory", "notes", "--to-prefix", "imported"];
    let error = home.fails(1, &to_memory);
    assert!(error.contains("1 file refused"), "{error}");
    let again = home.run(&[&to_memory[..], &["--json"]].concat());
    let report: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!((&report["written"], &report["unchanged"]), (&json!(0), &json!(2)), "{report}");
    assert_eq!(report["refused"][0]["code"], "invalid_content");
    assert_eq!(report["refused"][0]["path"], "image.bin");
    let served = Served::start(&home, &["--directory", "backup"]);
    let copy =
        ["backend", "copy", "--from-memory", "notes", "--from-prefix", "imported", "--to-url", &served.url];
    assert_eq!(home.ok(&copy), "2 written, 0 unchanged, 0 refused\n");
    assert_eq!(std::fs::read(home.path("backup/a.md")).unwrap(), b"first\r\nsecond");
    assert_eq!(std::fs::read(home.path("backup/deep/b.md")).unwrap(), b"");
}

#[test]
fn what_is_not_copied_is_reported() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("files/deep")).unwrap();
    for name in ["a.md", "bad:name", "deep/b.md"] {
        std::fs::write(home.path("files").join(name), "text").unwrap();
    }
    std::os::unix::fs::symlink("a.md", home.path("files/link.md")).unwrap();
    let copy = |prefix: &[&str], to: &str| {
        let all =
            [&["backend", "copy", "--from-directory", "files"], prefix, &["--to-directory", to]].concat();
        let done = home.run(&all);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (done.status.code(), text(done.stdout), text(done.stderr))
    };
    let (code, report, error) = copy(&[], "backup");
    assert_eq!(code, Some(1), "{report}");
    assert!(report.starts_with("2 written, 0 unchanged, 2 refused\n"), "{report}");
    assert!(report.contains("refused  bad:name  invalid_path: "), "{report}");
    assert!(report.contains("refused  link.md  path_conflict: "), "{report}");
    assert!(error.contains("2 files refused"), "{error}");
    let (code, report, error) = copy(&["--from-prefix", "deep/b.md"], "other");
    assert_eq!((code, report.as_str()), (Some(1), ""));
    assert!(error.contains("the prefix deep/b.md must not be a file"), "{error}");
    assert_eq!(copy(&["--from-prefix", "deep"], "other").1, "1 written, 0 unchanged, 0 refused\n");
    // The skipped files of a served directory are reported too.
    let served = Served::start(&home, &["--directory", "files"]);
    let error = home.fails(1, &["backend", "copy", "--from-url", &served.url, "--to-directory", "third"]);
    assert!(error.contains("2 files refused"), "{error}");
}
