//! Folders written by an older version: opened, migrated to the newest schema, and read with
//! unchanged contents.
#![expect(clippy::unwrap_used, reason = "a failure of the folder under test is the test's failure")]

use std::path::Path;
use std::sync::Arc;

use loci_model::delivery::DeliveryDirection;
use loci_model::event::EventLoad;
use loci_model::job::{JobKind, JobState};
use loci_model::ports::store::{JobQuery, RecordPage, Store, StoreExt};
use loci_model::record::TrustTier;
use loci_model::record::derivation::MakingMode;
use loci_model::record::scope::RecordScope;
use loci_model::{ActorId, JobId, Result, SessionId, StrategyId};
use loci_store_sqlite::{SqliteOptions, SqliteStore};
use loci_testkit_ports::{block_on, samples};

/// The schema of the first released version, whose files are never edited.
const SECOND: [&str; 2] =
    [include_str!("../src/schema/0001_tables.sql"), include_str!("../src/schema/0002_index_files.sql")];

/// Creates a folder of schema 2 with a memory, a session of two events, a record and two jobs.
fn written_by_an_older_version(folder: &Path) {
    let connection = rusqlite::Connection::open(folder.join("loci.db")).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    for sql in SECOND {
        connection.execute_batch(sql).unwrap();
    }
    let memory = samples::memory("notes").unwrap();
    let at = samples::time(1).millis();
    let expires = samples::time(1).plus_days(30).millis();
    let mut body = serde_json::to_value(&memory).unwrap();
    for member in ["model_mode", "window", "safety", "consolidation"] {
        assert!(body["settings"].as_object_mut().unwrap().remove(member).is_none(), "{member} is stored");
    }
    connection
        .execute(
            "INSERT INTO memories(num, id, name, created, sequence, arrival, body) VALUES (1, ?1, 'notes', ?2, 1, 2, ?3)",
            rusqlite::params![memory.id.as_str(), at, body.to_string()],
        )
        .unwrap();
    connection
        .execute("INSERT INTO sessions VALUES (1, 1, 'ann', 's1', ?1, ?2)", rusqlite::params![at, expires])
        .unwrap();
    for number in 1..=2_i64 {
        let event = samples::event(&memory.id, "ann", "s1", number).unwrap();
        let payload = serde_json::to_string(&event.payload).unwrap();
        let event_number = (1_i64 << 40) | number;
        connection
            .execute(
                "INSERT INTO events(num, mem, sess, id, hidden, extract, expires, time, arrived, items, payload) \
                 VALUES (?1, 1, 1, ?2, 0, 1, ?3, ?4, ?4, 1, ?5)",
                rusqlite::params![event_number, event.id.as_str(), expires, event.time.millis(), payload],
            )
            .unwrap();
    }
    connection
        .execute_batch(
            "INSERT INTO progress VALUES (1, 'facts', 1);
             INSERT INTO groups VALUES (1, 1, '/facts/', 'facts', 1);",
        )
        .unwrap();
    connection
        .execute(
            "INSERT INTO records(num, mem, key, grp, state, kind, version, sequence, created, updated, stated, valid_from, \
             parts, digest, actor, session, time, origin, trust, verbatim, more, text) VALUES (1, 1, ?1, 1, 0, 0, 1, 1, ?2, ?2, \
             ?2, ?2, 1, 0, 'ann', 's1', ?2, 0, 1.0, 0, '{\"t\":\"A title\"}', 'Anna lives in Oslo.')",
            rusqlite::params![[0_u8, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 1], at],
        )
        .unwrap();
    for (id, state, kind, reason) in
        [("waiting", 0, 0, None), ("given-up", 2, 0, Some("INTERNAL_ERROR: odd"))]
    {
        connection
            .execute(
                "INSERT INTO jobs(mem, id, state, kind, unique_key, strategy, actor, session, due, created, updated, failure) \
                 VALUES (1, ?1, ?2, ?3, ?1, 'facts', 'ann', 's1', ?4, ?4, ?4, ?5)",
                rusqlite::params![id, state, kind, at, reason],
            )
            .unwrap();
    }
    connection.pragma_update(None, "user_version", 2).unwrap();
}

#[test]
fn a_folder_of_the_second_schema() {
    let place = tempfile::tempdir().unwrap();
    written_by_an_older_version(place.path());
    let store = SqliteStore::open(SqliteOptions::new(place.path())).unwrap();
    let store: Arc<dyn Store> = store;
    assert_eq!(block_on(store.info(true)).unwrap().schema_version, 17);
    block_on(store.read(read_what_was_there)).unwrap();
    block_on(store.write(use_what_is_new)).unwrap();
}

/// Sweeps find content that older versions left for erasure, and examine the history of every
/// memory once.
#[test]
fn what_was_deleted_before_is_erased() {
    let place = tempfile::tempdir().unwrap();
    written_by_an_older_version(place.path());
    let connection = rusqlite::Connection::open(place.path().join("loci.db")).unwrap();
    connection.execute("UPDATE records SET state = 9", []).unwrap();
    drop(connection);
    let store: Arc<dyn Store> = SqliteStore::open(SqliteOptions::new(place.path())).unwrap();
    let memory = samples::memory("notes").unwrap();
    let after_ms = memory.settings.erase_after_ms;
    let due = samples::time(1).plus_millis(i64::try_from(after_ms).unwrap());
    let erased = block_on(store.write(move |tx| {
        assert_eq!(tx.records().erasable(due, 9)?, std::slice::from_ref(&memory.id));
        let erased = tx.records_mut().erase_deleted(&memory.id, due, after_ms, 9)?;
        assert!(tx.records().erasable(due.plus_days(99), 9)?.is_empty());
        Ok(erased)
    }));
    assert_eq!(erased.unwrap().len(), 1);
}

fn read_what_was_there(tx: &dyn loci_model::ports::store::ReadTx) -> Result<()> {
    let id = samples::memory("notes")?.id;
    let (ann, session) = (ActorId::parse("ann")?, SessionId::parse("s1")?);
    let memory = tx.memories().get(&id)?.unwrap();
    assert_eq!(memory, samples::memory("notes")?);
    let now = samples::time(100);
    let read = tx.events().progress(&id, &StrategyId::parse("facts")?, &ann, &session)?;
    let unread = tx.events().unprocessed(&id, &ann, &session, read, 9, now)?;
    assert_eq!(unread.iter().map(|event| event.arrival).collect::<Vec<_>>(), [2]);
    assert_eq!(tx.events().unprocessed_items(&id, &ann, &session, 0, 9, now)?, 2);
    // The sizes of older events were not counted: they become due by the pause after them.
    assert_eq!(tx.events().load(&id, &ann, &session, 0, now)?, EventLoad::default());
    assert_eq!(unread[0].load, EventLoad::default());
    let page = RecordPage { scope: RecordScope::whole(id.clone(), now), after: None, limit: 9 };
    let records = tx.records().list(&page)?;
    assert_eq!(records.len(), 1);
    let record = &records[0];
    assert_eq!((record.title.as_deref(), record.text.as_str()), (Some("A title"), "Anna lives in Oslo."));
    assert_eq!(
        (record.tier, record.making.is_none(), record.findings.is_empty()),
        (TrustTier::Agent, true, true)
    );
    let jobs = tx.jobs().list(&id, &JobQuery { limit: 9, ..JobQuery::default() })?;
    let seen: Vec<_> = jobs
        .iter()
        .map(|job| (job.id.as_str(), job.state, job.kind.clone(), job.waits, job.fallback))
        .collect();
    assert_eq!(
        seen,
        [
            ("given-up", JobState::Failed, JobKind::EXTRACT, false, false),
            ("waiting", JobState::Pending, JobKind::EXTRACT, false, false)
        ]
    );
    assert!(jobs.iter().all(|job| job.window.is_none()));
    Ok(())
}

fn use_what_is_new(tx: &mut dyn loci_model::ports::store::Tx) -> Result<()> {
    let id = samples::memory("notes")?.id;
    let (ann, session, facts) =
        (ActorId::parse("ann")?, SessionId::parse("s1")?, StrategyId::parse("facts")?);
    tx.events_mut().insert(&samples::event(&id, "ann", "s1", 3)?)?;
    assert_eq!(
        tx.events().load(&id, &ann, &session, 0, samples::time(100))?,
        EventLoad { messages: 1, tokens: 3 }
    );
    assert!(tx.exchanges_mut().insert(&samples::exchange(&id, "waiting", 1)?)?);
    assert_eq!(tx.exchanges().of_job(&id, &JobId::parse("waiting")?)?.len(), 1);
    assert_eq!(tx.records().of_strategy(&id, &facts, None, 9)?.len(), 1);
    assert!(tx.records().by_making(&id, &facts, &ann, &session, MakingMode::Fallback)?.is_empty());
    assert!(tx.deliveries().page(&id, DeliveryDirection::Out, None, None, 9)?.is_empty());
    let claimed = tx.jobs_mut().claim("h", &[], samples::time(100), 1_000)?;
    assert_eq!(claimed.map(|job| job.id.to_string()).as_deref(), Some("waiting"));
    Ok(())
}

/// The frequent queries of a write use an index, and the sums do not read rows.
#[test]
fn unread_events_are_counted_in_their_index() {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    for sql in SECOND.iter().chain(&[include_str!("../src/schema/0003_pipeline.sql")]) {
        connection.execute_batch(sql).unwrap();
    }
    let check = |sql: &str, expect: &str| {
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let plan: Vec<String> =
            statement.query_map([], |row| row.get(3)).unwrap().map(|line| line.unwrap()).collect();
        assert_eq!(plan.join("; "), expect, "{sql}");
    };
    check(
        "SELECT sum(messages), sum(tokens) FROM events WHERE sess = 1 AND extract = 1 AND num > 2 AND deleted = 0 \
         AND expires > 3",
        "SEARCH events USING COVERING INDEX events_unread (sess=? AND num>?)",
    );
    check(
        "SELECT e.num, e.payload FROM events e WHERE e.sess = 1 AND e.extract = 1 AND e.deleted = 0 AND e.expires > 2 \
         AND e.num > 3 ORDER BY e.num LIMIT 4",
        "SEARCH e USING INDEX events_unread (sess=? AND num>?)",
    );
    check(
        "SELECT e.num, e.payload FROM events e WHERE e.sess = 1 AND e.extract = 1 AND e.deleted = 0 AND e.expires > 2 \
         AND e.id > 'a' ORDER BY e.id LIMIT 4",
        "SEARCH e USING INDEX events_session (sess=? AND id>?)",
    );
}
