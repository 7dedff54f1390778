//! Memories of other programs: each format is imported, exported if supported, never duplicated,
//! and no hostile content passes.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::native::send;
use crate::program::Home;

fn home() -> Home {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    home
}

fn write(home: &Home, name: &str, text: &str) -> String {
    let path = home.path(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn import(home: &Home, format: &str, source: &str) -> Value {
    home.json(&["import", "--format", format, "--memory", "notes", source])
}

fn export(home: &Home, format: &str, namespace: &str, name: &str) -> Value {
    let target = home.path(name);
    let target = target.to_str().unwrap();
    home.json(&["export", "--format", format, "--memory", "notes", "--namespace", namespace, target])
}

fn counts(report: &Value) -> [u64; 3] {
    ["created", "updated", "unchanged"].map(|key| report[key].as_u64().unwrap())
}

fn memories(count: usize) -> String {
    let memory = |n: usize| {
        json!({ "id": format!("m-{n:04}"), "memory": format!("Ann likes tea number {n}"), "user_id": "ann",
            "created_at": "2026-01-02T03:04:05.123456-07:00", "score": 0.50, "metadata": { "deep": [n, null] } })
    };
    json!({ "results": (0..count).map(memory).collect::<Vec<_>>() }).to_string()
}

/// Creates a concept, one without a type, an index, and front matter that a simple YAML parser
/// rejects.
fn bundle(home: &Home) -> String {
    write(home, "bundle/index.md", "---\nokf_version: \"0.2\"\n---\n\n* [Orders](tables/orders.md)\n");
    write(
        home,
        "bundle/tables/orders.md",
        "---\ntype: Table # a comment\ntitle: Orders\ntags: [a, b]\n---\nSee [x](x.md).\r\n",
    );
    write(home, "bundle/tables/x.md", "No head at all.\n");
    let long = format!("---\ntype: Metric\ndescription: {}\n---\nlong\n", "much to say ".repeat(30).trim());
    write(home, "bundle/tables/long.md", &long);
    write(home, "bundle/references/attesters/check.py", "pass\n");
    write(home, "bundle/odd.md", "---\ntype: &anchor Odd\nother: *anchor\n---\nodd\n");
    home.path("bundle").to_str().unwrap().to_owned()
}

#[test]
fn a_lossless_format_goes_round_with_equal_checksums() {
    let check = |format: &str, source: &dyn Fn(&Home) -> String| {
        let (first, second) = (home(), home());
        let report = import(&first, format, &source(&first));
        assert_eq!(report["problems"], json!([]), "{report}");
        let namespace = format!("/imported/{format}");
        let one = export(&first, format, &namespace, "one");
        let carried = first.path("one").to_str().unwrap().to_owned();
        import(&second, format, &carried);
        let two = export(&second, format, &namespace, "two");
        assert_eq!(one["checksum"], two["checksum"], "{format}: {one} {two}");
    };
    check("okf", &bundle);
    check("mem0", &|home| write(home, "mem0.json", &memories(150)));
}

#[test]
fn a_bundle_comes_back_byte_for_byte() {
    let home = home();
    let source = bundle(&home);
    let report = import(&home, "okf", &source);
    assert_eq!(counts(&report), [5, 0, 0]);
    assert!(report["skipped"].to_string().contains("no Markdown"), "{report}");
    assert_eq!(counts(&import(&home, "okf", &source)), [0, 0, 5]);
    export(&home, "okf", "/imported/okf", "out");
    for name in ["index.md", "tables/orders.md", "tables/long.md", "odd.md"] {
        let read = |folder: &str| fs::read_to_string(home.path(folder).join(name)).unwrap();
        assert_eq!(read("out"), read("bundle"), "{name}");
    }
    let typed = fs::read_to_string(home.path("out/tables/x.md")).unwrap();
    assert_eq!(typed, "---\ntype: document\n---\n\nNo head at all.\n");
    let target = home.path("out");
    let again = ["export", "--format", "okf", "--memory", "notes", target.to_str().unwrap()];
    assert!(home.fails(2, &again).contains("exists: name a new"));
}

/// Only Linux file systems distinguish these names.
#[cfg(target_os = "linux")]
#[test]
fn files_that_a_tree_does_not_tell_apart_are_documents_each() {
    let home = home();
    let files = [
        ("README.md", "README.md", "The host is alpha."),
        ("Readme.md", "Readme-2.md", "The price is 10."),
        ("e\u{301}.md", "\u{e9}.md", "decomposed"),
        ("\u{e9}.md", "\u{e9}-2.md", "composed"),
    ];
    let text = |said: &str| format!("---\ntype: note\n---\n{said}\n");
    for (name, _, said) in files {
        write(&home, &format!("bundle/{name}"), &text(said));
    }
    let pipe = home.path("bundle/pipe.md");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let source = home.path("bundle").to_str().unwrap().to_owned();
    let report = import(&home, "okf", &source);
    assert_eq!(counts(&report), [4, 0, 0], "{report}");
    let lossy = report["lossy"].to_string();
    assert!(lossy.contains("Readme.md: it is knowledge/Readme-2.md here"), "{report}");
    assert!(lossy.contains("it is knowledge/\u{e9}-2.md here"), "{report}");
    assert!(report["skipped"].to_string().contains("pipe, socket or device"), "{report}");
    assert_eq!(counts(&import(&home, "okf", &source)), [0, 0, 4]);
    export(&home, "okf", "/imported/okf", "out");
    for (_, name, said) in files {
        assert_eq!(fs::read_to_string(home.path("out").join(name)).unwrap(), text(said), "{name}");
    }
    write(&home, "project/Pkg/AGENTS.md", "one\n");
    write(&home, "project/pkg/AGENTS.md", "two\n");
    let project = home.path("project").to_str().unwrap().to_owned();
    assert_eq!(counts(&import(&home, "agents-md", &project)), [2, 0, 0]);
    assert_eq!(counts(&import(&home, "agents-md", &project)), [0, 0, 2]);
}

#[test]
fn mem0_goes_on_where_it_was_cut_off_and_changes_what_changed() {
    let home = home();
    let file = write(&home, "part.json", &memories(120));
    let dry = home.json(&["import", "--format", "mem0", "--memory", "notes", "--dry-run", &file]);
    assert_eq!((&dry["mapped"][0]["count"], counts(&dry)), (&json!(120), [0, 0, 0]));
    assert_eq!(home.json(&["record", "list", "--memory", "notes"])["records"], json!([]));
    assert_eq!(counts(&import(&home, "mem0", &file)), [120, 0, 0]);
    let whole = write(&home, "whole.json", &memories(130));
    assert_eq!(counts(&import(&home, "mem0", &whole)), [10, 0, 120]);
    let changed = write(&home, "changed.json", &memories(130).replace("number 7\"", "number seven\""));
    assert_eq!(counts(&import(&home, "mem0", &changed)), [0, 1, 129]);
    export(&home, "mem0", "/", "back.json");
    // A folder cannot be replaced by a file, and a link with the name of an unfinished export is
    // not written through.
    fs::create_dir(home.path("folder")).unwrap();
    std::os::unix::fs::symlink(home.path("elsewhere"), home.path("linked.partial")).unwrap();
    let folder = home.path("folder");
    let arguments =
        ["export", "--format", "mem0", "--memory", "notes", "--namespace", "/", folder.to_str().unwrap()];
    assert!(home.fails(2, &arguments).contains("exists: name a new"));
    export(&home, "mem0", "/", "linked");
    assert!(!home.path("elsewhere").exists());
    let back: Value = serde_json::from_str(&fs::read_to_string(home.path("back.json")).unwrap()).unwrap();
    let sent: Value = serde_json::from_str(&fs::read_to_string(&changed).unwrap()).unwrap();
    assert_eq!(back, sent);
}

#[test]
fn an_export_that_fails_leaves_nothing() {
    let home = home();
    import(&home, "mem0", &write(&home, "some.json", &memories(3)));
    home.json(&["memory", "ensure", "operations", "--profile", "sre"]);
    // A file cannot replace a folder that is not empty, which shows only after all data is written.
    write(&home, "taken/mine.txt", "mine");
    let taken = home.path("taken");
    let taken = taken.to_str().unwrap();
    for arguments in [
        ["export", "--memory", "notes", taken].as_slice(),
        &["sre", "export", "--memory", "operations", "--out", taken],
    ] {
        let output = home.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains("taken"), "{arguments:?}: {said}");
        for entry in fs::read_dir(home.path("")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(!name.contains("unfinished") && !name.contains("partial"), "{arguments:?}: {name}");
        }
    }
    assert_eq!(fs::read_to_string(home.path("taken/mine.txt")).unwrap(), "mine");
    // A complete file has its name, and nothing else remains.
    home.ok(&["export", "--memory", "notes", home.path("whole.jsonl").to_str().unwrap()]);
    assert!(home.path("whole.jsonl").is_file());
}

#[test]
fn no_output_is_a_file_of_a_data_folder_or_replaces_a_database() {
    let home = home();
    import(&home, "mem0", &write(&home, "some.json", &memories(3)));
    home.json(&["memory", "ensure", "operations", "--profile", "sre"]);
    home.ok(&["key", "create", "admin"]);
    let key = fs::read_to_string(home.path("data/master.key")).unwrap();
    let place = |name: &str| home.path(name).to_str().unwrap().to_owned();
    for name in ["data/loci.db", "data/master.key", "data/loci.db-shm"] {
        let target = place(name);
        let target = target.as_str();
        for arguments in [
            ["export", "--memory", "notes", target].as_slice(),
            &["sre", "export", "--memory", "operations", "--out", target],
            &["backup", target],
        ] {
            let said = home.fails(2, arguments);
            assert!(said.contains("must not be a file of the data folder"), "{arguments:?}: {said}");
        }
    }
    let new = place("data/mirrors");
    let mem0 = ["export", "--format", "mem0", "--memory", "notes", "--namespace", "/", new.as_str()];
    assert!(home.fails(2, &mem0).contains("must not be a file of the data folder"));
    assert!(!home.path("data/mirrors").exists());
    // Other names are permitted: a mounted volume may be the only location.
    home.ok(&["export", "--memory", "notes", place("data/notes.jsonl").as_str()]);
    // A backup outside of the data folder cannot be replaced by an export either.
    let (copy, part) = (place("copy.db"), place("part.jsonl"));
    home.ok(&["backup", copy.as_str()]);
    std::os::unix::fs::symlink(&copy, home.path("part.jsonl.manifest.json")).unwrap();
    for arguments in [
        ["export", "--memory", "notes", copy.as_str()].as_slice(),
        &["export", "--memory", "notes", "--manifest", part.as_str()],
    ] {
        assert!(home.fails(2, arguments).contains("must not take the place of a database"), "{arguments:?}");
    }
    assert!(fs::read(home.path("copy.db")).unwrap().starts_with(b"SQLite format 3\0"));
    assert_eq!(fs::read_to_string(home.path("data/master.key")).unwrap(), key);
    assert_eq!(home.json(&["memory", "list"])["memories"].as_array().unwrap().len(), 2);
}

#[test]
fn an_export_to_a_pipe_a_link_or_standard_output_replaces_none_of_them() {
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};

    let home = home();
    let target = |name: &str| home.path(name).to_str().unwrap().to_owned();
    // The first line contains the export time.
    let behind = |text: &str| text.split_once('\n').unwrap().1.to_owned();
    let whole = behind(&home.ok(&["export", "--memory", "notes"]));
    assert!(whole.lines().last().unwrap().starts_with("{\"type\":\"end\""), "{whole}");
    assert_eq!(behind(&home.ok(&["export", "--memory", "notes", "/dev/stdout"])), whole);
    write(&home, "sub/real.jsonl", "old");
    fs::set_permissions(home.path("sub/real.jsonl"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("sub/real.jsonl", home.path("link.jsonl")).unwrap();
    home.ok(&["export", "--memory", "notes", &target("link.jsonl")]);
    assert!(fs::symlink_metadata(home.path("link.jsonl")).unwrap().is_symlink());
    assert_eq!(behind(&fs::read_to_string(home.path("sub/real.jsonl")).unwrap()), whole);
    let about = fs::metadata(home.path("sub/real.jsonl")).unwrap();
    assert_eq!(about.permissions().mode() & 0o777, 0o600);
    let pipe = target("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let arguments = ["export", "--memory", "notes", "--manifest", &pipe];
    assert!(home.fails(1, &arguments).contains("omit --manifest"));
    let from = pipe.clone();
    let reader = std::thread::spawn(move || fs::read_to_string(from).unwrap());
    home.ok(&["export", "--memory", "notes", &pipe]);
    // If the pipe was replaced, its reader would wait forever.
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    assert_eq!(behind(&reader.join().unwrap()), whole);
}

#[test]
fn an_import_that_is_killed_goes_on() {
    let home = home();
    let server = home.serve(&[]);
    let file = write(&home, "many.json", &memories(2_000));
    let arguments = ["import", "--format", "mem0", "--memory", "notes", "--url", &server.url, &file];
    let mut child = home.command(&arguments).spawn().unwrap();
    loop {
        let list = home.json(&["record", "list", "--memory", "notes", "--url", &server.url]);
        if list["records"].as_array().is_some_and(|records| !records.is_empty()) {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let [created, updated, unchanged] = counts(&home.json(&arguments));
    assert!(unchanged > 0 && updated == 0 && created + unchanged == 2_000, "{created} {unchanged}");
    assert_eq!(counts(&home.json(&arguments)), [0, 0, 2_000]);
}

#[test]
fn the_list_of_strands_and_agent_files_of_letta() {
    let home = home();
    let list =
        r#"[{"id":"0190","content":"Uses tabs","createdAt":"2026-01-02T03:04:05Z","metadata":{"k":1}}]"#;
    let list = write(&home, "list.json", list);
    assert_eq!(counts(&import(&home, "strands-json", &list)), [1, 0, 0]);
    assert_eq!(counts(&import(&home, "strands-json", &list)), [0, 0, 1]);
    let agent = json!({
        "agents": [{ "name": "Sam", "system": "secret prompt", "messages": [
            { "id": "message-0", "role": "system", "content": "prompt" },
            { "id": "message-1", "role": "user", "content": [{ "type": "text", "text": "I moved to Bern." }] },
            { "id": "message-2", "role": "assistant", "content": "Noted.", "created_at": "2026-01-02T03:04:05Z" },
        ]}],
        "blocks": [{ "id": "block-0", "label": "human", "value": "Name: Ann", "limit": 5000 }],
        "passages": [{ "id": "passage-0", "text": "Ann has a cat.", "embedding": [0.1] }],
        "tools": [{ "name": "x" }],
    });
    let agent = write(&home, "sam.af", &agent.to_string());
    let report = import(&home, "letta", &agent);
    assert_eq!((counts(&report), &report["problems"]), ([4, 0, 0], &json!([])), "{report}");
    assert!(report["skipped"].to_string().contains("tools"), "{report}");
    assert_eq!(counts(&import(&home, "letta", &agent)), [0, 0, 4]);
    let block = ["files", "cat", "--raw", "--memory", "notes", "--namespace", "/imported/letta"];
    let block = home.ok(&[&block[..], &["knowledge/letta/human-Sam.md"]].concat());
    assert!(block.contains("Name: Ann") && block.contains("limit"), "{block}");
}

#[test]
fn numbers_of_an_agent_file_are_no_ids() {
    let home = home();
    let file = |agent: &str, said: [&str; 2], passage: &str| {
        let message = |number: usize, text: &str| {
            let id = format!("message-{number}");
            json!({ "id": id, "role": "user", "content": text })
        };
        let messages = [message(0, said[0]), message(1, said[1])];
        let agents = json!([{ "name": agent, "block_ids": ["block-0"], "messages": messages }]);
        let blocks = json!([{ "id": "block-0", "label": "human", "value": format!("Told by {agent}.") }]);
        let passages = json!([{ "id": "passage-0", "text": passage }]);
        let file = json!({ "agents": agents, "blocks": blocks, "passages": passages });
        write(&home, "agent.af", &file.to_string())
    };
    let said = |agent: &str, text: &str| {
        let session = format!("letta-{agent}");
        let listed =
            home.json(&["event", "list", "--memory", "notes", "--actor", agent, "--session", &session]);
        let events = listed["events"].as_array().unwrap().iter();
        events.filter(|event| event["payload"][0]["message"]["text"] == text).count()
    };
    assert_eq!(counts(&import(&home, "letta", &file("Sam", ["yes", "yes"], "Ann has a cat."))), [4, 0, 0]);
    assert_eq!(counts(&import(&home, "letta", &file("Sam", ["yes", "yes"], "Ann has a cat."))), [0, 0, 4]);
    // Another agent has the same conversation, and remembers something else.
    assert_eq!(counts(&import(&home, "letta", &file("Tim", ["yes", "no"], "Ben has a dog."))), [4, 0, 0]);
    // A later file of the first agent begins at another point of its conversation.
    assert_eq!(counts(&import(&home, "letta", &file("Sam", ["yes", "later"], "Ann has a cat."))), [1, 0, 3]);
    for (agent, text, expect) in [("Sam", "yes", 2), ("Sam", "later", 1), ("Tim", "yes", 1), ("Tim", "no", 1)]
    {
        assert_eq!(said(agent, text), expect, "{agent}: {text}");
    }
    let listing = ["record", "list", "--memory", "notes", "--namespace", "/imported/letta", "--json"];
    let records = home.ok(&listing);
    assert!(records.contains("Ann has a cat.") && records.contains("Ben has a dog."), "{records}");
    for agent in ["Sam", "Tim"] {
        let path = format!("knowledge/letta/human-{agent}.md");
        let block =
            ["files", "cat", "--raw", "--memory", "notes", "--namespace", "/imported/letta", path.as_str()];
        let block = home.ok(&block);
        assert!(block.contains(&format!("Told by {agent}.")), "{block}");
    }
}

#[test]
fn one_id_in_two_conversations_is_two_events() {
    let home = home();
    let file = |agents: &[&str]| {
        let message = json!({ "id": "message-a1b2", "role": "user", "content": "yes" });
        let agent = |name: &&str| json!({ "name": name, "messages": [message.clone()] });
        let agents: Vec<_> = agents.iter().map(agent).collect();
        write(&home, "agents.af", &json!({ "agents": agents }).to_string())
    };
    let events = |agent: &str| {
        let session = format!("letta-{agent}");
        let listed =
            home.json(&["event", "list", "--memory", "notes", "--actor", agent, "--session", &session]);
        let events = listed["events"].as_array().unwrap().iter();
        events.map(|event| event["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let delete = |agent: &str, id: &str| {
        let session = format!("letta-{agent}");
        home.ok(&["event", "delete", "--memory", "notes", "--actor", agent, "--session", &session, id]);
    };
    assert_eq!(counts(&import(&home, "letta", &file(&["Ann", "Ben"]))), [2, 0, 0]);
    assert_eq!((events("Ann").len(), events("Ben").len()), (1, 1));
    assert_eq!(counts(&import(&home, "letta", &file(&["Ann", "Ben"]))), [0, 0, 2]);
    delete("Ann", &events("Ann")[0]);
    // A deleted event stays deleted, and the others are imported.
    let report = import(&home, "letta", &file(&["Ann", "Ben", "Cem"]));
    assert_eq!((counts(&report), events("Ann").len()), ([1, 0, 1], 0), "{report}");
    assert!(report["skipped"].to_string().contains("was erased here on"), "{report}");
    home.ok(&["forget", "--memory", "notes", "--actor", "Ben", "--confirm", "Ben"]);
    let report = import(&home, "letta", &file(&["Ann", "Ben", "Cem", "Dan"]));
    assert_eq!((counts(&report), events("Dan").len()), ([1, 0, 1], 1), "{report}");
}

#[test]
fn instructions_of_a_project_are_read_and_never_written() {
    let home = home();
    let root = write(&home, "project/AGENTS.md", "Run the tests.\n");
    write(&home, "project/web/CLAUDE.md", "---\nx: 1\n---\nUse pnpm.\n");
    write(&home, "project/node_modules/x/AGENTS.md", "not ours");
    write(&home, "project/README.md", "not this");
    let project = home.path("project").to_str().unwrap().to_owned();
    assert_eq!(counts(&import(&home, "agents-md", &project)), [2, 0, 0]);
    fs::write(&root, "Run all tests.\n").unwrap();
    assert_eq!(counts(&import(&home, "agents-md", &project)), [0, 1, 1]);
    let shown = ["files", "cat", "--raw", "--memory", "notes", "--namespace", "/imported/agents-md"];
    let shown = home.ok(&[&shown[..], &["knowledge/sources/AGENTS.md"]].concat());
    assert!(shown.contains("source: AGENTS.md") && shown.contains("Run all tests."), "{shown}");
    assert_eq!(fs::read_to_string(&root).unwrap(), "Run all tests.\n");
}

#[test]
fn a_memory_folder_comes_and_goes() {
    let (first, second) = (home(), home());
    let topic =
        "---\nname: Build\ndescription: \"how\"\nmetadata:\n  type: project\nown: 1.10\n---\n\nUse cargo.\n";
    write(&first, "memory/build.md", topic);
    write(
        &first,
        "memory/role.md",
        "---\nname: Role\ndescription: \"who\"\nmetadata:\n  type: user\n---\n\nA doctor.\n",
    );
    write(
        &first,
        "memory/MEMORY.md",
        "# Mine\n\nKeep *this*.\n\n- [Build](build.md) — how\n## More\n- likes tea\n",
    );
    let folder = first.path("memory").to_str().unwrap().to_owned();
    let report = import(&first, "claude-code", &folder);
    assert_eq!(counts(&report), [4, 0, 0], "{report}");
    assert!(report["skipped"].to_string().contains("headings within the list"), "{report}");
    assert_eq!(counts(&import(&first, "claude-code", &folder)), [0, 0, 4]);
    let one = export(&first, "claude-code", "/imported/claude-code", "one");
    let index = fs::read_to_string(first.path("one/MEMORY.md")).unwrap();
    assert!(index.starts_with("# Mine\n\nKeep *this*.\n\n- [Build](build.md)"), "{index}");
    assert_eq!(fs::read_to_string(first.path("one/build.md")).unwrap(), topic);
    import(&second, "claude-code", first.path("one").to_str().unwrap());
    let two = export(&second, "claude-code", "/imported/claude-code", "two");
    assert_eq!(one["checksum"], two["checksum"], "{one} {two}");
}

#[test]
fn what_is_wrong_costs_itself_and_says_so() {
    let home = home();
    let file =
        write(&home, "bad.json", "[{\"memory\":\"good\"},\n{\"memory\":5},\n{\"memory\":\"also good\"}]");
    let arguments = ["import", "--format", "mem0", "--memory", "notes", &file];
    let said = home.fails(1, &arguments);
    assert!(said.contains("line 2: memory: it must be a text; put it in quotes"), "{said}");
    assert_eq!(home.json(&["record", "list", "--memory", "notes"])["records"].as_array().unwrap().len(), 2);
    // Without --memory it is the only one.
    let said = home.fails(1, &["import", "--format", "mem0", &file]);
    assert!(said.contains("line 2"), "{said}");
    let said = home.fails(2, &["import", "--format", "jsonl", "--dry-run", &file]);
    assert!(said.contains("--dry-run"), "{said}");
    let said = home
        .fails(2, &["import", "--format", "okf", "--memory", "notes", home.path("data").to_str().unwrap()]);
    assert!(said.contains("holds nothing of the format okf"), "{said}");
}

#[test]
fn hostile_files_stay_outside() {
    let home = home();
    write(&home, "outside.md", "outside");
    write(&home, "bundle/ok.md", "---\ntype: X\n---\nfine");
    write(&home, "bundle/con.md", "---\ntype: X\n---\na device");
    write(&home, "bundle/large.md", &"x".repeat(110_000));
    fs::write(home.path("bundle/bytes.md"), [0xff, 0xfe]).unwrap();
    std::os::unix::fs::symlink(home.path("outside.md"), home.path("bundle/link.md")).unwrap();
    std::os::unix::fs::symlink(Path::new(".."), home.path("bundle/up")).unwrap();
    let bundle = home.path("bundle").to_str().unwrap().to_owned();
    let output = home.run(&["import", "--format", "okf", "--memory", "notes", "--json", &bundle]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), counts(&report)), (Some(1), [1, 0, 0]), "{report}");
    assert_eq!(report["problems"].as_array().unwrap().len(), 3, "{report}");
    assert_eq!(report["skipped"][0], json!({ "what": "link", "count": 2, "why": "links are not followed" }));
}

#[test]
fn nested_namespaces_are_imported_apart() {
    let home = home();
    let file = write(&home, "m.json", &memories(3));
    let into = |namespace: &str| {
        let arguments = ["import", "--format", "mem0", "--memory", "notes", "--namespace", namespace, &file];
        counts(&home.json(&arguments))
    };
    assert_eq!(into("/team/ann"), [3, 0, 0]);
    assert_eq!(into("/team"), [3, 0, 0], "what lies beneath is another import");
    assert_eq!((into("/team/"), into("/team/ann")), ([0, 0, 3], [0, 0, 3]));
    let report = export(&home, "mem0", "/team", "both.json");
    let back: Value = serde_json::from_str(&fs::read_to_string(home.path("both.json")).unwrap()).unwrap();
    let written = back["results"].as_array().unwrap().len();
    assert_eq!((&report["items"], written), (&json!(6), 6), "one id of two imports is two memories");
}

#[test]
fn a_source_that_tells_no_time_leaves_the_one_that_is_stored() {
    let home = home();
    let source = |text: &str| {
        write(&home, "m.json", &json!([{ "id": "1", "memory": text, "user_id": "ann" }]).to_string())
    };
    let time = || {
        let list = home.json(&["record", "list", "--memory", "notes"]);
        (list["records"][0]["timestamp"].clone(), list["records"][0]["version"].clone())
    };
    assert_eq!(counts(&import(&home, "mem0", &source("tea"))), [1, 0, 0]);
    let (stored, _) = time();
    assert_eq!(counts(&import(&home, "mem0", &source("milk"))), [0, 1, 0]);
    assert_eq!(time(), (stored, json!(2)));
}

#[test]
fn every_item_of_a_refused_batch_is_told() {
    let home = home();
    let server = home.serve(&[]);
    let key = home.json(&["key", "create", "reader", "--grant", r#"{"capabilities":["read"]}"#]);
    let file = write(&home, "m.json", &memories(3));
    let arguments = ["import", "--format", "mem0", "--memory", "notes", "--url", &server.url, "--token"];
    let more = [key["token"].as_str().unwrap(), "--json", &file];
    let output = home.run(&[&arguments[..], &more].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), counts(&report)), (Some(1), [0, 0, 0]), "{report}");
    assert_eq!(report["problems"].as_array().unwrap().len(), 3, "{report}");
}

#[test]
fn folders_that_are_not_entered_are_told() {
    let home = home();
    for name in ["a.md", "vendor/b.md", "target/c.md", "node_modules/x/d.md", ".hidden/e.md", "f.txt"] {
        write(&home, &format!("bundle/{name}"), "---\ntype: X\n---\nx\n");
    }
    let bundle = home.path("bundle").to_str().unwrap().to_owned();
    let report = import(&home, "okf", &bundle);
    assert_eq!(counts(&report), [3, 0, 0], "{report}");
    let skipped: Vec<_> = report["skipped"].as_array().unwrap().iter().map(|one| &one["count"]).collect();
    assert_eq!(skipped, [1, 1, 1], "{report}");
    for name in ["AGENTS.md", "vendor/AGENTS.md", "target/AGENTS.md", ".git/AGENTS.md"] {
        write(&home, &format!("project/{name}"), "x\n");
    }
    let project = home.path("project").to_str().unwrap().to_owned();
    let report = import(&home, "agents-md", &project);
    assert_eq!(counts(&report), [1, 0, 0], "{report}");
    let skipped: Vec<_> = report["skipped"].as_array().unwrap().iter().map(|one| &one["count"]).collect();
    assert_eq!(skipped, [1, 2], "{report}");
}

#[test]
fn secrets_are_masked_as_anywhere() {
    let home = home();
    home.ok(&["memory", "settings", "notes", "--set", r#"{"safety":{"secrets":"mask"}}"#]);
    let secret = format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap());
    let file = write(
        &home,
        "m.json",
        &json!([{ "id": "1", "memory": format!("The token is {secret}.") }]).to_string(),
    );
    assert_eq!(counts(&import(&home, "mem0", &file)), [1, 0, 0]);
    let rules = write(&home, "CLAUDE.md", &format!("Push with {secret}\n"));
    assert_eq!(counts(&import(&home, "agents-md", &rules)), [1, 0, 0]);
    let list = home.ok(&["record", "list", "--memory", "notes", "--json"]);
    assert!(!list.contains(&secret), "{list}");
    assert_eq!(counts(&import(&home, "mem0", &file)), [0, 0, 1], "masking is no change");
    assert_eq!(counts(&import(&home, "agents-md", &rules)), [0, 0, 1], "masking is no change");
}

#[test]
fn what_a_person_changed_is_not_replaced_in_silence() {
    let home = home();
    let concept = write(&home, "bundle/a.md", "---\ntype: X\n---\none\n");
    write(&home, "bundle/b.md", "---\ntype: X\n---\nb\n");
    let bundle = home.path("bundle").to_str().unwrap().to_owned();
    assert_eq!(counts(&import(&home, "okf", &bundle)), [2, 0, 0]);
    let place = ["--memory", "notes", "--namespace", "/imported/okf"];
    let edit = |old: &str, new: &str| {
        let words = ["--old", old, "--new", new, "knowledge/a.md"];
        home.ok(&[&["files", "edit"][..], &place, &words].concat());
    };
    let shown = || home.ok(&[&["files", "cat", "--raw"][..], &place, &["knowledge/a.md"]].concat());
    edit("one", "my own");
    let report = import(&home, "okf", &bundle);
    assert_eq!(counts(&report), [0, 0, 1], "{report}");
    assert!(report["skipped"].to_string().contains("it stays so"), "{report}");
    fs::write(&concept, "---\ntype: X\n---\ntwo\n").unwrap();
    let arguments = ["import", "--format", "okf", "--memory", "notes", &bundle];
    let said = home.fails(1, &arguments);
    assert!(said.contains("knowledge/a.md was changed here") && said.contains("--force"), "{said}");
    assert!(shown().contains("my own"), "{}", shown());
    let forced = home.json(&[&arguments[..], &["--force"]].concat());
    assert_eq!((counts(&forced), shown().contains("two")), ([0, 1, 1], true), "{forced}");
    fs::write(&concept, "---\ntype: X\n---\nthree\n").unwrap();
    assert_eq!(counts(&import(&home, "okf", &bundle)), [0, 1, 1], "nobody changed it since");
    // A document with that path that no import created.
    write(&home, "bundle/c.md", "---\ntype: X\n---\ntheirs\n");
    let own = write(&home, "own.md", "mine\n");
    home.ok(&[&["files", "put"][..], &place, &["knowledge/c.md", &own]].concat());
    assert!(home.fails(1, &arguments).contains("knowledge/c.md was changed here"));
}

/// A lone surrogate encoded as bytes, which is not UTF-8, loses no file of any format. The report
/// mentions it.
#[test]
fn bytes_of_half_a_letter_cost_no_file() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    // A # stands for the bytes.
    let bytes = |text: &str| -> Vec<u8> {
        text.bytes().flat_map(|byte| if byte == b'#' { vec![0xed, 0xa0, 0xbd] } else { vec![byte] }).collect()
    };
    for (format, name, text) in [
        ("mem0", "mem0.json", r#"{"results":[{"memory":"cut #"},{"memory":"whole"}]}"#),
        ("strands-json", "strands.json", r#"[{"content":"cut #"},{"content":"whole"}]"#),
        ("letta", "letta.af", r#"{"agents":[],"passages":[{"text":"cut #"},{"text":"whole"}]}"#),
        ("okf", "note.md", "---\ntype: note\ndescription: A note.\n---\n\ncut #\n"),
    ] {
        let file = home.path(name);
        std::fs::write(&file, bytes(text)).unwrap();
        let arguments = ["import", "--format", format, "--memory", "notes", "--dry-run"];
        let report = home.json(&[&arguments[..], &[file.to_str().unwrap()]].concat());
        assert_eq!(report["problems"], serde_json::json!([]), "{format}: {report}");
        assert!(report["lossy"].to_string().contains("U+FFFD"), "{format}: {report}");
    }
    let id = "3f0c9a52-1111-4222-8333-444455556666";
    let line = format!(r#"{{"type":"user","sessionId":"{id}","message":{{"content":"cut #"}}}}"#);
    let file = home.path("session.jsonl");
    std::fs::write(&file, bytes(&line)).unwrap();
    let arguments = ["import", "--format", "transcript", "--memory", "notes", "--actor", "mara"];
    let report = home.json(&[&arguments[..], &[file.to_str().unwrap()]].concat());
    assert_eq!((&report["turns"], &report["repaired"]), (&1.into(), &1.into()), "{report}");
}

/// Memories of two people, with an id and without.
const TWO_PEOPLE: &str = r#"[{"memory":"Ann keeps bees.","user_id":"ann"},
    {"id":"m-2","memory":"Ann has a bike.","user_id":"ann"}, {"memory":"Ben sails.","user_id":"ben"}]"#;

/// Returns the counts of an import of two people's memories into a namespace.
fn import_into(home: &Home, format: &str, file: &str, namespace: &str, more: &[&str]) -> [u64; 3] {
    let arguments = ["import", "--format", format, "--memory", "notes", "--namespace", namespace, file];
    counts(&home.json(&[&arguments[..], more].concat()))
}

/// Deletes the records of a namespace whose text contains the word.
fn delete_records(home: &Home, namespace: &str, word: &str) {
    let listed = home.json(&["record", "list", "--memory", "notes", "--namespace", namespace]);
    for record in listed["records"].as_array().unwrap() {
        if record["text"].as_str().unwrap().contains(word) {
            home.ok(&["record", "delete", "--memory", "notes", record["id"].as_str().unwrap()]);
        }
    }
}

#[test]
fn a_deleted_record_comes_back_in_no_namespace() {
    let home = home();
    let file = write(&home, "two.json", TWO_PEOPLE);
    let into = |namespace: &str| import_into(&home, "mem0", &file, namespace, &[]);
    // Without deletions, two namespaces are two imports.
    assert_eq!((into("/a"), into("/b")), ([3, 0, 0], [3, 0, 0]));
    assert_eq!((into("/a"), into("/b")), ([0, 0, 3], [0, 0, 3]));
    delete_records(&home, "/a", "Ann");
    assert_eq!((into("/a"), into("/b"), into("/c")), ([0, 0, 1], [0, 0, 3], [1, 0, 0]));
    let arguments = ["import", "--format", "mem0", "--memory", "notes", "--namespace", "/c", &file];
    let told = home.json(&arguments)["skipped"].to_string();
    assert!(told.contains("was erased here on") && told.contains("--force"), "{told}");
    // Another text with the same id is another item.
    let other = write(&home, "other.json", r#"[{"id":"m-2","memory":"Cem paints."}]"#);
    assert_eq!(import_into(&home, "mem0", &other, "/d", &[]), [1, 0, 0]);
    // An explicit restoration is permanent. Other namespaces keep the deletion.
    assert_eq!(import_into(&home, "mem0", &file, "/c", &["--force"]), [2, 0, 1]);
    assert_eq!((into("/e"), into("/a")), ([3, 0, 0], [0, 0, 1]));
}

#[test]
fn a_forgotten_item_comes_back_in_no_namespace() {
    let home = home();
    let file = write(&home, "two.json", TWO_PEOPLE);
    assert_eq!(import_into(&home, "mem0", &file, "/a", &[]), [3, 0, 0]);
    home.ok(&["forget", "--memory", "notes", "--actor", "ann", "--confirm", "ann"]);
    for (namespace, expect) in [("/a", [0, 0, 1]), ("/b", [1, 0, 0]), ("/c", [1, 0, 0])] {
        assert_eq!(import_into(&home, "mem0", &file, namespace, &[]), expect, "{namespace}");
    }
    let listed = home.ok(&["record", "list", "--memory", "notes", "--json"]);
    assert!(listed.contains("Ben sails.") && !listed.contains("Ann"), "{listed}");

    let agent = json!({ "agents": [{ "name": "Sam" }],
        "blocks": [{ "id": "block-0", "label": "human", "value": "Name: Eve" }],
        "passages": [{ "id": "passage-0", "text": "Eve has a cat." }] });
    let agent = write(&home, "sam.af", &agent.to_string());
    assert_eq!(import_into(&home, "letta", &agent, "/users/Sam", &[]), [2, 0, 0]);
    home.ok(&["forget", "--memory", "notes", "--actor", "Sam", "--confirm", "Sam"]);
    for namespace in ["/users/Sam", "/elsewhere", "/users/Tim"] {
        assert_eq!(import_into(&home, "letta", &agent, namespace, &[]), [0, 0, 0], "{namespace}");
    }
    assert_eq!(import_into(&home, "letta", &agent, "/elsewhere", &["--force"]), [2, 0, 0]);
    assert_eq!(import_into(&home, "letta", &agent, "/elsewhere", &[]), [0, 0, 2]);
}

/// Returns memories of one person and without an owner, as in a second export: changed members, new
/// ids, no owner, another layout of the text.
fn exports_of_one_memory() -> Vec<String> {
    let id = |id: &str| json!([{ "id": id, "memory": "Ann keeps bees.", "user_id": "ann" }]);
    let more = json!([{ "id": "m-1", "memory": "Ann keeps bees.", "user_id": "ann", "hash": "f00" }]);
    let unowned = json!([{ "id": "m-1", "memory": "Ann keeps bees." }]);
    let laid = json!([{ "id": "m-1", "memory": "Ann  keeps\nbees. ", "user_id": "ann" }]);
    let bare = json!([{ "memory": "Ann keeps bees.", "user_id": "ann", "score": 1 }]);
    [id("m-1"), id("m-9"), more, unowned, laid, bare].map(|export| export.to_string()).to_vec()
}

#[test]
fn an_item_that_was_erased_is_known_by_its_text() {
    for reach in ["forget", "delete"] {
        let home = home();
        let exports = exports_of_one_memory();
        let first = write(&home, "first.json", &exports[0]);
        assert_eq!(import_into(&home, "mem0", &first, "/a", &[]), [1, 0, 0]);
        if reach == "forget" {
            home.ok(&["forget", "--memory", "notes", "--actor", "ann", "--confirm", "ann"]);
        } else {
            delete_records(&home, "/a", "Ann");
        }
        for (number, export) in exports.iter().enumerate() {
            let file = write(&home, "later.json", export);
            for namespace in ["/a", "/b"] {
                let counted = import_into(&home, "mem0", &file, namespace, &[]);
                assert_eq!(counted, [0, 0, 0], "{reach} {number} {namespace}");
            }
        }
        // Another person's item may have the same text, and another text is another item.
        let ben = write(&home, "ben.json", r#"[{"id":"m-2","memory":"Ann keeps bees.","user_id":"ben"}]"#);
        assert_eq!(import_into(&home, "mem0", &ben, "/b", &[]), [1, 0, 0], "{reach}");
        // An explicit restoration applies under any id.
        let renamed = write(&home, "renamed.json", &exports[1]);
        assert_eq!(import_into(&home, "mem0", &renamed, "/c", &["--force"]), [1, 0, 0], "{reach}");
        assert_eq!(import_into(&home, "mem0", &renamed, "/d", &[]), [1, 0, 0], "{reach}");
    }
}

#[test]
fn an_item_of_nobody_that_was_deleted_keeps_nobody_elses_away() {
    let home = home();
    let unowned = |id: &str| json!([{ "id": id, "memory": "Bees sleep in winter." }]).to_string();
    let owned = |id: &str, owner: &str| {
        json!([{ "id": id, "memory": "Bees sleep in winter.", "user_id": owner }]).to_string()
    };
    let first = write(&home, "first.json", &unowned("m-1"));
    assert_eq!(import_into(&home, "mem0", &first, "/a", &[]), [1, 0, 0]);
    delete_records(&home, "/a", "Bees");
    for (export, namespace, expect) in [
        (unowned("m-1"), "/b", [0, 0, 0]),
        (unowned("m-9"), "/b", [0, 0, 0]),
        (owned("m-2", "ann"), "/c", [1, 0, 0]),
        (owned("m-3", "ben"), "/d", [1, 0, 0]),
    ] {
        let file = write(&home, "later.json", &export);
        assert_eq!(import_into(&home, "mem0", &file, namespace, &[]), expect, "{export}");
    }
}

#[test]
fn an_export_of_a_record_does_not_bring_it_back() {
    let home = home();
    let file = write(&home, "one.json", r#"[{"id":"m-1","memory":"Ann keeps bees."}]"#);
    assert_eq!(import_into(&home, "mem0", &file, "/a", &[]), [1, 0, 0]);
    home.ok(&["record", "create", "--memory", "notes", "--namespace", "/a", "The port is 8080."]);
    export(&home, "mem0", "/a", "export.json");
    delete_records(&home, "/a", "port");
    let exported = home.path("export.json").display().to_string();
    assert_eq!(import_into(&home, "mem0", &exported, "/b", &[]), [1, 0, 0]);
    let listed = home.ok(&["record", "list", "--memory", "notes", "--json"]);
    assert!(!listed.contains("8080"), "{listed}");
}

#[test]
fn records_of_an_earlier_version_are_known_where_they_lie() {
    let home = home();
    let server = home.serve(&[]);
    let file = write(&home, "ann.json", r#"[{"memory":"Ann keeps bees.","user_id":"ann"}]"#);
    // The digest of the record that the item becomes in this namespace.
    let digest = "f2cf3c82212dc50f53391467dc4fd4383b8171ac004bbfd5b8be1d79d0490546";
    let metadata = json!({ "user_id": "ann", "import_format": "mem0", "import_digest": digest,
        "import_id": format!("sha256:{digest}") });
    let record = json!({ "namespace": "/a", "text": "Ann keeps bees.", "metadata": metadata });
    let body = json!({ "records": [record] }).to_string();
    let (status, made) = send(&server, "POST", "/v1/memories/notes/records", "", &body);
    assert_eq!(status, 201, "{made}");
    assert_eq!(import_into(&home, "mem0", &file, "/a", &[]), [0, 0, 1]);
    delete_records(&home, "/a", "Ann");
    assert_eq!(import_into(&home, "mem0", &file, "/a", &[]), [0, 0, 0]);
}
