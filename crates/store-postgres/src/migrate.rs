//! Migrations of the database schema. They run in order, each in a transaction of its own and under
//! a lock, so that only one of several starting servers runs them.
//!
//! A migration only adds tables and columns, so that servers of the previous version continue to
//! work while they are replaced one by one. A migration that cannot do so states the `oldest`
//! version that works with it. Older servers refuse to start, and running ones report that they are
//! not ready.

use loci_model::{Error, Result};

use crate::connection::{Connection, ConnectionStep, Failed};
use crate::errors::RetryEffect;
use crate::transaction_retry;
use crate::tx::{Column, PgTx};

/// A migration of the schema.
struct Migration {
    sql: &'static str,
    /// The oldest program version, by its newest schema version, that can work with the migrated
    /// schema.
    oldest: u32,
}

/// The migrations in order. The schema version after a migration is its index, counted from 1.
const MIGRATIONS: &[Migration] = &[
    Migration { sql: include_str!("schema/0001_tables.sql"), oldest: 1 },
    Migration { sql: include_str!("schema/0002_search.sql"), oldest: 1 },
    Migration { sql: include_str!("schema/0003_facts.sql"), oldest: 1 },
    Migration { sql: include_str!("schema/0004_tasks.sql"), oldest: 1 },
    Migration { sql: include_str!("schema/0005_exposures.sql"), oldest: 1 },
    Migration { sql: include_str!("schema/0006_commits.sql"), oldest: 1 },
    Migration { sql: include_str!("schema/0007_prompts.sql"), oldest: 1 },
    Migration { sql: include_str!("schema/0008_task_sessions.sql"), oldest: 1 },
    Migration { sql: include_str!("schema/0009_kinds.sql"), oldest: 1 },
    Migration { sql: include_str!("schema/0010_harms.sql"), oldest: 1 },
    Migration { sql: include_str!("schema/0011_subtypes.sql"), oldest: 1 },
    Migration { sql: include_str!("schema/0012_ledger.sql"), oldest: 1 },
    Migration { sql: include_str!("schema/0013_objects.sql"), oldest: 1 },
    Migration { sql: include_str!("schema/0014_fingerprints.sql"), oldest: 1 },
    Migration { sql: include_str!("schema/0015_job_kinds.sql"), oldest: 1 },
];

/// The maximum number of attempts to create the table of versions concurrently with others.
const TRIES: u32 = 5;

/// Returns the schema version of this program.
pub(crate) fn newest() -> u32 {
    u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX)
}

/// Returns the statements of each version, and the oldest program that can work with it.
pub(crate) fn scripts(partitions: u32) -> impl Iterator<Item = (u32, String, u32)> {
    (1_u32..)
        .zip(MIGRATIONS)
        .map(move |(version, migration)| (version, written(migration.sql, partitions), migration.oldest))
}

/// The version of the schema in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) version: u32,
    /// The oldest program version that can work with the schema.
    pub(crate) oldest: u32,
}

/// Returns the existing version; `None` if the schema has no tables of Loci.
pub(crate) fn version(connection: &mut Connection) -> Result<Option<Version>> {
    transaction_retry::ask(connection, |tx| version_of(tx))
}

fn version_of(tx: &PgTx<'_>) -> Result<Option<Version>> {
    let there = "SELECT 1 FROM information_schema.tables WHERE table_schema = $1 AND table_name = 'versions'";
    if tx.rows(there, &[&tx.schema()])?.is_empty() {
        return Ok(None);
    }
    tx.one("SELECT version, oldest FROM versions ORDER BY version DESC LIMIT 1", &[], |row| {
        let (version, oldest): (i32, i32) = (row.take(0)?, row.take(1)?);
        Ok(Version { version: crate::tx::uint(version), oldest: crate::tx::uint(oldest) })
    })
}

/// Creates or updates the schema. Rejects a schema that is newer than this program can work with.
pub(crate) fn migrate(connection: &mut Connection) -> Result<()> {
    bring_to(connection, MIGRATIONS)
}

fn bring_to(connection: &mut Connection, migrations: &[Migration]) -> Result<()> {
    // Several statements are sent as one, and a large table takes time.
    connection.wait_long();
    let newest = u32::try_from(migrations.len()).unwrap_or(u32::MAX);
    match version(connection)? {
        Some(found) => {
            check(found, newest)?;
            if found.version >= newest {
                return Ok(());
            }
        }
        None if connection.options().existing_only => {
            let schema = &connection.options().schema;
            return Err(Error::not_found(format!(
                "there is nothing of loci in the schema {schema} of the database"
            )));
        }
        None => prepare(connection)?,
    }
    let partitions = connection.options().partitions;
    transaction_retry::change(connection, |tx| apply(tx, migrations, partitions))
}

/// The statements at the start of a migration: they remove the time limits. The lock still permits
/// reading the version; a second server waits for it, and then finds the migration done.
const BEGIN: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; \
                     SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE versions IN SHARE ROW EXCLUSIVE MODE";

fn apply(tx: &PgTx<'_>, migrations: &[Migration], partitions: u32) -> Result<()> {
    tx.plain(BEGIN)?;
    let from = version_of(tx)?.map_or(0, |found| found.version);
    for (place, migration) in (1_u32..).zip(migrations).skip(usize::try_from(from).unwrap_or(usize::MAX)) {
        tracing::info!(version = place, "the schema is brought up to date");
        tx.plain(&written(migration.sql, partitions))?;
        let oldest = migration.oldest;
        tx.plain(&format!("INSERT INTO versions(version, oldest) VALUES ({place}, {oldest})"))?;
    }
    Ok(())
}

/// Checks that this program can work with the schema in the database.
///
/// # Errors
/// `Unavailable` if only newer programs can.
pub(crate) fn still_works(found: Version) -> Result<()> {
    check(found, newest())
}

fn check(found: Version, newest: u32) -> Result<()> {
    if found.oldest > newest {
        return Err(Error::unavailable(format!(
            "the database's schema is of version {} and this program knows up to {newest}: start a newer loci",
            found.version,
        )));
    }
    Ok(())
}

/// Creates the schema, the extension and the table of versions. Concurrent calls may collide; the
/// second one tries again.
fn prepare(connection: &mut Connection) -> Result<()> {
    let schema = connection.options().schema.clone();
    let sql = format!(
        "CREATE SCHEMA IF NOT EXISTS {schema}; CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public; \
         CREATE TABLE IF NOT EXISTS {schema}.versions(version INTEGER NOT NULL PRIMARY KEY, oldest INTEGER NOT NULL)"
    );
    let mut tries = 0;
    loop {
        match connection.run(&[ConnectionStep::Plain(&sql)]) {
            Ok(_) => return Ok(()),
            Err(Failed {
                again: RetryEffect::Collided | RetryEffect::Contended | RetryEffect::Locked,
                ..
            }) if tries < TRIES => tries += 1,
            Err(Failed { error, again: RetryEffect::Disconnected }) => return Err(error),
            Err(Failed { error, .. }) => return Err(explained(error)),
        }
    }
}

fn explained(error: Error) -> Error {
    Error::unavailable(
        "the schema of Loci cannot be made: the database user needs CREATE on the database, and the extension `vector` \
         (pgvector 0.8 or newer) must be installed on the server",
    )
    .caused_by(error)
}

/// Returns the statements of a migration, with large tables partitioned or not.
fn written(sql: &str, partitions: u32) -> String {
    const MARK: &str = " PARTITION BY HASH (mem)";
    let sql = without_comments(sql);
    if partitions == 0 {
        return sql.replace(MARK, "");
    }
    let mut out = String::with_capacity(sql.len() * 2);
    for statement in sql.split_inclusive(';') {
        out.push_str(statement);
        let name = statement.split_once("CREATE TABLE ").and_then(|(_, rest)| rest.split_once('('));
        if let (true, Some((name, _))) = (statement.contains(MARK), name) {
            for part in 0..partitions {
                out.push_str(&format!(
                    "\nCREATE TABLE {name}_{part:02} PARTITION OF {name} FOR VALUES WITH (MODULUS {partitions}, \
                     REMAINDER {part}){};",
                    room(name)
                ));
            }
        }
    }
    out
}

/// Removes comments, because a semicolon in a comment does not end a statement.
fn without_comments(sql: &str) -> String {
    sql.lines().map(|line| line.split_once("--").map_or(line, |(code, _)| code).trim_end()).fold(
        String::with_capacity(sql.len()),
        |mut out, line| {
            out.push_str(line);
            out.push('\n');
            out
        },
    )
}

/// Returns a fill factor for tables whose rows every write changes, so that the next version of a
/// row fits on the same page.
fn room(table: &str) -> &'static str {
    match table {
        "counters" => " WITH (fillfactor = 30)",
        "sessions" => " WITH (fillfactor = 80)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::ConnectionParameters;
    use crate::gate::Gate;
    use crate::options::PostgresOptions;
    use loci_engine_testkit::postgres::PostgresServer;
    use loci_model::ports::store::{Store as _, Tx};
    use loci_testkit_ports::{block_on, samples};
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    use std::thread;

    fn connection(url: &str) -> Connection {
        Connection::new(ConnectionParameters::new(PostgresOptions::parse(url).unwrap()).unwrap()).unwrap()
    }

    /// Returns the existing migrations and one more.
    fn and_later(sql: &'static str, oldest: u32) -> Vec<Migration> {
        let known = MIGRATIONS.iter().map(|known| Migration { sql: known.sql, oldest: known.oldest });
        known.chain([Migration { sql, oldest }]).collect()
    }

    /// Runs the statements of servers of the first version, which later versions have not changed:
    /// writes a record, and reads it back.
    fn work(connection: &mut Connection, memory: &loci_model::MemoryId, number: u32) -> Result<()> {
        let gate = Gate::new(8);
        let mut insert = |tx: &mut dyn Tx| -> Result<()> {
            let record = samples::record(memory, number, &format!("record {number}"))?;
            tx.records_mut().insert(&record)?;
            tx.events_mut().insert(&samples::event(memory, "ann", "s1", i64::from(number))?).map(drop)
        };
        crate::transaction_retry::write(connection, &gate, &mut insert).map(drop)?;
        let id = samples::record_id(number)?;
        crate::transaction_retry::read_port(connection, &mut |tx| {
            assert!(tx.records().get(memory, &id)?.is_some(), "record {number} is there");
            Ok(())
        })
    }

    /// Servers of the previous version continue during and after the migration by the first server
    /// of the new version.
    #[test]
    fn an_upgrade_rolls() {
        let url = PostgresServer::shared().unwrap().fresh_database().unwrap() + "?partitions=2";
        bring_to(&mut connection(&url), &MIGRATIONS[..1]).unwrap();
        assert_eq!(version(&mut connection(&url)).unwrap().map(|found| found.version), Some(1));
        let memory = samples::memory("rolls").unwrap();
        let mut before = connection(&url);
        let made = &mut |tx: &mut dyn Tx| tx.memories_mut().insert(&memory);
        crate::transaction_retry::write(&mut before, &Gate::new(8), made).map(drop).unwrap();
        let (written, is_new) = (AtomicU32::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            let old = scope.spawn(|| {
                let mut after = 0;
                for number in 1.. {
                    after += u32::from(is_new.load(Ordering::SeqCst));
                    work(&mut before, &memory.id, number).unwrap();
                    written.store(number, Ordering::SeqCst);
                    if after == 5 {
                        return number;
                    }
                }
                0
            });
            while written.load(Ordering::SeqCst) < 3 {
                thread::yield_now();
            }
            migrate(&mut connection(&url)).unwrap();
            is_new.store(true, Ordering::SeqCst);
            assert!(old.join().unwrap() >= 8);
        });
        // Each server finds what the other wrote, and continues.
        let mut new = connection(&url);
        assert_eq!(version(&mut new).unwrap().map(|found| found.version), Some(newest()));
        work(&mut new, &memory.id, 100_000).unwrap();
        work(&mut before, &memory.id, 100_001).unwrap();
    }

    /// A migration takes longer than the statement timeout. Servers that start at the same time
    /// wait for it, and running ones read the version meanwhile.
    #[test]
    fn a_long_migration_is_waited_for() {
        let url = PostgresServer::shared().unwrap().fresh_database().unwrap()
            + "?partitions=0&statement_timeout_ms=1000&lock_timeout_ms=500";
        let mut running = connection(&url);
        migrate(&mut running).unwrap();
        let long = "CREATE TABLE later(mem BIGINT PRIMARY KEY); SELECT pg_sleep(2.5)";
        thread::scope(|scope| {
            let starting: Vec<_> = (0..3)
                .map(|_| scope.spawn(|| bring_to(&mut connection(&url), &and_later(long, 1))))
                .collect();
            while !starting.iter().all(thread::ScopedJoinHandle::is_finished) {
                assert!(version(&mut running).unwrap().is_some());
            }
            for one in starting {
                one.join().unwrap().unwrap();
            }
        });
        assert_eq!(version(&mut running).unwrap().map(|found| found.version), Some(newest() + 1));
    }

    /// A migration that only adds lets servers of the previous version start and continue; another
    /// one excludes them.
    #[test]
    fn a_program_that_is_too_old_is_kept_out() {
        for (oldest, works) in [(newest(), true), (newest() + 1, false)] {
            let url = PostgresServer::shared().unwrap().fresh_database().unwrap() + "?partitions=0";
            let open = || crate::PostgresStore::open(PostgresOptions::parse(&url).unwrap());
            let running = open().unwrap();
            let later = and_later("CREATE TABLE later(mem BIGINT PRIMARY KEY)", oldest);
            bring_to(&mut connection(&url), &later).unwrap();
            let said = block_on(running.info(true)).map(|_| ()).map_err(|error| error.message);
            let refused = open().map(|_| ()).map_err(|error| error.message);
            assert_eq!((said.is_ok(), refused.is_ok()), (works, works), "{said:?} {refused:?}");
            assert!(
                [said, refused]
                    .into_iter()
                    .all(|one| one.err().is_none_or(|text| text.contains("a newer loci")))
            );
        }
    }

    #[test]
    fn partitions_follow_their_table() {
        let sql = "CREATE TABLE a(\n  mem BIGINT -- one; two\n) PARTITION BY HASH (mem);\nCREATE INDEX a_i ON a(mem);";
        let cut = written(sql, 2);
        assert!(
            cut.contains("CREATE TABLE a_01 PARTITION OF a FOR VALUES WITH (MODULUS 2, REMAINDER 1);"),
            "{cut}"
        );
        assert!(cut.find("a_01").unwrap() < cut.find("CREATE INDEX").unwrap());
        assert!(!written(sql, 0).contains("PARTITION"));
    }

    /// The rules of distribution: every key begins with the memory, except in the small tables that
    /// every node has.
    #[test]
    fn every_key_begins_with_the_memory() {
        let everywhere = crate::ddl::EVERYWHERE;
        for migration in MIGRATIONS {
            for statement in without_comments(migration.sql).split(';') {
                let Some((_, rest)) = statement.split_once("CREATE TABLE ") else { continue };
                let name = rest.split(['(', ' ']).next().unwrap();
                if everywhere.contains(&name) {
                    continue;
                }
                assert!(rest.contains("PRIMARY KEY (mem"), "{name}");
            }
            for line in migration.sql.lines().filter(|line| line.starts_with("CREATE UNIQUE INDEX")) {
                let columns = line.split_once('(').unwrap().1;
                assert!(columns.starts_with("mem") || line.contains("ON memories("), "{line}");
            }
            for word in ["SERIAL", "SEQUENCE ", "TRIGGER", "REFERENCES"] {
                assert!(!migration.sql.contains(word), "{word}");
            }
        }
    }
}
