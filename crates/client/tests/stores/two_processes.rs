//! Notes that two processes write concurrently. The other processes are this test's own binary, run
//! for its ignored test [`writers`] in a folder of its own. The file `task` there names the notes
//! and the writers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use futures::executor::block_on;
use loci_client::agent::stores::{FileStore, FileStoreOptions};
use loci_client::agent::{MemoryStore, NewEntry};

const WRITERS: usize = 4;
const APPENDS: usize = 200;
/// A text that exceeds the maximum of a file name.
const PREFIX: &str = "The harbour office opens its doors at nine o'clock in the";

fn store(directory: &Path) -> FileStore {
    let directory = directory.to_owned();
    FileStore::new(FileStoreOptions { directory, ..FileStoreOptions::new("notes") }).unwrap()
}

/// Starts a process with four writers, which wait for a signal.
fn process(folder: &Path, first_writer: usize) -> Child {
    let own = folder.join(format!("process-{first_writer}"));
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("task"), format!("{} {first_writer}", folder.display())).unwrap();
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "two_processes::writers", "--ignored", "--nocapture", "--test-threads=1"])
        .current_dir(&own)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until a process reports that it is ready, after the output of the test harness.
fn is_ready(process: &mut Child) -> bool {
    let output = BufReader::new(process.stdout.as_mut().unwrap());
    output.lines().any(|line| line.unwrap().trim().ends_with("> ready"))
}

#[test]
fn eight_writers_of_two_processes_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut processes = [0, WRITERS].map(|first| process(folder.path(), first));
    assert!(processes.iter_mut().all(is_ready));
    for process in &mut processes {
        writeln!(process.stdin.as_mut().unwrap(), "go").unwrap();
    }
    for mut process in processes {
        assert!(process.wait().unwrap().success());
    }
    let notes = folder.path().join("notes");
    let text = fs::read_to_string(notes.join("log.md")).unwrap();
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for line in text.lines() {
        *times.entry(line).or_default() += 1;
    }
    let mut expect: BTreeMap<String, usize> = BTreeMap::from([("# Log".to_owned(), 1)]);
    for writer in 0..2 * WRITERS {
        expect.extend((0..APPENDS).map(|number| (format!("- {writer} wrote {number}"), 1)));
    }
    assert_eq!(expect.len(), 1601);
    expect.extend((0..APPENDS).map(|number| (format!("- all wrote {number}"), 1)));
    let times: BTreeMap<String, usize> =
        times.into_iter().map(|(line, times)| (line.to_owned(), times)).collect();
    assert_eq!(times, expect, "each line once");
    // The lines of one writer are in the order of their writing.
    for writer in 0..2 * WRITERS {
        let start = format!("- {writer} wrote ");
        let numbers: Vec<usize> = text
            .lines()
            .filter_map(|line| line.strip_prefix(&start))
            .map(|number| number.parse().unwrap())
            .collect();
        assert!(numbers.is_sorted(), "{writer}");
    }
    // Facts with equal names each have a file.
    let facts: BTreeSet<String> = fs::read_dir(&notes)
        .unwrap()
        .map(|file| file.unwrap())
        .filter(|file| file.file_name().to_string_lossy().starts_with("the-harbour-office"))
        .map(|file| fs::read_to_string(file.path()).unwrap())
        .collect();
    let expect: BTreeSet<String> =
        (0..2 * WRITERS).map(|writer| format!("{PREFIX} year {writer}\n")).collect();
    assert_eq!(facts, expect);
}

/// The work of the other processes, not a test of its own.
#[test]
#[ignore = "run by the test of this file in processes of its own"]
fn writers() {
    let task = fs::read_to_string("task").unwrap();
    let (directory, first) = task.rsplit_once(' ').unwrap();
    let first: usize = first.parse().unwrap();
    println!("> ready");
    assert_eq!(std::io::stdin().lines().next().unwrap().unwrap(), "go");
    std::thread::scope(|scope| {
        for writer in first..first + WRITERS {
            // Each writer has its own store, as several agents have.
            let store = store(Path::new(directory));
            scope.spawn(move || {
                let add = |text: String| block_on(store.add(&NewEntry::text(text))).unwrap();
                for number in 0..APPENDS {
                    // A line of the writer's own, and one that all writers add.
                    add(format!("# Log\n- {writer} wrote {number}\n- all wrote {number}"));
                }
                add(format!("{PREFIX} year {writer}"));
            });
        }
    });
}
