//! Several processes on one folder, and killed processes. The other processes are this test binary,
//! run with its ignored test [`worker`] in a separate folder whose file `task` contains the
//! instructions.
#![expect(clippy::unwrap_used, reason = "a failure of the folder under test is the test's failure")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

use loci_model::MemoryId;
use loci_model::ports::search::CandidateRequest;
use loci_model::ports::store::{Store, StoreExt};
use loci_model::record::RecordState;
use loci_model::record::scope::RecordScope;
use loci_model::record::telemetry::StateChange;
use loci_store_conformance::succession;
use loci_store_sqlite::{SqliteOptions, SqliteStore};
use loci_testkit_ports::{block_on, samples};

fn open(folder: &Path) -> Arc<dyn Store> {
    SqliteStore::open(SqliteOptions::new(folder)).unwrap()
}

fn memory() -> MemoryId {
    samples::memory("notes").unwrap().id
}

/// Writes an event, a record, a telemetry row, and a fact that supersedes another.
fn put(store: &Arc<dyn Store>, number: u32) {
    let memory = memory();
    block_on(store.write(move |tx| {
        let event = samples::event(&memory, "ann", "s1", i64::from(number))?;
        tx.events_mut().insert(&event)?;
        let record = samples::record(&memory, number, &format!("word{number} and others"))?;
        tx.records_mut().insert(&record)?;
        tx.telemetry_mut().append(&StateChange {
            memory: memory.clone(),
            record: record.id,
            version: 1,
            from: None,
            to: RecordState::Active,
            reason: "written".into(),
            by: "test".into(),
            at: samples::time(0),
        })?;
        succession::succeed(tx, &memory, number)
    }))
    .unwrap();
}

/// True if the record can be read, and found by its word.
fn find(store: &Arc<dyn Store>, number: u32) -> bool {
    let id = samples::record_id(number).unwrap();
    let (place, wanted) = (memory(), id.clone());
    let read = block_on(store.read(move |tx| tx.records().get(&place, &wanted))).unwrap().is_some();
    let request = CandidateRequest {
        scope: RecordScope::whole(memory(), samples::time(1_000_000)),
        terms: loci_text::terms(&format!("word{number}")),
        vector: None,
        earlier: None,
        lists: None,
    };
    let found = block_on(store.search().candidates(request)).unwrap();
    read && found.candidates.iter().any(|candidate| candidate.record == id)
}

fn rows(store: &Arc<dyn Store>) -> (u64, u64, u64) {
    let place = memory();
    block_on(store.read(move |tx| {
        let records = tx.records().count(&RecordScope::whole(place.clone(), samples::time(1_000_000)))?;
        let events = tx.events().export(&place, 0, usize::MAX, samples::time(0))?;
        let all = tx.records().export(&place, None, usize::MAX)?;
        let mut telemetry = 0;
        for record in &all {
            telemetry += tx.telemetry().of_record(&place, &record.id)?.len();
        }
        Ok((records, events.len() as u64, telemetry as u64))
    }))
    .unwrap()
}

/// Returns the number of facts; one of them is active.
fn facts(store: &Arc<dyn Store>) -> u64 {
    let place = memory();
    block_on(store.read(move |tx| succession::successions(tx, &place))).unwrap()
}

fn assert_index_equals_rebuild(store: &Arc<dyn Store>) {
    let memory = memory();
    let info = |rebuilt| block_on(store.search().info(&memory, rebuilt)).unwrap();
    let (kept, fresh) = (info(false), info(true));
    assert_eq!((kept.digest, kept.sequence), (fresh.digest, fresh.sequence));
}

struct Worker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Worker {
    fn start(place: &Path, name: &str, task: &str) -> Self {
        let folder = place.join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("task"), task).unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "worker", "--ignored", "--nocapture", "--test-threads=1"])
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    /// Returns the next response, without the output of the test harness; `None` at the end.
    fn answer(&mut self) -> Option<String> {
        let mut line = String::new();
        while self.output.read_line(&mut line).unwrap() > 0 {
            if let Some((_, answer)) = line.trim().split_once("> ") {
                return Some(answer.to_owned());
            }
            line.clear();
        }
        None
    }

    fn ask(&mut self, order: &str) -> String {
        writeln!(self.input, "{order}").unwrap();
        self.answer().unwrap()
    }

    fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        // Its output before its death counts as acknowledged.
        std::iter::from_fn(|| self.answer()).collect()
    }
}

/// The program of the other processes; not a test.
#[test]
#[ignore = "run by the tests of this file in processes of its own"]
fn worker() {
    let task = std::fs::read_to_string("task").unwrap();
    let store = open(&PathBuf::from("../data"));
    match task.split_once(' ').unwrap() {
        ("serve", _) => {
            println!("> ready");
            for line in std::io::stdin().lines() {
                let line = line.unwrap();
                let (order, number) = line.split_once(' ').unwrap();
                match (order, number.parse::<u32>().unwrap()) {
                    ("put", number) => {
                        put(&store, number);
                        println!("> ok");
                    }
                    ("find", number) => println!("> {}", find(&store, number)),
                    ("host", _) => println!("> {}", store.try_host().unwrap()),
                    (other, _) => panic!("{other}"),
                }
            }
        }
        ("flood", rest) => {
            let (first, count) = rest.split_once(' ').unwrap();
            let (first, count): (u32, u32) = (first.parse().unwrap(), count.parse().unwrap());
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    let store = &store;
                    scope.spawn(move || {
                        for number in (first..first + count).filter(|number| number % 4 == thread) {
                            put(store, number);
                            println!("> {number}");
                        }
                    });
                }
            });
        }
        (other, _) => panic!("{other}"),
    }
}

/// Returns a folder with the memory.
fn prepared() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let store = open(&place.path().join("data"));
    block_on(store.write(|tx| tx.memories_mut().insert(&samples::memory("notes")?))).unwrap();
    place
}

#[test]
fn each_process_reads_what_the_others_wrote() {
    let place = prepared();
    let mut workers: Vec<Worker> =
        (0..3).map(|number| Worker::start(place.path(), &format!("w{number}"), "serve 0")).collect();
    workers.iter_mut().for_each(|worker| assert_eq!(worker.answer().unwrap(), "ready"));
    for number in 0..24_usize {
        let order = format!("put {number}");
        assert_eq!(workers[number % 3].ask(&order), "ok");
        for worker in &mut workers {
            assert_eq!(worker.ask(&format!("find {number}")), "true");
        }
    }
    let hosts: Vec<String> = workers.iter_mut().map(|worker| worker.ask("host 0")).collect();
    assert_eq!(hosts, ["true", "false", "false"]);
    workers.remove(0).kill();
    assert_eq!(workers[0].ask("host 0"), "true", "the host's place is free when it dies");
    workers.into_iter().for_each(|worker| drop(worker.kill()));
}

#[test]
fn four_processes_at_once_lose_nothing() {
    let place = prepared();
    let mut workers: Vec<Worker> = (0..4)
        .map(|number| {
            Worker::start(place.path(), &format!("w{number}"), &format!("flood {} 60", number * 1_000))
        })
        .collect();
    let mut acknowledged = 0;
    for worker in &mut workers {
        acknowledged +=
            std::iter::from_fn(|| worker.answer()).filter(|line| line.parse::<u32>().is_ok()).count();
        assert!(worker.child.wait().unwrap().success());
    }
    assert_eq!(acknowledged, 240);
    let store = open(&place.path().join("data"));
    assert_eq!((rows(&store), facts(&store)), ((240, 240, 240), 240));
    assert_index_equals_rebuild(&store);
}

#[test]
fn killed_processes_lose_nothing_acknowledged() {
    let place = prepared();
    // A surviving process: its index follows the changes through every crash.
    let store = open(&place.path().join("data"));
    for (round, patience) in [3, 17, 40, 41, 90].into_iter().enumerate() {
        let first = 10_000 * u32::try_from(round).unwrap();
        let task = format!("flood {first} 5000");
        let mut worker = Worker::start(place.path(), &format!("w{round}"), &task);
        let mut acknowledged: Vec<String> = (0..patience).map(|_| worker.answer().unwrap()).collect();
        acknowledged.extend(worker.kill());
        for number in acknowledged.iter().filter_map(|line| line.parse().ok()) {
            assert!(find(&store, number), "{number} was acknowledged");
        }
        let (records, events, telemetry) = rows(&store);
        assert_eq!((records, records), (events, telemetry), "no write is there by half");
        assert_eq!(facts(&store), records, "one of the facts is active");
        assert_index_equals_rebuild(&store);
    }
    let check = rusqlite::Connection::open(place.path().join("data/loci.db")).unwrap();
    let verdict: String = check.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
}
