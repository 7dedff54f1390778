//! `loci consolidate`: a plain directory without a server, by its exit codes, and a tree of a
//! memory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::native::send;
use crate::program::Home;

/// Returns all files of a directory with their content.
fn files(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(place) = waiting.pop() {
        for entry in fs::read_dir(&place).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

fn native(root: &Path, documents: &[(&str, &str)]) {
    for (name, body) in documents {
        let place = root.join("knowledge/facts").join(format!("{name}.md"));
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, body).unwrap();
    }
}

#[test]
fn a_directory_is_put_in_order_without_a_server() {
    let home = Home::new();
    let root = home.path("memory");
    let odd = "---\ndescription: 'single quotes'\n---\nOdd.  \n";
    native(&root, &[("a", "Build with make.\n"), ("b", "Build with make.\n"), ("odd", odd)]);
    fs::create_dir_all(root.join(".git")).unwrap();
    fs::write(root.join(".git/config"), "x").unwrap();
    let at = root.to_str().unwrap();
    let before = files(&root);
    let told = home.fails(2, &["consolidate", "--path", at]);
    assert!(told.contains("--apply"), "{told}");
    let output = home.run(&["consolidate", "--path", at, "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let planned: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&planned["status"], &planned["plan"][0]["action"]["type"]),
        (&json!("planned"), &json!("merge"))
    );
    let markdown = home.run(&["consolidate", "--path", at, "--format", "markdown"]);
    let markdown = String::from_utf8(markdown.stdout).unwrap();
    assert!(markdown.starts_with("## Consolidation\n") && markdown.contains("```diff\n"), "{markdown}");
    assert_eq!(files(&root), before, "nothing is written without --apply");
    home.ok(&["consolidate", "--path", at, "--apply"]);
    let after = files(&root);
    assert!(!after.contains_key("knowledge/facts/b.md"));
    assert_eq!(after["knowledge/facts/odd.md"], odd);
    assert!(after["knowledge/facts/a.md"].ends_with("Build with make.\n"));
    assert!(after["consolidation/changelog.md"].contains("merge facts/a.md, facts/b.md -> facts/a.md"));
    // There is nothing left to do.
    home.ok(&["consolidate", "--path", at]);
    home.ok(&["consolidate", "--path", at, "--apply"]);
    assert_eq!(files(&root), after);
    assert!(!home.path("data").exists(), "no store is made");
}

/// Unreadable files stay in place, reported files remain, and a changelog may have any length.
#[test]
fn nothing_of_a_directory_is_lost() {
    let home = Home::new();
    let root = home.path("memory");
    let at = root.to_str().unwrap();
    native(&root, &[("a", "Build with make.\n"), ("b", "Build with make.\n")]);
    let system = root.join("knowledge/system");
    fs::create_dir_all(&system).unwrap();
    for name in ["s", "t"] {
        let body = format!("---\nid: {name}\ndescription: '{name}'\n---\n{name} {}\n", "word ".repeat(700));
        fs::write(system.join(format!("{name}.md")), body).unwrap();
    }
    let moved = fs::read(system.join("t.md")).unwrap();
    let odd = root.join("knowledge/facts/t.md");
    fs::write(&odd, b"latin: \xe4\n").unwrap();
    fs::create_dir_all(root.join("consolidation")).unwrap();
    let log = root.join("consolidation/changelog.md");
    fs::write(&log, "line\n".repeat(30_000)).unwrap();
    let told = home.ok(&["consolidate", "--path", at, "--apply"]);
    assert!(told.contains("move knowledge/system/t.md -> knowledge/facts/t-2.md"), "{told}");
    assert_eq!(fs::read(&odd).unwrap(), b"latin: \xe4\n");
    assert_eq!(fs::read(root.join("knowledge/facts/t-2.md")).unwrap(), moved);
    assert!(!system.join("t.md").exists());
    let log = fs::read_to_string(&log).unwrap();
    assert!(log.starts_with("line\n") && log.contains("move system/t.md -> facts/t-2.md"));
}

#[test]
fn what_is_no_directory_or_no_question() {
    let home = Home::new();
    let root = home.path("memory");
    native(&root, &[("a", "x")]);
    let at = root.to_str().unwrap();
    home.fails(1, &["consolidate", "--path", home.path("nothing").to_str().unwrap()]);
    home.fails(1, &["consolidate", "--path", at, "--ops", "everything"]);
    home.fails(1, &["consolidate", "--path", at, "--planner", "llm"]);
    home.fails(1, &["consolidate", "--path", at, "--layout", "nothing"]);
    home.ok(&["consolidate", "--path", at, "--ops", "resolve_contradictions,prune"]);
}

#[test]
fn a_tree_of_a_memory_is_put_in_order() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    for name in ["a", "b"] {
        let file = home.path(name);
        fs::write(&file, "The build needs make.\n").unwrap();
        let path = format!("knowledge/facts/{name}.md");
        home.ok(&["files", "put", "--memory", "notes", &path, file.to_str().unwrap()]);
    }
    fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
        [&["consolidate", "--memory", "notes"], more].concat()
    }
    let output = home.run(&with(&["--json"]));
    assert_eq!(output.status.code(), Some(2));
    let planned: Value = serde_json::from_slice(&output.stdout).unwrap();
    let id = planned["id"].as_str().unwrap();
    home.fails(2, &with(&["--run", id]));
    home.ok(&with(&["--run", id, "--apply"]));
    assert!(!home.ok(&["files", "ls", "--memory", "notes"]).contains("b.md"));
    home.fails(3, &with(&["--run", id, "--apply"]));
    assert!(home.ok(&["files", "cat", "--memory", "notes", "consolidation/changelog.md"]).contains(id));
    home.ok(&with(&["--run", id, "--revert"]));
    assert!(home.ok(&["files", "ls", "--memory", "notes"]).contains("b.md"));
    home.ok(&with(&["--apply", "--scope", "all"]));
    home.ok(&with(&[]));
    home.fails(1, &with(&["--run", "cr_nothing"]));
}

#[test]
fn runs_over_http() {
    let home = Home::new();
    let server = home.serve(&[]);
    let (_, memory) = send(&server, "POST", "/v1/memories", "", r#"{"name":"notes"}"#);
    let base = format!("/v1/memories/{}", memory["id"].as_str().unwrap());
    for name in ["a", "b"] {
        let path = format!("{base}/files/knowledge/facts/{name}.md?force=1");
        send(&server, "PUT", &path, "", r#"{"body":"The build needs make."}"#);
    }
    let runs = format!("{base}/consolidations");
    let check = |body: &str, status: u16, field: Option<&str>| {
        let (found, answer) = send(&server, "POST", &runs, "", body);
        assert_eq!((found, answer["error"]["field"].as_str()), (status, field), "{body}: {answer}");
        answer
    };
    check(r#"{"operations":["forget"]}"#, 400, Some("operations"));
    check(r#"{"limits":{"max_actions":0}}"#, 400, Some("limits.max_actions"));
    check(r#"{"scope":{"kind":"some"}}"#, 400, Some("scope.kind"));
    check(r#"{"planner":"magic"}"#, 400, Some("planner"));
    for limits in [r#"{"max_files":-1}"#, r#"{"max_files":1.5}"#, r#"{"max_files":"NaN"}"#] {
        let (status, _) = send(&server, "POST", &runs, "", &format!(r#"{{"limits":{limits}}}"#));
        assert_eq!(status, 400, "{limits}");
    }
    let run = check(r#"{"operations":["resolveContradictions","deduplicate"]}"#, 202, None);
    assert_eq!(
        (&run["status"], run["differences"].as_array().unwrap().len()),
        (&json!("planned"), 2),
        "{run}"
    );
    let of = format!("{runs}/{}", run["id"].as_str().unwrap());
    let (status, done) = send(&server, "POST", &format!("{of}/apply"), "", "{}");
    assert_eq!((status, &done["status"]), (200, &json!("applied")), "{done}");
    let (status, undone) = send(&server, "POST", &format!("{of}/revert"), "", "{}");
    assert_eq!((status, &undone["reverts"]), (200, &run["id"]), "{undone}");
    let (status, listed) = send(&server, "GET", &runs, "", "");
    assert_eq!((status, listed["runs"].as_array().unwrap().len()), (200, 2), "{listed}");
    let (status, _) = send(&server, "GET", &format!("{runs}/cr_nothing"), "", "");
    assert_eq!(status, 404);
}
