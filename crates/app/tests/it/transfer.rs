//! Data transfer: export and import, backup and restore, transcripts, forgetting. Nothing is lost
//! and no erased data remains.

use std::collections::BTreeSet;
use std::fs;

use crate::program::Home;

fn filled() -> Home {
    let home = Home::new();
    home.ok(&["memory", "create", "notes", "--strategy", "semantic", "--strategy", "user-preference"]);
    let talk = "# session kitchen 2026-01-02T10:00:00Z\n# speakers: Anna, Ben\nAnna: Did you call the plumber about the boiler?\nBen: Yes. He comes on Thursday at nine in the morning.\nAnna: Good, then I work from home that day.\n";
    fs::write(home.path("talk.txt"), talk).unwrap();
    let file = home.path("talk.txt");
    let arguments = ["import", "--format", "transcript", "--memory", "notes", "--actor", "anna"];
    let report = home.json(&[&arguments[..], &[file.to_str().unwrap()]].concat());
    assert_eq!((report["events"].as_u64(), report["errors"].as_u64()), (Some(3), Some(0)), "{report}");
    assert_eq!(report["format"], "speaker-text");
    home
}

fn texts(home: &Home) -> BTreeSet<String> {
    let list = home.json(&["record", "list", "--memory", "notes"]);
    let records = list["records"].as_array().unwrap();
    records
        .iter()
        .map(|record| format!("{} {} {}", record["id"], record["version"], record["text"]))
        .collect()
}

#[test]
fn a_transcript_is_imported_once() {
    let home = filled();
    let before = texts(&home);
    assert!(before.iter().any(|text| text.contains("Thursday at nine")), "{before:?}");
    let file = home.path("talk.txt");
    home.ok(&[
        "import",
        "--format",
        "transcript",
        "--memory",
        "notes",
        "--actor",
        "anna",
        file.to_str().unwrap(),
    ]);
    assert_eq!(texts(&home), before);
    let events =
        home.json(&["event", "list", "--memory", "notes", "--actor", "anna", "--session", "kitchen"]);
    assert_eq!(events["events"].as_array().unwrap().len(), 3);
}

#[test]
fn an_export_imports_as_it_was() {
    let home = filled();
    let file = home.path("notes.jsonl");
    home.ok(&["export", "--memory", "notes", file.to_str().unwrap()]);
    let first = fs::read_to_string(&file).unwrap();
    let other = Home::new();
    let report = other.json(&["import", "--format", "jsonl", file.to_str().unwrap()]);
    assert_eq!(report["events"], 3, "{report}");
    assert_eq!(texts(&other), texts(&home));
    let again = other.path("again.jsonl");
    other.ok(&["export", "--memory", "notes", again.to_str().unwrap()]);
    assert_eq!(content(&fs::read_to_string(&again).unwrap()), content(&first), "lossless");
    assert!(other.fails(4, &["import", "--format", "jsonl", file.to_str().unwrap()]).contains("notes"));
}

/// Returns lines without server-specific fields: the export time, and the order of its writes.
fn content(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.contains("\"header\""));
    lines
        .map(|line| {
            let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
            if let Some(record) = line.get_mut("record").and_then(serde_json::Value::as_object_mut) {
                record.remove("sequence");
            }
            line.to_string()
        })
        .collect()
}

#[test]
fn a_cut_export_leaves_nothing() {
    let home = filled();
    let file = home.path("notes.jsonl");
    home.ok(&["export", "--memory", "notes", file.to_str().unwrap()]);
    let text = fs::read_to_string(&file).unwrap();
    let whole: Vec<_> = text.lines().collect();
    let other = Home::new();
    for kept in [whole.len() - 1, 3] {
        fs::write(other.path("cut.jsonl"), whole[..kept].join("\n")).unwrap();
        let cut = other.path("cut.jsonl");
        assert!(other.fails(2, &["import", "--format", "jsonl", cut.to_str().unwrap()]).contains("cut off"));
        assert_eq!(other.json(&["memory", "list"])["memories"], serde_json::json!([]));
    }
    other.json(&["import", "--format", "jsonl", file.to_str().unwrap()]);
    other.ok(&["memory", "delete", "notes", "--yes"]);
    other.json(&["import", "--format", "jsonl", file.to_str().unwrap()]);
    assert_eq!(texts(&other), texts(&home), "also where it was deleted before");
}

#[test]
fn a_backup_restores_beside_a_running_server() {
    let home = filled();
    let server = home.serve(&[]);
    let copy = home.path("copy.db");
    home.ok(&["backup", copy.to_str().unwrap()]);
    assert!(home.fails(4, &["restore", copy.to_str().unwrap(), "--force"]).contains("another process"));
    drop(server);
    let other = Home::new();
    other.ok(&["restore", copy.to_str().unwrap()]);
    assert_eq!(texts(&other), texts(&home));
    assert!(other.fails(4, &["restore", copy.to_str().unwrap()]).contains("--force"));
}

#[test]
fn forgetting_leaves_nothing_of_an_actor() {
    let home = filled();
    let receipt = home.json(&["forget", "--memory", "notes", "--actor", "anna", "--confirm", "anna"]);
    assert_eq!(receipt["events"], 3, "{receipt}");
    assert!(receipt["records"].as_u64().unwrap() >= 2, "{receipt}");
    assert!(texts(&home).is_empty());
    let file = home.path("notes.jsonl");
    home.ok(&["export", "--memory", "notes", file.to_str().unwrap()]);
    assert!(!fs::read_to_string(&file).unwrap().contains("plumber"));
}
