//! `loci install` on real folders: written files, rejections, and no partial writes. The planner's
//! tests cover the files of each client.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::program::Home;

/// A repository in a home, used as the working directory of commands.
struct Project {
    home: Home,
}

impl Project {
    fn new() -> Self {
        let project = Self { home: Home::new() };
        fs::create_dir_all(project.path(".git")).unwrap();
        fs::create_dir_all(project.path("src")).unwrap();
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path("work").join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Runs the command in a folder of the repository. Returns code, standard output and standard
    /// error.
    fn install(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = self.home.command(&["install"]);
        let output = command.args(arguments).current_dir(self.path("src")).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn files(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.path(""))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != ".git" && name != "src")
            .collect();
        names.sort();
        names
    }
}

#[test]
fn it_is_shown_before_it_is_written_and_written_once() {
    let project = Project::new();
    let (code, out, said) = project.install(&["claude-code", "--dry-run"]);
    assert!(code == 0 && said.contains("would write these changes"), "{said}");
    assert!(out.contains("+    \"loci\": {") && out.contains("fact recent --cwd . --format prompt"), "{out}");
    let (code, _, said) = project.install(&["claude-code"]);
    assert_eq!(code, 2, "nobody is there to be asked");
    assert!(said.contains("nothing was written") && said.contains("--yes"), "{said}");
    assert_eq!(project.files(), [""; 0]);

    let (code, out, said) = project.install(&["claude-code", "--yes"]);
    assert_eq!(code, 0, "{said}");
    assert!(out.contains("written"), "{out}");
    assert_eq!(project.files(), [".claude", ".mcp.json", "CLAUDE.md"]);
    let written: Value = serde_json::from_str(&project.read(".mcp.json")).unwrap();
    let program = written["mcpServers"]["loci"]["command"].as_str().unwrap().to_owned();
    assert!(program.ends_with("/loci") && out.contains("not on PATH"), "{program}: {out}{said}");

    for arguments in [&["claude-code", "--dry-run"][..], &["claude-code"], &["claude-code", "--yes"]] {
        let (code, out, said) = project.install(arguments);
        assert_eq!((code, out.contains("nothing to do")), (0, true), "{out}{said}");
    }
    assert_eq!(project.files(), [".claude", ".mcp.json", "CLAUDE.md"], "no copy of what did not change");

    let (code, _, said) = project.install(&["claude-code", "--remove", "--yes"]);
    assert_eq!(code, 0, "{said}");
    let left = project.files();
    assert_eq!(left, [".claude"], "no copies of files that held nothing else");
    assert_eq!(project.install(&["claude-code", "--remove", "--dry-run"]).0, 0);
}

#[test]
fn others_are_left_as_they_are_with_a_copy_and_the_mode() {
    let project = Project::new();
    let text = "{\n  // of the team\n  \"mcpServers\": { \"a\": { \"command\": \"a\" } }\n}\n";
    project.write(".cursor/mcp.json", text);
    fs::set_permissions(project.path(".cursor/mcp.json"), fs::Permissions::from_mode(0o600)).unwrap();
    let (code, out, said) = project.install(&["cursor", "--yes", "--json"]);
    assert_eq!(code, 0, "{said}");
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&report["changes"], &report["written"]), (&json!(true), &json!(true)));
    assert_eq!(report["files"][0]["action"], "change");
    let backup = project.path(".cursor/mcp.json.bak");
    assert_eq!(
        fs::canonicalize(report["files"][0]["backup"].as_str().unwrap()).unwrap(),
        fs::canonicalize(&backup).unwrap()
    );
    assert_eq!(fs::read_to_string(&backup).unwrap(), text);
    let now = project.read(".cursor/mcp.json");
    assert!(
        now.contains("// of the team")
            && now.contains("\"a\": { \"command\": \"a\" }")
            && now.contains("loci"),
        "{now}"
    );
    for file in [project.path(".cursor/mcp.json"), backup] {
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    // A second change has its own backup.
    assert_eq!(project.install(&["cursor", "--yes", "--http", "https://memory.example"]).0, 0);
    assert_eq!(fs::read_to_string(project.path(".cursor/mcp.json.bak.2")).unwrap(), now);
    let left: Vec<_> =
        fs::read_dir(project.path(".cursor")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with(".loci-install")), "{left:?}");
}

#[test]
fn nothing_is_written_where_one_file_is_refused() {
    let check = |prepare: &dyn Fn(&Project), arguments: &[&str], expect: i32, said_expect: &str| {
        let project = Project::new();
        prepare(&project);
        let before = project.files();
        let (code, _, said) = project.install(arguments);
        assert_eq!(code, expect, "{said}");
        assert!(said.contains(said_expect), "{said}");
        assert_eq!(project.files(), before);
    };
    let yes = &["claude-code", "--yes"][..];
    check(&|project| project.write("CLAUDE.md", "<!-- loci:begin -->\n"), yes, 4, "not one pair");
    check(&|project| project.write(".mcp.json", "{\n\"a\" 1}"), yes, 4, ".mcp.json: line 2 is no JSON");
    check(&|project| fs::write(project.path(".mcp.json"), [0xff, 0xfe, 0]).unwrap(), yes, 4, "not UTF-8");
    let read_only = |project: &Project| {
        project.write(".mcp.json", "{}");
        fs::set_permissions(project.path(".mcp.json"), fs::Permissions::from_mode(0o444)).unwrap();
    };
    check(&read_only, yes, 4, "read-only");
    let outside = |project: &Project| {
        fs::write(project.home.path("elsewhere.json"), "{}").unwrap();
        symlink(project.home.path("elsewhere.json"), project.path(".mcp.json")).unwrap();
    };
    check(&outside, yes, 4, "leads out of the project");
    check(
        &|project| symlink(project.home.path(""), project.path(".claude")).unwrap(),
        yes,
        4,
        "leads out of the project",
    );
    check(&|project| symlink("nowhere", project.path(".mcp.json")).unwrap(), yes, 4, "leads nowhere");
    check(&|project| fs::create_dir(project.path(".mcp.json")).unwrap(), yes, 4, "is no file");
    check(&|_| {}, &["claude-code", "--yes", "--http", "memory.example"], 2, "http:// or https://");
    check(&|_| {}, &["vscode", "--yes", "--user"], 2, "profile");
    check(&|_| {}, &["emacs", "--yes"], 2, "emacs");
}

#[test]
fn a_link_inside_the_project_stays_a_link() {
    let project = Project::new();
    project.write("config/servers.json", "{}\n");
    symlink("config/servers.json", project.path(".mcp.json")).unwrap();
    assert_eq!(project.install(&["claude-code", "--yes", "--no-hook", "--no-instructions"]).0, 0);
    assert!(fs::symlink_metadata(project.path(".mcp.json")).unwrap().is_symlink());
    assert!(project.read("config/servers.json").contains("loci"));
    assert_eq!(project.files(), [".mcp.json", "config"]);
}

#[test]
fn files_of_the_user_are_where_the_client_looks() {
    let project = Project::new();
    let codex = project.home.path("codex");
    let mut command = project.home.command(&["install", "codex", "--yes", "--url", "https://memory.example"]);
    let output = command.env("CODEX_HOME", &codex).current_dir(project.path("src")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let config: toml::Table = fs::read_to_string(codex.join("config.toml")).unwrap().parse().unwrap();
    let server = &config["mcp_servers"]["loci"];
    assert_eq!(server["args"].to_string(), "[\"mcp\", \"--url\", \"https://memory.example\"]");
    assert_eq!(server["env_vars"].to_string(), "[\"LOCI_TOKEN\"]");
    assert_eq!(project.files(), [""; 0]);

    // If PATH contains loci, its name is sufficient.
    let bin = project.home.path("bin");
    fs::create_dir(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_loci"), bin.join("loci")).unwrap();
    let mut command = project.home.command(&["install", "windsurf", "--yes"]);
    let output = command.env("PATH", &bin).current_dir(project.path("src")).output().unwrap();
    let said = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap()).concat();
    assert!(output.status.success() && !said.contains("PATH"), "{said}");
    let written = fs::read_to_string(project.home.path(".codeium/windsurf/mcp_config.json")).unwrap();
    assert!(written.contains("\"command\": \"loci\""), "{written}");
}

#[test]
fn what_is_written_starts_a_server_that_answers() {
    let project = Project::new();
    assert_eq!(project.install(&["claude-code", "--yes"]).0, 0);
    let written: Value = serde_json::from_str(&project.read(".mcp.json")).unwrap();
    let entry = &written["mcpServers"]["loci"];
    let arguments: Vec<_> =
        entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    // The home's folders and variables, with the written program.
    let template = project.home.command(&[]);
    let mut command = std::process::Command::new(entry["command"].as_str().unwrap());
    command.args(arguments).current_dir(project.path("")).env_clear();
    command.envs(template.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut server =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let asked = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" },
    } });
    let listed = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
    let mut input = server.stdin.take().unwrap();
    writeln!(
        input,
        "{asked}\n{}\n{listed}",
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })
    )
    .unwrap();
    drop(input);
    let output = server.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let answers: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let answer =
        |id: u64| answers.iter().find(|answer| answer["id"] == id).unwrap_or_else(|| panic!("{said}"));
    assert_eq!(answer(1)["result"]["serverInfo"]["name"], "loci");
    let tools = answer(2)["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "memory_get_recent"), "{tools:?}");
}
