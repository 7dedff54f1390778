//! A spool that a newer version has written. This version neither sends unreadable content as
//! something else, nor loses it, nor counts it as lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use futures::executor::block_on;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::agent::coordinator::*;
use crate::agent::tests::log::logged;
use crate::agent::tests::test_runtime::surroundings;
use crate::agent::tests::test_store::{ReceivedContents, TestStore};
use crate::agent::{MemoryManager, Message, NewEntry};

/// Returns the directory of the run that the newer version left in a spool.
fn run_of_before(spool: &Path) -> PathBuf {
    spool.join("runs").join("before")
}

/// Writes such a run with the given lines.
fn leave(spool: &Path, messages: &[Value], journal: &[Value]) {
    let lines = |values: &[Value]| values.iter().map(|value| format!("{value}\n")).collect::<String>();
    let run = run_of_before(spool);
    fs::create_dir_all(&run).unwrap();
    fs::write(run.join("messages.jsonl"), lines(messages)).unwrap();
    fs::write(run.join("journal.jsonl"), lines(journal)).unwrap();
}

/// A line of a message that this version can read.
fn said(sequence: u64) -> Value {
    json!({ "sequence": sequence, "message": Message::user(format!("m{sequence}")) })
}

/// A line of a message with a block that only the newer version knows.
fn newer(sequence: u64) -> Value {
    json!({ "sequence": sequence, "message": { "role": "user", "content": [{ "hologram": "m" }] } })
}

fn begin(store: &str, sequences: &[u64], entries: Value) -> Value {
    json!({ "begin": { "store": store, "sequences": sequences, "entries": entries } })
}

fn done(store: &str, sequences: &[u64]) -> Value {
    json!({ "done": { "store": store, "sequences": sequences } })
}

/// Makes one entry of each message, and records the messages.
struct Each(Arc<Mutex<Vec<String>>>);

impl Extractor for Each {
    fn name(&self) -> &str {
        "each"
    }

    fn extract<'a>(&'a self, messages: &'a [Message]) -> BoxFuture<'a, Result<Vec<NewEntry>, ExtractError>> {
        let texts: Vec<String> = messages.iter().map(Message::joined_text).collect();
        self.0.lock().unwrap().extend(texts.iter().cloned());
        let entries = texts.iter().map(|text| NewEntry::text(format!("anew {text}"))).collect();
        Box::pin(async { Ok(entries) })
    }
}

#[test]
fn entries_are_sent_only_for_the_messages_they_were_made_of() {
    let check = |journal: &[Value], added: &[&str], asked_of: &[&str]| {
        let spool = tempfile::tempdir().unwrap();
        leave(spool.path(), &[said(0), said(1)], &[&[json!({ "stores": ["s"] })], journal].concat());
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let extractor = Arc::new(Each(Arc::clone(&asked)));
        let config = ExtractionConfig { extractor: Some(extractor), ..ExtractionConfig::default() };
        let store = TestStore::adding("s").extracting(config);
        let kept = store.kept.clone();
        let builder = MemoryManager::builder(surroundings().outside).store(store).spool(spool.path());
        let manager = block_on(builder.build()).unwrap();
        assert!(block_on(manager.coordinator().flush()).is_empty());
        assert_eq!((kept.add_calls(), asked.lock().unwrap().clone()), (owned(added), owned(asked_of)));
        assert!(!run_of_before(spool.path()).exists(), "all of it is done");
    };
    let entry = |text: &str| json!([{ "content": text }]);
    let newer = || json!([{ "content": { "rich": "m0" } }]);
    check(&[begin("s", &[0], entry("m0")), begin("s", &[1], entry("m1"))], &["m0", "m1"], &[]);
    // The line after an unreadable one belongs to other messages, to another store, or to more
    // messages.
    check(&[begin("s", &[0], newer()), begin("s", &[1], entry("m1"))], &["anew m0", "m1"], &["m0"]);
    let others = [begin("t", &[0, 1], entry("of t")), done("t", &[0, 1])];
    let journal = [&[begin("s", &[0, 1], newer())], &others[..]].concat();
    check(&journal, &["anew m0", "anew m1"], &["m0", "m1"]);
    let more = begin("s", &[0, 1], entry("both"));
    check(&[more, begin("s", &[0], newer())], &["anew m0", "anew m1"], &["m0", "m1"]);
    check(&[begin("s", &[0, 1], newer())], &["anew m0", "anew m1"], &["m0", "m1"]);
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Returns the messages that a process sends of a spool, their ranges, and its log lines about
/// unreadable messages.
fn started_over(spool: &Path) -> (Vec<String>, Vec<String>, Vec<String>) {
    let kept = ReceivedContents::default();
    let config =
        ExtractionConfig { triggers: Some(vec![Arc::new(Invocation)]), ..ExtractionConfig::default() };
    let store = TestStore::taking("s").extracting(config).with(kept.clone());
    let builder = MemoryManager::builder(surroundings().outside).store(store).spool(spool);
    let ((), lines) = logged(|| {
        let manager = block_on(builder.build()).unwrap();
        assert!(block_on(manager.coordinator().close()).is_empty(), "nothing waits, nothing is lost");
    });
    let ranges = kept.tokens().iter().map(|token| token.split_once('-').unwrap().1.to_owned()).collect();
    (kept.texts(), ranges, lines)
}

#[test]
fn messages_that_cannot_be_read_are_kept_and_told_of_once_a_start() {
    let spool = tempfile::tempdir().unwrap();
    let begun = json!({ "begin": { "store": "s", "sequences": [0, 1, 2] } });
    let journal = [json!({ "stores": ["s"] }), begun];
    leave(spool.path(), &[said(0), newer(1), said(2), said(3), newer(4), said(5)], &journal);
    let file = run_of_before(spool.path()).join("messages.jsonl");
    let told = format!(
        "WARN file=<{}>, messages=<2> | messages of the spool are not readable by this version and are kept: update Loci, or give them up by removing the file once the others in it are sent",
        file.display()
    );
    let (texts, ranges, lines) = started_over(spool.path());
    assert_eq!((texts, ranges), (owned(&["m0", "m2", "m3", "m5"]), owned(&["0-0", "2-2", "3-5"])));
    assert_eq!(lines, std::slice::from_ref(&told));
    let (texts, _, lines) = started_over(spool.path());
    assert_eq!((texts, lines), (Vec::new(), vec![told]), "they are there still");
    // A version that can read them.
    let text = fs::read_to_string(&file).unwrap().replace("hologram", "text");
    fs::write(&file, text).unwrap();
    let (texts, _, lines) = started_over(spool.path());
    assert_eq!((texts, lines), (owned(&["m", "m"]), Vec::new()));
    assert!(!run_of_before(spool.path()).exists());
}

#[test]
fn messages_that_cannot_be_read_are_no_matter_once_they_are_done_or_given_up() {
    let check = |journal: &[Value], is_given_up: bool| {
        let spool = tempfile::tempdir().unwrap();
        leave(spool.path(), &[newer(0)], journal);
        if is_given_up {
            fs::remove_file(run_of_before(spool.path()).join("messages.jsonl")).unwrap();
        }
        assert_eq!(started_over(spool.path()), (Vec::new(), Vec::new(), Vec::new()));
        assert!(!run_of_before(spool.path()).exists());
    };
    let stores = json!({ "stores": ["s"] });
    check(std::slice::from_ref(&stores), true);
    check(&[stores, done("s", &[0])], false);
}
