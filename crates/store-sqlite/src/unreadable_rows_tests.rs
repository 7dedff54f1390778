//! Rows that were damaged externally: each affects only its own item.

use std::sync::Arc;

use loci_model::job::{DueRule, JobKind, JobState, NewJob};
use loci_model::ports::store::{ActorPage, JobQuery, Store, StoreExt};
use loci_model::{ActorId, JobId, MemoryId, Result};
use loci_testkit_ports::{block_on, samples};
use rusqlite::Connection;

use crate::{SqliteOptions, SqliteStore};

/// A folder with some memories, and direct access to its database.
struct MemoriesFolder {
    _folder: tempfile::TempDir,
    store: Arc<dyn Store>,
    outside: Connection,
}

impl MemoriesFolder {
    fn new(memories: &[&str]) -> (Self, Vec<MemoryId>) {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = SqliteStore::open(SqliteOptions::new(folder.path())).unwrap();
        let outside = Connection::open(folder.path().join("loci.db")).unwrap();
        let made: Vec<_> = memories.iter().map(|name| samples::memory(name).unwrap()).collect();
        let ids = made.iter().map(|memory| memory.id.clone()).collect();
        block_on(store.write(move |tx| made.iter().try_for_each(|memory| tx.memories_mut().insert(memory))))
            .unwrap();
        (Self { _folder: folder, store, outside }, ids)
    }

    fn damage(&self, sql: &str) {
        assert_eq!(self.outside.execute(sql, []).unwrap(), 1, "{sql}");
    }

    fn claim(&self) -> Option<String> {
        let claimed = self.store.write(|tx| tx.jobs_mut().claim("host", &[], samples::time(9), 10_000));
        block_on(claimed).unwrap().map(|job| job.id.to_string())
    }
}

fn job(memory: &MemoryId, id: &str, due: i64) -> Result<NewJob> {
    Ok(NewJob {
        id: JobId::parse(id)?,
        memory: memory.clone(),
        kind: JobKind::EXTRACT,
        unique_key: id.to_owned(),
        strategy: None,
        actor: Some(ActorId::parse("ann")?),
        session: None,
        due: samples::time(due),
        due_rule: DueRule::Earlier,
    })
}

#[test]
fn a_job_fails_by_itself() {
    let (place, memories) = MemoriesFolder::new(&["notes", "other"]);
    let of = memories.clone();
    block_on(place.store.write(move |tx| {
        for (memory, id, due) in [(&of[0], "bad", 1), (&of[0], "good", 2), (&of[1], "others", 3)] {
            tx.jobs_mut().enqueue(&job(memory, id, due)?, samples::time(0))?;
        }
        Ok(())
    }))
    .unwrap();
    place.damage("UPDATE jobs SET actor = '../x' WHERE id = 'bad'");
    assert_eq!(
        [place.claim(), place.claim(), place.claim()],
        [Some("good".into()), Some("others".into()), None]
    );
    let memory = memories[0].clone();
    let listed = block_on(place.store.read(move |tx| {
        let query = JobQuery { limit: 10, ..JobQuery::default() };
        tx.jobs().list(&memory, &query)
    }))
    .unwrap();
    let bad = listed.iter().find(|job| job.id.as_str() == "bad").unwrap();
    assert_eq!((listed.len(), bad.state, &bad.actor), (2, JobState::Failed, &None));
    assert!(bad.failure_reason.as_ref().unwrap().contains("cannot be read"));
    // A retried job fails again.
    let memory = memories[0].clone();
    let restarted =
        place.store.write(move |tx| tx.jobs_mut().restart(&memory, &JobId::parse("bad")?, samples::time(9)));
    assert!(block_on(restarted).unwrap());
    assert_eq!(place.claim(), None);
}

#[test]
fn a_job_that_cannot_be_read_restarts_only_from_failure() {
    let (place, memories) = MemoriesFolder::new(&["notes"]);
    let of = memories[0].clone();
    let asked = place.store.write(move |tx| tx.jobs_mut().enqueue(&job(&of, "bad", 1)?, samples::time(0)));
    block_on(asked).unwrap();
    place.damage("UPDATE jobs SET actor = '../x' WHERE id = 'bad'");
    for (state, after) in [(0, 0), (1, 1), (2, 0), (3, 3)] {
        place.damage(&format!("UPDATE jobs SET state = {state}"));
        let memory = memories[0].clone();
        let restarted = place
            .store
            .write(move |tx| tx.jobs_mut().restart(&memory, &JobId::parse("bad")?, samples::time(9)));
        assert!(block_on(restarted).unwrap());
        let found: i64 = place.outside.query_row("SELECT state FROM jobs", [], |row| row.get(0)).unwrap();
        assert_eq!(found, after, "a job in state {state}");
    }
}

#[test]
fn a_list_leaves_out_what_cannot_be_read_and_ends_where_it_ends() {
    let (place, memories) = MemoriesFolder::new(&["a", "b", "c", "d"]);
    place.damage("UPDATE memories SET body = replace(body, '\"name\":\"c\"', '\"name\":3') WHERE name = 'c'");
    let list = |count: usize| {
        let found = block_on(place.store.read(move |tx| tx.memories().list(None, count))).unwrap();
        found.iter().map(|memory| memory.name.clone()).collect::<Vec<_>>()
    };
    let all = list(9);
    assert_eq!(all.len(), 3);
    assert_eq!(list(3), all, "a page of three is whole although a fourth row had to be looked at");
    let unreadable = block_on(place.store.read(|tx| tx.memories().unreadable())).unwrap();
    assert_eq!(unreadable, [memories[2].as_str()]);

    let of = memories[0].clone();
    block_on(place.store.write(move |tx| {
        for (number, actor) in ["ann", "bob", "eve"].into_iter().enumerate() {
            let event = samples::event(&of, actor, "s1", i64::try_from(number).unwrap_or(0))?;
            tx.events_mut().insert(&event)?;
        }
        Ok(())
    }))
    .unwrap();
    place.damage("UPDATE sessions SET actor = 'a//..//b' WHERE actor = 'bob'");
    let of = memories[0].clone();
    let actors = block_on(place.store.read(move |tx| {
        let page = ActorPage { memory: of.clone(), after: None, limit: 2, now: samples::time(0), only: None };
        tx.events().actors(&page)
    }))
    .unwrap();
    assert_eq!(actors.iter().map(ActorId::as_str).collect::<Vec<_>>(), ["ann", "eve"]);
}

#[test]
fn an_index_is_built_of_what_can_be_read() {
    let (place, memories) = MemoriesFolder::new(&["notes"]);
    let of = memories[0].clone();
    block_on(place.store.write(move |tx| {
        (1..=3)
            .try_for_each(|number| tx.records_mut().insert(&samples::record(&of, number, "tea")?).map(drop))
    }))
    .unwrap();
    place.damage("UPDATE records SET actor = '../x' WHERE sequence = 2");
    let info = block_on(place.store.search().info(&memories[0], true)).unwrap();
    assert_eq!((info.passages, info.sequence), (2, 3));
}
