//! `loci migrate`: whole stores from folders to a database and back, killed on the way, and
//! rejections with their messages.

use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::Arc;

use loci_app::wiring::store::StorePlan;
use loci_engine_testkit::postgres::PostgresServer;
use loci_model::MemoryId;
use loci_model::ports::store::{Store, StoreExt};
use loci_store_conformance::filled_store;
use loci_testkit_ports::samples;
use serde_json::Value;

use crate::program::Home;

/// A password in each address, which is never printed.
const PASSWORD: &str = "hunter2secret";
/// Records of a memory in addition to those of `filled`.
const RECORDS: u32 = 400;
/// The number of its rows in the database at the kill.
const ROWS_BEFORE_KILL: u32 = 30;

/// Returns the address of a folder.
fn folder(path: &Path) -> String {
    format!("sqlite:{}", path.display())
}

/// Creates two memories with all kinds of data in this data folder.
fn fill(data: &Path) -> MemoryId {
    let store: Arc<dyn Store> = StorePlan::folder_at(data).open().unwrap();
    let memory = filled_store::fill(&store, "full").unwrap();
    filled_store::more_records(&store, &memory, RECORDS).unwrap();
    filled_store::fill(&store, "other").unwrap();
    store.close();
    memory
}

/// Stores an event without running jobs.
fn write_once_more(data: &Path, memory: &MemoryId) {
    let store: Arc<dyn Store> = StorePlan::folder_at(data).open().unwrap();
    let event = samples::event(memory, "ann", "s1", 777).unwrap();
    loci_testkit_ports::block_on(store.write(move |tx| tx.events_mut().insert(&event).map(drop))).unwrap();
    store.close();
}

/// Creates a database. Returns its name, and its address with a password that the server does not
/// check.
fn database(server: &PostgresServer) -> (String, String) {
    let url = server.fresh_database().unwrap();
    let name = url.rsplit('/').next().unwrap().to_owned();
    (name, url.replacen('@', &format!(":{PASSWORD}@"), 1))
}

fn migrate(home: &Home, stores: [&str; 2], further: &[&str], variables: &[(&str, &str)]) -> Output {
    let arguments = [&["migrate", "--from", stores[0], "--to", stores[1]], further].concat();
    let output = home.command(&arguments).envs(variables.iter().copied()).output().unwrap();
    for said in [&output.stdout, &output.stderr] {
        let said = String::from_utf8_lossy(said);
        assert!(!said.contains(PASSWORD), "{arguments:?}: {said}");
    }
    output
}

fn answer(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[track_caller]
fn fails(output: &Output, code: i32, words: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(words), "{said}");
}

/// Returns the checksums of all parts on one side, by kind.
fn sums(answer: &Value, side: &str) -> Vec<String> {
    let places = answer["places"].as_array().unwrap().iter();
    let kinds = places.flat_map(|place| {
        let of = place["memory"].to_string();
        let kinds = place["kinds"].as_array().unwrap().iter();
        kinds.map(move |kind| format!("{of} {} {}", kind["kind"], kind[side]))
    });
    kinds.collect()
}

fn rows(answer: &Value) -> u64 {
    let kinds =
        answer["places"].as_array().unwrap().iter().flat_map(|place| place["kinds"].as_array().unwrap());
    kinds.map(|kind| kind["to"]["rows"].as_u64().unwrap()).sum()
}

#[test]
fn into_a_database_killed_on_the_way_and_back() {
    let server = PostgresServer::shared().unwrap();
    let home = Home::new();
    home.json(&["key", "create", "admin"]);
    fill(&home.path("data"));
    let (name, address) = database(server);
    let variables = [("TARGET_STORE", address.as_str())];
    let (data, back) = (folder(&home.path("data")), folder(&home.path("back")));
    kill_on_the_way(&home, server, &name, &address);

    let there = answer(&migrate(&home, [&data, "env:TARGET_STORE"], &["--json"], &variables));
    assert_eq!(there["same"], true, "{there}");
    let copied = there["copied"].as_u64().unwrap();
    assert!(copied > 0 && copied + u64::from(ROWS_BEFORE_KILL) <= rows(&there), "{there}");
    assert_eq!(sums(&there, "from"), sums(&there, "to"));
    let again = answer(&migrate(&home, ["env:TARGET_STORE", &back], &["--json"], &variables));
    let compared = answer(&migrate(&home, [&data, &back], &["--verify-only", "--json"], &[]));
    for other in [&again, &compared] {
        assert_eq!(sums(&there, "from"), sums(other, "to"), "the same checksums all the way");
    }
    assert_eq!(compared["copied"], 0);
}

/// Migrates row by row, and kills the process when some are copied.
fn kill_on_the_way(home: &Home, server: &PostgresServer, name: &str, address: &str) {
    let data = folder(&home.path("data"));
    let arguments = ["migrate", "--from", &data, "--to", "env:TARGET_STORE", "--batch", "1"];
    let mut command = home.command(&arguments);
    command.env("TARGET_STORE", address).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    loop {
        // Before the schema exists there are no rows.
        let count = server.sql(name, "SELECT count(*) FROM loci.records").unwrap_or_default();
        if count.trim().parse::<u32>().unwrap_or(0) >= ROWS_BEFORE_KILL {
            break;
        }
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
    }
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None, "it was killed");
    let seen = server.sql(name, "SELECT count(*) FROM loci.memories WHERE deleted IS NULL").unwrap();
    assert_eq!(seen.trim(), "0", "half a memory is not seen");
}

#[test]
fn from_folder_to_folder_with_the_master_key_and_differences() {
    let home = Home::new();
    home.json(&["key", "create", "admin"]);
    let memory = fill(&home.path("data"));
    let (data, copy) = (folder(&home.path("data")), folder(&home.path("copy")));
    let output = migrate(&home, [&data, &copy], &[], &[]);
    assert!(
        output.status.success() && String::from_utf8_lossy(&output.stdout).contains("moved"),
        "{output:?}"
    );
    assert!(String::from_utf8_lossy(&output.stderr).contains("copied master.key"), "{output:?}");
    let key = |place: &str| std::fs::read(home.path(place).join("master.key")).unwrap();
    assert_eq!(key("copy"), key("data"));

    write_once_more(&home.path("data"), &memory);
    let replace = format!("--replace {memory}");
    fails(&migrate(&home, [&data, &copy], &["--verify-only"], &[]), 5, &replace);
    fails(&migrate(&home, [&data, &copy], &[], &[]), 4, &replace);
    let unknown = "--replace: the source has no memory named nothing";
    fails(&migrate(&home, [&data, &copy], &["--replace", "nothing"], &[]), 3, unknown);
    let replaced = answer(&migrate(&home, [&data, &copy], &["--replace", "full", "--json"], &[]));
    assert_eq!((&replaced["same"], &replaced["places"][0]["outcome"]), (&true.into(), &"moved".into()));
    assert_eq!(replaced["places"][1]["outcome"], "same", "{replaced}");
}

#[test]
fn what_is_no_source_is_refused_and_not_made() {
    let server = PostgresServer::shared().unwrap();
    let home = Home::new();
    fill(&home.path("data"));
    let (data, missing) = (folder(&home.path("data")), folder(&home.path("missing")));
    fails(&migrate(&home, [&missing, &data], &[], &[]), 3, "no data folder");
    fails(&migrate(&home, [&data, &missing], &["--verify-only"], &[]), 3, "no data folder");
    assert!(!home.path("missing").exists());
    let (name, address) = database(server);
    let mistyped = format!("{address}?schema=mistyped");
    fails(&migrate(&home, [&mistyped, &missing], &[], &[]), 3, "schema mistyped");
    fails(&migrate(&home, [&data, &mistyped], &["--verify-only"], &[]), 3, "schema mistyped");
    let count = server.sql(&name, "SELECT count(*) FROM pg_namespace WHERE nspname = 'mistyped'").unwrap();
    assert_eq!(count.trim(), "0");
    assert!(!home.path("missing").exists(), "no target for what is no source");

    fails(&migrate(&home, ["env:NOT_SET", &data], &[], &[]), 2, "NOT_SET");
    fails(&migrate(&home, [&data, "mysql://x"], &[], &[]), 2, "--to");
    let away = format!("postgres://ann:{PASSWORD}@127.0.0.1:1/x?patience_ms=0");
    fails(&migrate(&home, [&data, &away], &[], &[]), 1, "--to");
}

#[test]
fn what_is_one_store_or_in_use_is_refused() {
    let server = PostgresServer::shared().unwrap();
    let home = Home::new();
    fill(&home.path("data"));
    let data = folder(&home.path("data"));
    std::os::unix::fs::symlink(home.path("data"), home.path("link")).unwrap();
    fails(&migrate(&home, [&data, &folder(&home.path("link"))], &[], &[]), 2, "the same store");
    fails(&migrate(&home, [&data, &format!("{data}/.")], &["--verify-only"], &[]), 2, "the same store");
    let (_, address) = database(server);
    answer(&migrate(&home, [&data, &address], &["--json"], &[]));
    let respelled = address.replace("127.0.0.1", "localhost");
    for further in [&[][..], &["--verify-only"]] {
        fails(&migrate(&home, [&address, &respelled], further, &[]), 2, "the same store");
    }

    let other = Home::new();
    other.ok(&["memory", "create", "full"]);
    fails(&migrate(&home, [&data, &folder(&other.path("data"))], &[], &[]), 4, "of the name of");
    let serving = other.serve(&[]);
    let [from, to] = ["data", "new"].map(|name| folder(&other.path(name)));
    fails(&migrate(&other, [&from, &to], &[], &[]), 4, "a server runs on");
    assert!(!other.path("new").exists());
    drop(serving);
}

#[test]
fn what_was_erased_stays_erased_where_it_is_moved_to() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    let said = home.path("said.txt");
    std::fs::write(&said, "# session s 2026-01-02T10:00:00Z\nUser: I keep bees.\nAssistant: Noted.\n")
        .unwrap();
    let said = said.to_str().unwrap();
    home.ok(&["import", "--format", "transcript", "--memory", "notes", "--actor", "mara", said]);
    let early = home.path("early.jsonl");
    let early = early.to_str().unwrap();
    home.ok(&["export", "--memory", "notes", early]);
    home.ok(&["forget", "--memory", "notes", "--actor", "mara", "--confirm", "mara"]);
    home.ok(&["memory", "delete", "notes", "--yes"]);
    // Only the tombstones remain to be copied.
    let [data, copy] = ["data", "copy"].map(|name| folder(&home.path(name)));
    answer(&migrate(&home, [&data, &copy], &["--json"], &[]));
    let there = |arguments: &[&str]| {
        answer(&home.command(&[arguments, &["--json"]].concat()).env("LOCI_STORE", &copy).output().unwrap())
    };
    let found = there(&["doctor", "--offline"]);
    let key = found["findings"].as_array().unwrap().iter().find(|one| one["name"] == "master key").unwrap();
    assert_eq!(key["ok"], true, "{key}");
    let told = there(&["import", "--format", "jsonl", early]);
    assert_eq!((&told["events"], &told["erased_events"]), (&0.into(), &2.into()), "{told}");
}

#[test]
fn a_backup_is_restored_where_the_store_is() {
    let home = Home::new();
    fill(&home.path("data"));
    let file = home.path("backup.db");
    home.ok(&["backup", file.to_str().unwrap()]);
    let fresh = Home::new();
    let restore = |store: &str| {
        fresh.command(&["restore", file.to_str().unwrap()]).env("LOCI_STORE", store).output().unwrap()
    };
    fails(&restore("postgres://127.0.0.1:1/agents"), 4, "pg_dump");
    assert!(!fresh.path("data").exists());
    assert!(restore(&folder(&fresh.path("named"))).status.success());
    assert!(fresh.path("named/loci.db").exists() && !fresh.path("data").exists());
}
