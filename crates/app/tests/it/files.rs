//! A memory as files over HTTP and on the command line: preconditions in HTTP headers, appends by
//! several concurrent processes, and the life of a document from writing to restoring.

use serde_json::{Value, json};

use crate::listener::raw;
use crate::native::send;
use crate::program::{Home, Server};

fn memory(server: &Server) -> String {
    let (_, memory) = send(server, "POST", "/v1/memories", "", r#"{"name":"notes"}"#);
    format!("/v1/memories/{}", memory["id"].as_str().unwrap())
}

/// Returns status, entity tag and body.
fn exchange(server: &Server, method: &str, path: &str, headers: &str, body: &str) -> (u16, String, String) {
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = raw(server, &request);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap_or_default();
    (status, tag.to_owned(), body.to_owned())
}

#[test]
fn a_file_is_served_as_it_was_put() {
    let home = Home::new();
    let server = home.serve(&[]);
    let base = memory(&server);
    let path = format!("{base}/files/knowledge/facts/th%C3%A8me.md?namespace=/team");
    let file = "---\ndescription: \"Dark everywhere\"\n---\n\n# Thème\n\nDark.\n";
    let (status, _, answer) = exchange(&server, "PUT", &path, "", file);
    assert_eq!(status, 428, "{answer}");
    let (status, tag, _) = exchange(&server, "PUT", &path, "If-None-Match: *\r\n", file);
    assert_eq!((status, tag.starts_with("\"sha256:")), (201, true));
    let (status, _, answer) = exchange(&server, "PUT", &path, "If-None-Match: *\r\n", file);
    assert_eq!(status, 412, "{answer}");
    let (status, served, body) = exchange(&server, "GET", &format!("{path}&raw=1"), "", "");
    assert_eq!((status, served.as_str(), body.as_str()), (200, tag.as_str(), file));
    let unchanged = format!("If-None-Match: {tag}\r\n");
    assert_eq!(exchange(&server, "GET", &path, &unchanged, "").0, 304);
    let as_json = format!("Content-Type: application/json\r\nIf-Match: {tag}\r\n");
    let (status, next, _) = exchange(&server, "PUT", &path, &as_json, r#"{"body":"Light.","title":"Theme"}"#);
    assert_eq!((status, next != tag), (200, true));
    let (status, _, answer) = exchange(&server, "PUT", &path, &as_json, r#"{"body":"Grey."}"#);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!((status, &answer["error"]["code"]), (412, &json!("STALE_VERSION")));
    assert_eq!(answer["error"]["details"]["violations"][0], format!("etag {next}"));
    let (_, document) = send(&server, "GET", &path, "", "");
    assert_eq!((&document["body"], &document["title"]), (&json!("Light."), &json!("Theme")));
    let near = format!("{base}/files/knowledge/facts/theme.md?namespace=/team");
    let (status, missing) = send(&server, "GET", &near, "", "");
    assert_eq!(
        (status, &missing["error"]["details"]["violations"][0]),
        (404, &json!("knowledge/facts/thème.md"))
    );
    let (_, page) = send(&server, "GET", &format!("{base}/tree?namespace=/team&depth=1"), "", "");
    assert_eq!(page["entries"][0]["path"], "knowledge");
    let (_, listing) = send(&server, "GET", &format!("{base}/tree/listing?namespace=/team"), "", "");
    assert_eq!(listing["files_total"], 1, "{listing}");
    assert_eq!(exchange(&server, "DELETE", &path, "", "").0, 428);
    let (status, gone) = send(&server, "DELETE", &path, &format!("If-Match: {next}\r\n"), "");
    assert_eq!((status, &gone["operation"]), (200, &json!("archived")));
}

#[test]
fn protected_parts_and_bad_paths_are_refused() {
    let home = Home::new();
    let server = home.serve(&[]);
    let base = memory(&server);
    let check = |path: &str, status: u16, code: &str| {
        let (got, answer) = send(&server, "PUT", &format!("{base}/files/{path}?force=1"), "", "x");
        assert_eq!((got, &answer["error"]["code"]), (status, &json!(code)), "{path}: {answer}");
    };
    check("sessions/current.md", 403, "DENIED");
    check("consolidation/changelog.md", 403, "DENIED");
    check("notes.md", 400, "INVALID");
    check("knowledge/a%5Cb.md", 400, "INVALID");
    check("knowledge/%252e%252e/b.md", 400, "INVALID");
    let (status, _) = send(&server, "PUT", &format!("{base}/files/knowledge/system/a.md?force=1"), "", "x");
    assert_eq!(status, 201);
    let large = "x".repeat(102_401);
    let (status, _) = send(&server, "PUT", &format!("{base}/files/knowledge/a.md?force=1"), "", &large);
    assert_eq!(status, 413);
}

#[test]
fn parked_bytes_come_back_as_they_were() {
    let home = Home::new();
    let server = home.serve(&[]);
    let base = memory(&server);
    let path = format!("{base}/objects/session/one.bin");
    let (status, tag, answer) =
        exchange(&server, "PUT", &path, "Content-Type: text/x-state\r\n", "\u{1} state");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!((status, &answer["key"], &answer["bytes"]), (200, &json!("session/one.bin"), &json!(7)));
    let (status, served, body) = exchange(&server, "GET", &path, "", "");
    assert_eq!((status, served, body.as_str()), (200, tag.clone(), "\u{1} state"));
    assert_eq!(exchange(&server, "GET", &path, &format!("If-None-Match: {tag}\r\n"), "").0, 304);
    let (_, listed) = send(&server, "GET", &format!("{base}/objects?prefix=session"), "", "");
    assert_eq!(listed["objects"][0]["content_type"], "text/x-state", "{listed}");
    assert_eq!(send(&server, "GET", &format!("{base}/objects/a/%2e%2e/b"), "", "").0, 400);
    assert_eq!(send(&server, "DELETE", &path, "", "").1, json!({ "deleted": true }));
    assert_eq!(send(&server, "DELETE", &path, "", "").1, json!({ "deleted": false }));
    assert_eq!(send(&server, "GET", &path, "", "").0, 404);
}

#[test]
fn b2_appends_of_several_processes_are_all_there() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    let (writers, each) = (4, 3);
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let home = &home;
            scope.spawn(move || {
                for number in 0..each {
                    let line = format!("- {writer} {number}");
                    home.ok(&["files", "append", "--memory", "notes", "--title", "Topic", &line]);
                    home.ok(&["files", "append", "--memory", "notes", "--title", "Topic", &line]);
                }
            });
        }
    });
    let text = home.ok(&["files", "cat", "--memory", "notes", "knowledge/facts/topic.md"]);
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    let mut expect: Vec<String> =
        (0..writers).flat_map(|writer| (0..each).map(move |number| format!("- {writer} {number}"))).collect();
    expect.sort_unstable();
    assert_eq!(lines, expect);
}

#[test]
fn two_servers_on_one_folder_lose_no_line() {
    let home = Home::new();
    let servers = [home.serve(&[]), home.serve(&[])];
    let base = memory(&servers[0]);
    let (writers, each) = (8, 10);
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let (server, base) = (&servers[writer % 2], &base);
            scope.spawn(move || {
                for number in 0..each {
                    let body = json!({ "title": "Topic", "lines": [format!("- {writer} {number}")] });
                    let (status, answer) =
                        send(server, "POST", &format!("{base}/tree/append"), "", &body.to_string());
                    assert_eq!((status, &answer["added"]), (200, &json!(1)), "{answer}");
                }
            });
        }
    });
    let path = format!("{base}/files/knowledge/facts/topic.md");
    for server in &servers {
        let (_, document) = send(server, "GET", &path, "", "");
        let lines: std::collections::BTreeSet<&str> = document["body"].as_str().unwrap().lines().collect();
        assert_eq!(lines.len(), writers * each);
        assert_eq!(document["version"], writers * each);
    }
}

#[test]
fn from_being_written_to_being_restored() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    let files = |verb: &str, words: &[&str]| {
        let mut all = vec!["files", verb, "--memory", "notes"];
        all.extend_from_slice(words);
        home.ok(&all)
    };
    let path = "knowledge/facts/theme.md";
    std::fs::write(home.path("theme.md"), "# Theme\n\nDark.\n").unwrap();
    let file = home.path("theme.md");
    let file = file.to_str().unwrap();
    assert!(files("put", &["--new", path, file]).starts_with("created"));
    assert!(files("put", &[path, file]).starts_with("unchanged"));
    assert_eq!(files("cat", &[path]), "# Theme\n\nDark.\n");
    assert!(files("cat", &["--raw", path]).starts_with("---\ndescription: \"Dark.\"\n---\n"));
    files("snapshot", &["before"]);
    files("edit", &["--old", "Dark", "--new", "Light", "--reason", "eyes", path]);
    assert!(files("grep", &["light", "--ignore-case"]).contains(&format!("{path}:3: Light.")));
    files("mv", &[path, "knowledge/preferences/theme.md"]);
    assert!(files("diff", &["before"]).contains("\n-Dark.\n+Light.\n"));
    assert!(files("log", &[path]).contains("eyes"));
    assert!(files("log", &[]).contains("(was knowledge/facts/theme.md)"));
    assert!(files("listing", &[]).contains("<file path=\"knowledge/preferences/theme.md\">"));
    let restore = ["files", "restore", "--memory", "notes", "before"];
    let shown = home.run(&restore);
    let said = String::from_utf8(shown.stderr).unwrap();
    assert!(shown.status.success() && said.contains("--apply does it"), "{said}");
    home.ok(&[&restore[..], &["--apply"]].concat());
    assert_eq!(files("cat", &[path]), "# Theme\n\nDark.\n");
    assert!(files("rm", &[path]).starts_with("archived"));
    home.fails(3, &["files", "cat", "--memory", "notes", path]);
    assert_eq!(home.json(&["files", "ls", "--memory", "notes"])["entries"], json!([]));
}

#[test]
fn the_memory_tool_over_http_and_on_the_command_line() {
    let home = Home::new();
    let config = "[memory_tool]\nerror_prefix = true\n[memory_tool.mounts.default]\nmemory = \"notes\"\nnamespace = \"/team\"\n\
                  [memory_tool.mounts.shown]\nmemory = \"notes\"\nnamespace = \"/team\"\nmode = \"read_only\"\n";
    std::fs::write(home.path("loci.toml"), config).unwrap();
    let file = home.path("loci.toml");
    let server = home.serve(&["--config", file.to_str().unwrap()]);
    let base = memory(&server);
    let check = |query: &str, command: &str, expect: (u16, &str, bool)| {
        let (status, answer) = send(&server, "POST", &format!("/v1/memory-tool{query}"), "", command);
        let content = answer["content"].as_str().unwrap_or_default();
        assert_eq!((status, content, answer["is_error"] == true), expect, "{command}: {answer}");
    };
    let create = r#"{"command":"create","path":"/memories/facts/a.md","file_text":"a\n"}"#;
    check("", create, (200, "File created successfully at: /memories/facts/a.md", false));
    check("?mount=default", create, (200, "Error: File /memories/facts/a.md already exists", true));
    let delete = r#"{"command":"delete","path":"/memories/facts"}"#;
    check("?mount=shown", delete, (200, "Error: The path /memories/facts is read-only.", true));
    check("", r#"{"path":1}"#, (200, "Error: Missing parameter: `command`", true));
    check("", "{", (400, "", false));
    check("?mount=none", delete, (404, "", false));
    check("?namespace=/team", delete, (400, "", false));
    let id = base.rsplit('/').next().unwrap();
    let by_name = format!("?memory={id}&namespace=/team");
    let view = r#"{"command":"view","path":"/memories/facts/a.md"}"#;
    let shown = "Here's the content of /memories/facts/a.md with line numbers:\n     1\ta";
    check(&by_name, view, (200, shown, false));
    let tool = ["files", "tool", "--memory", "notes", "--namespace", "/team"];
    assert_eq!(home.ok(&[&tool[..], &[view]].concat()), format!("{shown}\n"));
    assert!(home.fails(1, &[&tool[..], &[create]].concat()).contains("already exists"));
    home.fails(2, &[&tool[..], &["{"]].concat());
    let (_, document) =
        send(&server, "GET", &format!("{base}/files/knowledge/facts/a.md?namespace=/team"), "", "");
    assert_eq!((&document["body"], &document["version"]), (&json!("a\n"), &json!(1)));
    lines_of_windows(&home, &server, &base);
}

/// `system/` in full and a listing of the rest: over HTTP, on the command line, and in a
/// session-start hook.
#[test]
fn a_session_begins_with_documents() {
    let home = Home::new();
    let config = "[memory_tool.mounts.default]\nmemory = \"notes\"\n";
    std::fs::write(home.path("loci.toml"), config).unwrap();
    let file = home.path("loci.toml");
    let server = home.serve(&["--config", file.to_str().unwrap()]);
    let base = memory(&server);
    for (path, text) in [("system/rules.md", "Answer in English."), ("facts/theme.md", "Dark everywhere.")] {
        let (status, _) = send(&server, "PUT", &format!("{base}/files/knowledge/{path}?force=1"), "", text);
        assert_eq!(status, 201, "{path}");
    }
    let (status, context) = send(&server, "GET", "/v1/memory-tool", "", "");
    assert_eq!((status, &context["paths"]), (200, &json!(["knowledge/system/rules.md"])), "{context}");
    let text = context["text"].as_str().unwrap();
    let id = base.rsplit('/').next().unwrap();
    let (_, of_tree) = send(&server, "GET", &format!("/v1/memory-tool?memory={id}"), "", "");
    assert_eq!(of_tree["text"], context["text"]);
    let (status, _) = send(&server, "GET", &format!("/v1/memory-tool?mount=default&memory={id}"), "", "");
    assert_eq!(status, 400);
    assert_eq!(home.ok(&["files", "context", "--memory", "notes"]), text);
    assert_eq!(home.ok(&["files", "context"]), text);
    // Without a repository, the hook still shows the documents.
    let recent = ["fact", "recent", "--cwd", ".", "--format", "prompt", "--fail-open"];
    assert_eq!(home.ok(&recent), text);
    let named = [&recent[..], &["--files", "notes", "--files-budget-tokens", "30"]].concat();
    assert!(home.ok(&named).starts_with("<memory-document path=\"knowledge/system/rules.md\">"));
    let cursor = home.json(&[&recent[..], &["--hook", "cursor"]].concat());
    assert_eq!(cursor, json!({ "additional_context": text }));
    // Search leaves out documents that are in the prompt.
    let found = |include: bool| {
        let asked =
            json!({ "memory": "notes", "query": "Answer in English everywhere", "include_system": include });
        let (_, answer) = send(&server, "POST", "/v1/search", "", &asked.to_string());
        answer["hits"].as_array().unwrap().len()
    };
    assert_eq!((found(false), found(true)), (1, 2));
}

/// Replacing lines works with Windows line ends and keeps them, over HTTP and on the command line.
fn lines_of_windows(home: &Home, server: &Server, base: &str) {
    let over_http = |command: &Value| {
        let (status, answer) = send(server, "POST", "/v1/memory-tool", "", &command.to_string());
        assert_eq!((status, &answer["is_error"]), (200, &json!(false)), "{command}: {answer}");
    };
    let on_the_command_line = |command: &Value| {
        let tool = ["files", "tool", "--memory", "notes", "--namespace", "/team"];
        home.ok(&[&tool[..], &[command.to_string().as_str()]].concat());
    };
    let body = || {
        let path = format!("{base}/files/knowledge/win.md?namespace=/team");
        send(server, "GET", &path, "", "").1["body"].clone()
    };
    let path = "/memories/win.md";
    let replace = |old: &str, new: &str| {
        let command = "str_replace";
        json!({ "command": command, "path": path, "old_str": old, "new_str": new })
    };
    over_http(&json!({ "command": "create", "path": path, "file_text": "alpha\r\nbeta\r\ngamma\r\n" }));
    over_http(&replace("alpha\nbeta", "a\nb"));
    assert_eq!(body(), "a\r\nb\r\ngamma\r\n");
    on_the_command_line(&replace("b\ngamma", "b\nc"));
    assert_eq!(body(), "a\r\nb\r\nc\r\n");
}
