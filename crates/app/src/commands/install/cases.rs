//! Tests each client in each case, as texts in and texts out. The files `golden/*.txt` contain the
//! results. Each case is also run with Windows line ends and a byte order mark, a second time on
//! its own result, and with `--remove`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use expect_test::expect_file;

use super::client::{Client, FilePurpose, InstallFile, InstallFolders, InstallScope, ServerListFormat};
use super::json_edit;
use super::line_diff::unified;
use super::plan::{self, FileEdit};
use super::request::{ClientConnection, InstallRequest};

type Files = BTreeMap<PathBuf, String>;

fn places() -> InstallFolders {
    InstallFolders {
        project: "project".into(),
        home: "home".into(),
        claude: None,
        codex: "home/.codex".into(),
        copilot: "home/.copilot".into(),
    }
}

fn request(client: Client, scope: InstallScope, http: bool) -> InstallRequest {
    let form = if http {
        ClientConnection::Http { base: "https://memory.example".to_owned() }
    } else {
        ClientConnection::Stdio { options: vec![] }
    };
    InstallRequest {
        client,
        scope,
        form,
        program: "loci".to_owned(),
        hook: true,
        instructions: scope == InstallScope::Project,
        files: None,
        remove: false,
    }
}

fn edits(request: &InstallRequest, files: &Files) -> Result<Vec<FileEdit>, String> {
    let targets = request.client.targets(request.scope, &places()).map_err(|why| why.to_string())?;
    let asked = targets.iter().filter(|target| plan::is_asked(target, request));
    asked.map(|target| plan::edit(target, files.get(&target.path).cloned(), request)).collect()
}

fn applied(edits: &[FileEdit], files: &Files) -> Files {
    let mut files = files.clone();
    for edit in edits {
        match &edit.after {
            Some(after) => drop(files.insert(edit.target.path.clone(), after.clone())),
            None => drop(files.remove(&edit.target.path)),
        }
    }
    files
}

/// Plans one case, checks the invariants of all cases, and formats the result.
fn case(name: &str, request: &InstallRequest, before: &[(&str, &str)]) -> String {
    let files: Files = before.iter().map(|(path, text)| (path.into(), (*text).to_owned())).collect();
    let planned = match edits(request, &files) {
        Ok(planned) => planned,
        Err(why) => return format!("=== {name}\nrefused: {why}\n\n"),
    };
    let after = applied(&planned, &files);
    holds_for_windows(request, &files, &after);
    let again = edits(request, &after).unwrap();
    assert!(again.iter().all(|edit| !edit.is_change()), "{name}: a second run changes something: {again:#?}");
    taken_out(name, request, &files, &after);
    parsed(request, &after);
    let mut shown = format!("=== {name}\n");
    for edit in &planned {
        let path = edit.target.path.display().to_string();
        let diff = unified(edit.before.as_deref(), edit.after.as_deref(), &path);
        let is_as_fresh = edit.before.is_none()
            && !["fresh", "in a project", "of the user"].iter().any(|n| name.starts_with(n));
        shown.push_str(&match (diff.is_empty(), is_as_fresh) {
            (true, _) => format!("{path}: as it is\n"),
            (false, true) => format!("{path}: made, as where all is fresh\n"),
            (false, false) => diff,
        });
    }
    shown.push('\n');
    shown
}

/// Files with other line ends and a byte order mark give the same result with those.
fn holds_for_windows(request: &InstallRequest, files: &Files, after: &Files) {
    let windows = |text: &String| format!("\u{feff}{}", text.replace('\n', "\r\n"));
    // A file with at most one line does not define line ends.
    let tells = |path: &PathBuf| files.get(path).is_some_and(|text| text.contains('\n'));
    let given: Files = files
        .iter()
        .filter(|(path, _)| tells(path))
        .map(|(path, text)| (path.clone(), windows(text)))
        .collect();
    let got = applied(&edits(request, &given).unwrap(), &given);
    for path in given.keys() {
        assert_eq!(got.get(path), after.get(path).map(windows).as_ref(), "{}", path.display());
    }
}

/// Removal leaves nothing of Loci, and loses nothing of others.
fn taken_out(name: &str, request: &InstallRequest, files: &Files, after: &Files) {
    let remove = InstallRequest { remove: true, ..request.clone() };
    let left = applied(&edits(&remove, after).unwrap(), after);
    for (path, text) in &left {
        assert!(!text.contains("loci"), "{name}: {} still says loci:\n{text}", path.display());
    }
    for (path, text) in
        files.iter().filter(|(path, text)| !text.contains("loci") && !left.contains_key(*path))
    {
        assert!(["", "{}"].contains(&text.trim()), "{name}: {} is gone", path.display());
    }
}

/// Checks that the client can read the result: the server is listed with the intended command.
fn parsed(request: &InstallRequest, after: &Files) {
    let targets = request.client.targets(request.scope, &places()).unwrap();
    for InstallFile { path, part, .. } in targets.iter().filter(|target| plan::is_asked(target, request)) {
        let text = after.get(path).unwrap();
        let body = text.trim_start_matches('\u{feff}');
        let server = match part {
            FilePurpose::Servers(ServerListFormat::Toml) => {
                let root: toml::Table = body.parse().unwrap();
                serde_json::to_value(&root["mcp_servers"]["loci"]).unwrap()
            }
            FilePurpose::Servers(ServerListFormat::Json(list)) => {
                json_edit::get(body, &[]).unwrap().unwrap()[*list]["loci"].clone()
            }
            FilePurpose::Hook(_) => {
                assert!(body.contains("fact recent") && json_edit::get(body, &[]).is_ok());
                continue;
            }
            FilePurpose::Instructions { .. } => {
                assert!(body.contains("memory_get_recent"));
                continue;
            }
        };
        match &request.form {
            ClientConnection::Stdio { .. } => {
                assert_eq!((&server["command"], &server["args"][0]), (&"loci".into(), &"mcp".into()))
            }
            ClientConnection::Http { base } => {
                let url = server.get("url").or_else(|| server.get("serverUrl")).and_then(|url| url.as_str());
                assert_eq!(url, Some(format!("{base}/mcp").as_str()));
                assert!(
                    server.get("command").is_none() && server.to_string().contains("LOCI_TOKEN")
                        || request.client == Client::Vscode
                );
            }
        }
    }
}

fn golden(client: Client, shown: &[String]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/commands/install/golden")
        .join(format!("{}.txt", client.name()));
    expect_file![path].assert_eq(&shown.concat());
}

/// Returns the cases of server lists in JSON, for one file.
fn json_cases(client: Client, scope: InstallScope, path: &str, list: &str) -> Vec<String> {
    let stdio = request(client, scope, false);
    let http = request(client, scope, true);
    let others = format!(
        "{{\n  \"{list}\": {{\n    \"github\": {{\n      \"command\": \"gh-mcp\",\n      \"env\": {{ \"GITHUB_TOKEN\": \"ghp_0123456789\" }}\n    }}\n  }},\n  \"other\": [1, 2]\n}}\n"
    );
    let commented = format!(
        "{{\n\t// servers of the team\n\t\"{list}\": {{\n\t\t\"a\": {{ \"command\": \"a\" }}, // first\n\t\t/* last */\n\t}},\n}}\n"
    );
    let old = format!(
        "{{\n  \"{list}\": {{\n    \"loci\": {{\n      \"url\": \"http://old.example/mcp\",\n      \"headers\": {{ \"Authorization\": \"Bearer x\", \"X-Loci-Memory\": \"m\" }},\n      \"disabled\": false\n    }},\n    \"z\": {{}}\n  }}\n}}\n"
    );
    let started = format!(
        "{{\"{list}\": {{\"loci\": {{\"command\": \"/old/loci\", \"args\": [\"mcp\", \"-x\"], \"env\": {{\"A\": \"1\"}}}}}}}}\n"
    );
    vec![
        case("fresh, stdio", &stdio, &[]),
        case("fresh, http", &http, &[]),
        case("an empty file", &stdio, &[(path, "")]),
        case("other servers", &stdio, &[(path, &others)]),
        case("comments, tabs and a comma at the end", &stdio, &[(path, &commented)]),
        case("it was called, now it is started", &stdio, &[(path, &old)]),
        case("it was called elsewhere", &http, &[(path, &old)]),
        case("it was started, now it is called", &http, &[(path, &started)]),
        case("no JSON", &stdio, &[(path, "{\n  \"a\": 1\n  \"b\": 2\n}\n")]),
        case("a list that is none", &stdio, &[(path, &format!("{{\"{list}\": []}}"))]),
    ]
}

#[test]
fn claude_code() {
    let mut shown = json_cases(Client::ClaudeCode, InstallScope::Project, "project/.mcp.json", "mcpServers");
    let stdio = request(Client::ClaudeCode, InstallScope::Project, false);
    let settings = "{\n  \"permissions\": { \"allow\": [\"Bash(ls)\"] },\n  \"hooks\": {\n    \"SessionStart\": [\n      { \"matcher\": \"startup\", \"hooks\": [{ \"type\": \"command\", \"command\": \"date\" }] }\n    ]\n  }\n}\n";
    shown.push(case(
        "other hooks and instructions",
        &stdio,
        &[("project/.claude/settings.json", settings), ("project/CLAUDE.md", "# Mine\n\nText.\n")],
    ));
    let old = settings.replace("\"date\"", "\"/old/loci fact recent --cwd . --fail-open\"");
    shown.push(case("an older hook", &stdio, &[("project/.claude/settings.json", &old)]));
    shown.push(case(
        "of the user",
        &request(Client::ClaudeCode, InstallScope::User, false),
        &[("home/.claude.json", "{\n  \"numStartups\": 3\n}\n")],
    ));
    let shared = "{\n  \"mcpServers\": {\n    \"loci\": {\n      \"type\": \"stdio\",\n      \"command\": \"loci\",\n      \"args\": [\"mcp\"],\n      \"tools\": [\"*\"]\n    }\n  }\n}\n";
    shown.push(case("as Copilot has it", &stdio, &[("project/.mcp.json", shared)]));
    let options = ["--data-dir", "/my data", "--url", "https://memory.example"].map(str::to_owned).to_vec();
    let elsewhere = InstallRequest {
        form: ClientConnection::Stdio { options },
        program: "/my apps/loci".to_owned(),
        ..stdio
    };
    let planned = edits(&elsewhere, &Files::new()).unwrap();
    shown.push("=== a path with a space, and options\n".to_owned());
    shown.extend(planned.iter().take(2).filter_map(|edit| edit.after.clone()));
    golden(Client::ClaudeCode, &shown);
}

#[test]
fn cursor() {
    let mut shown =
        json_cases(Client::Cursor, InstallScope::Project, "project/.cursor/mcp.json", "mcpServers");
    let hooks =
        "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [{ \"command\": \"./audit.sh\" }]\n  }\n}\n";
    shown.push(case(
        "other hooks",
        &request(Client::Cursor, InstallScope::Project, false),
        &[("project/.cursor/hooks.json", hooks)],
    ));
    shown.push(case("of the user", &request(Client::Cursor, InstallScope::User, true), &[]));
    golden(Client::Cursor, &shown);
}

#[test]
fn vscode() {
    let mut shown = json_cases(Client::Vscode, InstallScope::Project, "project/.vscode/mcp.json", "servers");
    let inputs = "{\n  \"inputs\": [\n    { \"type\": \"promptString\", \"id\": \"k\" } // mine\n  ],\n  \"servers\": {}\n}\n";
    let http = request(Client::Vscode, InstallScope::Project, true);
    shown.push(case("other inputs", &http, &[("project/.vscode/mcp.json", inputs)]));
    let called = applied(&edits(&http, &Files::new()).unwrap(), &Files::new());
    let called = called.get(Path::new("project/.vscode/mcp.json")).unwrap();
    shown.push(case(
        "from called to started",
        &request(Client::Vscode, InstallScope::Project, false),
        &[("project/.vscode/mcp.json", called)],
    ));
    shown.push(case("of the user", &request(Client::Vscode, InstallScope::User, false), &[]));
    golden(Client::Vscode, &shown);
}

#[test]
fn codex() {
    let path = "home/.codex/config.toml";
    let stdio = request(Client::Codex, InstallScope::User, false);
    let http = request(Client::Codex, InstallScope::User, true);
    let others = "# my configuration\nmodel = \"gpt\" # fast\n\n[mcp_servers.github]\ncommand = \"gh-mcp\"\nenv = { GITHUB_TOKEN = \"ghp_0123456789\" }\n\n[profiles.x]\nmodel = \"o\"\n";
    let called = "[mcp_servers.loci]\nurl = \"http://old.example/mcp\"\nbearer_token_env_var = \"T\"\nstartup_timeout_sec = 20 # slow\n\n# end\n[tui]\nx = 1\n";
    let started = "[mcp_servers.loci]\ncommand = \"/old/loci\"\nargs = [\n  \"mcp\", # it\n]\n\n[mcp_servers.loci.env]\nA = \"1\"\n\n[mcp_servers.b]\ncommand = \"b\"\n";
    let shown = [
        case("fresh, stdio", &stdio, &[]),
        case("fresh, http", &http, &[]),
        case(
            "in a project",
            &request(Client::Codex, InstallScope::Project, false),
            &[("project/AGENTS.md", "# Rules\n")],
        ),
        case("other servers and comments", &stdio, &[(path, others)]),
        case("it was called, now it is started", &stdio, &[(path, called)]),
        case("it was started, now it is called", &http, &[(path, started)]),
        case(
            "other hooks",
            &stdio,
            &[("home/.codex/hooks.json", "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n")],
        ),
        case("no TOML", &stdio, &[(path, "model = \"x\"\n[mcp_servers\n")]),
        case("written inline", &stdio, &[(path, "[mcp_servers]\nloci = { command = \"loci\" }\n")]),
    ];
    golden(Client::Codex, &shown);
}

#[test]
fn windsurf() {
    let mut shown = json_cases(
        Client::Windsurf,
        InstallScope::User,
        "home/.codeium/windsurf/mcp_config.json",
        "mcpServers",
    );
    shown.push(case("in a project", &request(Client::Windsurf, InstallScope::Project, false), &[]));
    golden(Client::Windsurf, &shown);
}

#[test]
fn copilot() {
    let mut shown =
        json_cases(Client::Copilot, InstallScope::User, "home/.copilot/mcp-config.json", "mcpServers");
    let claude = "{\n  \"mcpServers\": {\n    \"loci\": {\n      \"command\": \"loci\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n";
    shown.push(case(
        "in a project, beside Claude Code",
        &request(Client::Copilot, InstallScope::Project, false),
        &[("project/.mcp.json", claude)],
    ));
    golden(Client::Copilot, &shown);
}
