//! A folder and a database that the program wrote before products were crates: both open, and
//! answer each question as that program did. Events are not among the answers, because they expire.
//!
//! `former_stores/` contains the folder's database, the database's dump, and the answers of that
//! program for both.

use std::io::Read as _;

use flate2::read::GzDecoder;
use loci_pgserver::PostgresServer;
use serde_json::Value;

use crate::program::Home;

const FOLDER: &[u8] = include_bytes!("former_stores/loci.db.gz");
const DATABASE: &[u8] = include_bytes!("former_stores/database.sql.gz");
const ANSWERS: &str = include_str!("former_stores/answers.json");
/// The maximum number of bytes per call of `psql`.
const STATEMENTS_BYTES: usize = 60_000;

fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut bytes).unwrap();
    bytes
}

/// Repeats all questions, and compares the answers.
fn answers_alike(ask: impl Fn(&[&str]) -> String) {
    let asked: Vec<Value> = serde_json::from_str(ANSWERS).unwrap();
    assert_eq!(asked.len(), 17);
    for one in asked {
        let arguments: Vec<&str> =
            one["arguments"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let answer = match arguments.first() {
            Some(&"export") => Value::Array(exported(&ask(&arguments))),
            _ => serde_json::from_str(&ask(&[&arguments[..], &["--json"]].concat())).unwrap(),
        };
        assert_eq!(answer, one["answer"], "{arguments:?}");
    }
}

/// Returns the sorted lines of an export, without its time and without events.
fn exported(text: &str) -> Vec<Value> {
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let mut lines: Vec<Value> = lines
        .filter(|line: &Value| !matches!(line["type"].as_str(), Some("header" | "event" | "end")))
        .collect();
    lines.sort_by_cached_key(sorted);
    lines
}

/// Returns a value as text with sorted members.
fn sorted(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            let members = members.iter().map(|(name, value)| format!("{name:?}: {}", sorted(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(sorted).collect::<Vec<_>>().join(", ")),
        plain => plain.to_string(),
    }
}

#[test]
fn a_former_folder_answers_alike() {
    let home = Home::new();
    std::fs::create_dir(home.path("data")).unwrap();
    std::fs::write(home.path("data/loci.db"), unpacked(FOLDER)).unwrap();
    answers_alike(|arguments| home.ok(arguments));
}

#[test]
fn a_former_database_answers_alike() {
    let server = PostgresServer::shared().unwrap();
    let url = server.fresh_database().unwrap();
    let name = url.rsplit('/').next().unwrap_or_default();
    let dump = String::from_utf8(unpacked(DATABASE)).unwrap();
    let mut statements = String::from("SET client_min_messages = warning;\n");
    for statement in dump.split_inclusive(";\n") {
        if statements.len() + statement.len() > STATEMENTS_BYTES {
            server.sql(name, &statements).unwrap();
            statements.clear();
        }
        statements.push_str(statement);
    }
    server.sql(name, &statements).unwrap();
    let home = Home::new();
    answers_alike(|arguments| {
        let output = home.command(arguments).env("LOCI_STORE", &url).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    });
}
