//! Forgetting a person permanently, on the command line and over HTTP: afterwards no file contains
//! a byte of the person, and no import restores erased data.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use crate::native::send;
use crate::program::{Home, Server};

/// A word in all texts, data and names of the person.
const MARK: &str = "zebrafish4711";
/// The person.
const ACTOR: &str = "mara-zebrafish4711";
/// A word in the texts of another person.
const OTHER: &str = "porcupine0815";

/// A server with a memory, and a folder for inputs outside of its data.
struct World {
    home: Home,
    server: Server,
    memory: String,
    inputs: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let home = Home::new();
        let server = home.serve(&[]);
        let made = home.json(&[
            "memory",
            "create",
            "notes",
            "--strategy",
            "semantic",
            "--strategy",
            "user-preference",
        ]);
        let memory = made["id"].as_str().unwrap().to_owned();
        Self { home, server, memory, inputs: tempfile::tempdir().unwrap() }
    }

    fn input(&self, name: &str, text: &str) -> String {
        let path = self.inputs.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn post(&self, path: &str, headers: &str, body: &Value) -> (u16, Value) {
        let path = format!("/v1/memories/{}/{path}", self.memory);
        send(&self.server, "POST", &path, headers, &body.to_string())
    }

    fn said(&self, actor: &str, session: &str, mark: &str) -> String {
        let text = format!(
            "# session {session} 2026-01-02T10:00:00Z\nUser: My key {mark} lies under the pot.\nAssistant: Noted.\n"
        );
        let file = self.input(&format!("{session}.txt"), &text);
        self.home.ok(&["import", "--format", "transcript", "--memory", "notes", "--actor", actor, &file]);
        file
    }
}

/// Returns paths and files beneath a folder that contain a text.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_named = path.file_name().unwrap().to_string_lossy().contains(text);
        let is_in = || {
            std::fs::read(&path)
                .is_ok_and(|bytes| bytes.windows(text.len()).any(|part| part == text.as_bytes()))
        };
        if is_named || (path.is_file() && is_in()) {
            found.push(path.display().to_string());
        }
        if path.is_dir() {
            found.extend(holding(&path, text));
        }
    }
    found
}

fn counts(receipt: &Value) -> Vec<(String, u64)> {
    let kinds = receipt["kinds"].as_array().unwrap().iter();
    let all = kinds.map(|one| (one["kind"].as_str().unwrap().to_owned(), one["count"].as_u64().unwrap()));
    // The pipeline may change these counts meanwhile.
    all.filter(|(kind, _)| !["jobs", "records", "deliveries"].contains(&kind.as_str())).collect()
}

/// Stores all kinds of data of a memory, with and without an event.
fn filled(world: &World) {
    let World { home, server, memory, .. } = world;
    world.said(ACTOR, "kitchen", MARK);
    world.said("ben", "garden", OTHER);
    let record = |namespace: &str, kind: &str, mark: &str| json!({"namespace": namespace, "kind": kind, "text": format!("Likes {mark}.")});
    let records = json!({"records": [
        record(&format!("/users/{ACTOR}/facts"), "fact", MARK),
        record(&format!("/prefs/{ACTOR}"), "preference", MARK),
        record("/users/ben/facts", "fact", OTHER),
    ]});
    let (status, made) = world.post("records", &format!("Idempotency-Key: {MARK}\r\n"), &records);
    assert_eq!((status, &made["failed"]), (201, &json!(0)), "{made}");
    let event =
        json!({"actor": ACTOR, "session": MARK, "payload": [{"message": {"role": "user", "text": MARK}}]});
    let (status, made) = world.post("events", "Idempotency-Key: once\r\n", &event);
    assert_eq!(status, 201, "{made}");
    let mem0 = json!([{"id": "m1", "memory": format!("Keeps {MARK}."), "user_id": ACTOR},
        {"id": "m2", "memory": format!("Keeps {OTHER}."), "user_id": "ben"}]);
    let file = world.input("mem0.json", &mem0.to_string());
    home.ok(&["import", "--format", "mem0", &file, "--memory", "notes"]);
    for (name, kind, path) in [("desk", "dir", "desk"), ("team", "git", "team.git")] {
        let namespace = format!("/users/{ACTOR}");
        let make =
            json!({"name": name, "kind": kind, "path": path, "namespace": namespace, "debounce_ms": 0});
        let (status, made) = world.post("mirrors", "", &make);
        assert_eq!(status, 201, "{made}");
    }
    let path =
        format!("/v1/memories/{memory}/files/knowledge/facts/{MARK}.md?namespace=/users/{ACTOR}&force=1");
    for text in ["first", "second"] {
        let (status, _) =
            send(server, "PUT", &path, "Content-Type: text/markdown\r\n", &format!("{text} {MARK}\n"));
        assert!(status < 300, "{status}");
        for mirror in ["desk", "team"] {
            home.ok(&["mirror", "sync", "--memory", "notes", mirror]);
        }
    }
    let parked = format!("/v1/memories/{memory}/objects/users/{ACTOR}/note");
    let (status, _) = send(server, "PUT", &parked, "", MARK);
    assert!(status < 300, "{status}");
    home.ok(&["search", "--memory", "notes", MARK]);
}

#[test]
fn no_file_holds_a_byte_of_whoever_was_forgotten() {
    let world = World::new();
    let World { home, .. } = &world;
    filled(&world);
    let folder = home.path("");
    assert!(!holding(&folder, MARK).is_empty() && !holding(&folder, OTHER).is_empty());
    let exported = world.inputs.path().join("about.jsonl");
    home.ok(&["export", "--memory", "notes", "--actor", ACTOR, exported.to_str().unwrap()]);
    let about = std::fs::read_to_string(&exported).unwrap();
    assert!(about.lines().any(|line| line.contains(r#""type":"object""#) && line.contains(MARK)), "{about}");
    for said in ["lies under the pot", "Likes", "Keeps", "second"] {
        let lines = about.lines().filter(|line| line.contains(said) && line.contains(MARK)).count();
        assert!(lines > 0, "{said}: {about}");
    }
    assert!(!about.contains(OTHER), "{about}");

    let ask = ["forget", "--memory", "notes", "--actor", ACTOR];
    let refused = home.fails(2, &ask);
    assert!(refused.contains(&format!("--confirm {ACTOR}")) && refused.contains("--dry-run"), "{refused}");
    let (status, refused) = world.post("forget", "", &json!({"actor": ACTOR, "confirm": "ben"}));
    assert_eq!((status, &refused["error"]["field"]), (400, &json!("confirm")), "{refused}");
    let tried = home.json(&[&ask[..], &["--dry-run"]].concat());
    assert_eq!(tried["dry_run"], json!(true), "{tried}");
    assert!(!holding(&folder, MARK).is_empty(), "a dry run changes nothing");
    let receipt = home.json(&[&ask[..], &["--confirm", ACTOR]].concat());
    assert_eq!(counts(&receipt), counts(&tried));
    for (kind, least) in
        [("events", 3), ("preferences", 1), ("documents", 1), ("parked objects", 1), ("request tokens", 2)]
    {
        let found = counts(&receipt).into_iter().find(|(name, _)| name == kind).map(|(_, count)| count);
        assert!(found >= Some(least), "{kind}: {receipt}");
    }

    home.ok(&["export", "--memory", "notes", home.path("after.jsonl").to_str().unwrap()]);
    home.ok(&["backup", home.path("after.db").to_str().unwrap()]);
    assert_eq!(holding(&folder, MARK), Vec::<String>::new(), "{}", home.log());
    // Git's objects are compressed.
    let git = ["-C", "data/mirrors/team.git", "cat-file", "--batch-all-objects", "--batch"];
    let objects = std::process::Command::new("git").current_dir(&folder).args(git).output().unwrap();
    assert!(objects.status.success(), "{objects:?}");
    assert!(!String::from_utf8_lossy(&objects.stdout).contains(MARK), "a commit holds the person");
    let after = std::fs::read_to_string(home.path("after.jsonl")).unwrap();
    assert!(
        after.contains(&format!("Likes {OTHER}")) && after.contains(&format!("Keeps {OTHER}")),
        "{after}"
    );
    let again = home.json(&[&ask[..], &["--dry-run"]].concat());
    assert!(counts(&again).iter().all(|(_, count)| *count == 0), "{again}");
}

/// Creates a mirror of the person's tree.
fn mirror(world: &World, name: &str, kind: &str, direction: &str) {
    let namespace = format!("/users/{ACTOR}");
    let make = json!({"name": name, "kind": kind, "path": name, "namespace": namespace,
        "direction": direction, "debounce_ms": 0});
    let (status, made) = world.post("mirrors", "", &make);
    assert_eq!(status, 201, "{made}");
}

#[test]
fn mirrors_that_could_not_be_brought_up_are_named_and_stay() {
    let world = World::new();
    let World { home, server, memory, .. } = &world;
    for (name, kind, direction) in [
        ("desk", "dir", "two-way"),
        ("shelf", "dir", "two-way"),
        ("team", "git", "export"),
        ("inbox", "dir", "import"),
    ] {
        mirror(&world, name, kind, direction);
    }
    let path =
        format!("/v1/memories/{memory}/files/knowledge/facts/note.md?namespace=/users/{ACTOR}&force=1");
    let (status, _) =
        send(server, "PUT", &path, "Content-Type: text/markdown\r\n", &format!("First {MARK}\n"));
    assert!(status < 300, "{status}");
    for name in ["desk", "shelf", "team", "inbox"] {
        home.ok(&["mirror", "sync", "--memory", "notes", name]);
    }
    let folder = |name: &str| home.path("data/mirrors").join(name);
    let marker = folder("desk").join(".loci-mirror");
    let said = std::fs::read_to_string(&marker).unwrap();
    std::fs::write(&marker, "version 1\nmirror of somebody else\n").unwrap();

    let forget = || home.json(&["forget", "--memory", "notes", "--actor", ACTOR, "--confirm", ACTOR]);
    let listed = || {
        let listed = home.json(&["mirror", "status", "--memory", "notes"]);
        let mirrors = listed["mirrors"].as_array().unwrap().iter();
        mirrors.map(|one| one["name"].as_str().unwrap().to_owned()).collect::<BTreeSet<_>>()
    };
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let receipt = forget();
    let brought_up = receipt["mirrors"].as_array().unwrap();
    assert!(brought_up.len() == 2 && brought_up.contains(&json!("shelf")), "{receipt}");
    assert!(brought_up.contains(&json!("team")), "{receipt}");
    let unreachable = receipt["unreachable"].to_string();
    for told in ["mirror desk, found as not_ours", "mirror inbox: it goes from its files"] {
        assert!(unreachable.contains(told), "{receipt}");
    }
    assert_eq!(listed(), names(&["desk", "inbox"]), "one that is not emptied is not forgotten");
    assert!(!holding(&folder("desk"), MARK).is_empty() && holding(&folder("shelf"), MARK).is_empty());

    // After the repair, the next erasure empties it.
    std::fs::write(&marker, said).unwrap();
    let receipt = forget();
    assert_eq!(receipt["mirrors"], json!(["desk"]), "{receipt}");
    assert!(holding(&folder("desk"), MARK).is_empty());
    assert_eq!(listed(), names(&["inbox"]));
}

#[test]
fn nothing_that_was_erased_comes_back_by_itself() {
    let world = World::new();
    let World { home, .. } = &world;
    let file = world.said("mara", "kitchen", MARK);
    let early = world.inputs.path().join("early.jsonl");
    home.ok(&["export", "--memory", "notes", early.to_str().unwrap()]);
    let event =
        json!({"actor": "mara", "session": "s", "payload": [{"message": {"role": "user", "text": MARK}}]});
    assert_eq!(world.post("events", "Idempotency-Key: once\r\n", &event).0, 201);
    home.ok(&["forget", "--memory", "notes", "--actor", "mara", "--confirm", "mara"]);

    let (status, refused) = world.post("events", "Idempotency-Key: once\r\n", &event);
    assert_eq!((status, &refused["error"]["code"]), (409, &json!("SOURCE_ERASED")), "{refused}");
    let import = ["import", "--format", "transcript", "--memory", "notes", "--actor", "mara", &file];
    let told = home.ok(&import);
    assert!(told.contains("2 turns, 0 events: 2 were erased on 20"), "{told}");
    let listed = ["event", "list", "--memory", "notes", "--actor", "mara", "--session", "kitchen"];
    let count = || home.json(&listed)["events"].as_array().map_or(0, Vec::len);
    let forced = home.ok(&[&import[..], &["--force"]].concat());
    assert!(forced.contains("2 turns, 2 events in"), "{forced}");
    assert_eq!(count(), 2);

    // A single event, deleted manually.
    let one = home.json(&listed)["events"][0]["id"].as_str().unwrap().to_owned();
    home.ok(&["event", "delete", "--memory", "notes", "--actor", "mara", "--session", "kitchen", &one]);
    let told = home.ok(&import);
    assert!(told.contains("0 events, 1 already stored: 1 was erased on 20"), "{told}");
    assert_eq!(count(), 1);

    // A record and a document of other programs.
    let mem0 = world.input(
        "mem0.json",
        r#"[{"id":"m1","memory":"Alex keeps bees."},{"id":"m2","memory":"Alex has a bike."}]"#,
    );
    let import = ["import", "--format", "mem0", mem0.as_str(), "--memory", "notes"];
    home.ok(&import);
    let texts =
        || home.ok(&["record", "list", "--memory", "notes", "--namespace", "/imported/mem0", "--json"]);
    let records: Value = serde_json::from_str(&texts()).unwrap();
    let bees =
        records["records"].as_array().unwrap().iter().find(|one| one["text"] == "Alex keeps bees.").unwrap();
    home.ok(&["record", "delete", "--memory", "notes", bees["id"].as_str().unwrap()]);
    let told = home.ok(&import);
    assert!(told.contains("was erased here on") && told.contains("--force"), "{told}");
    assert!(!texts().contains("bees") && texts().contains("bike"));
    home.ok(&[&import[..], &["--force"]].concat());
    assert!(texts().contains("bees"));

    let okf = world.inputs.path().join("okf");
    std::fs::create_dir(&okf).unwrap();
    std::fs::write(okf.join("tides.md"), "---\ntype: note\ntitle: Tides\n---\n\nTwice a day.\n").unwrap();
    let import = ["import", "--format", "okf", okf.to_str().unwrap(), "--memory", "notes"];
    home.ok(&import);
    let files = || home.ok(&["files", "ls", "--memory", "notes", "--namespace", "/imported/okf", "--json"]);
    let listed: Value = serde_json::from_str(&files()).unwrap();
    let path = listed["entries"]
        .as_array()
        .unwrap()
        .iter()
        .find_map(|one| one["path"].as_str().filter(|path| path.ends_with("tides.md")));
    let path = path.unwrap_or_else(|| panic!("{listed}")).to_owned();
    home.ok(&["files", "rm", "--memory", "notes", "--namespace", "/imported/okf", "--force", &path]);
    let told = home.ok(&import);
    assert!(told.contains("was erased here on"), "{told}");
    assert!(!files().contains("tides.md"));

    // An earlier export, into a memory that was deleted meanwhile.
    home.ok(&["memory", "delete", "notes", "--yes"]);
    let early = early.to_str().unwrap();
    let told = home.json(&["import", "--format", "jsonl", early]);
    assert_eq!((&told["events"], &told["erased_events"]), (&json!(0), &json!(2)), "{told}");
    home.ok(&["memory", "delete", "notes", "--yes"]);
    let forced = home.json(&["import", "--format", "jsonl", early, "--force"]);
    assert_eq!(forced["events"], json!(2), "{forced}");
}
