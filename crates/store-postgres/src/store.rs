//! The store: pools of threads for writes, reads and searches, each thread with its own connection.
//! Any number of servers may open the same database.

use std::path::PathBuf;
use std::sync::Arc;

use loci_model::ports::BoxFuture;
use loci_model::ports::search::Search;
use loci_model::ports::store::{
    BackupReport, Checkpoint, Hosts, ReadWork, SnapshotFiles, Store, StoreInfo, WriteWork,
};
use loci_model::{Error, ErrorKind, Result};
use loci_store_kit::Pool;
use loci_store_kit::index_search::AfterCommit;

use crate::checks;
use crate::connection::{Connection, ConnectionParameters};
use crate::gate::Gate;
use crate::migrate;
use crate::options::PostgresOptions;
use crate::search::PostgresSearch;
use crate::transaction_retry::{self, TransactionResult};
use crate::tx::Column;

/// A store on PostgreSQL.
pub struct PostgresStore {
    location: String,
    writers: Pool<Connection>,
    readers: Pool<Connection>,
    search: PostgresSearch,
    after_commit: Arc<AfterCommit>,
    gate: Arc<Gate>,
}

impl PostgresStore {
    /// Connects, creates or updates the schema, and starts the threads.
    ///
    /// # Errors
    /// `Unavailable` if the database cannot be reached, rejects the connection, lacks pgvector, or
    /// is newer than this program. `NotFound` if only an existing schema is permitted, and there is
    /// none.
    pub fn open(options: PostgresOptions) -> Result<Arc<Self>> {
        let location = options.location();
        let (writers, readers) = (options.writers, options.readers);
        let connecting = ConnectionParameters::new(options)?;
        let search_connecting = Arc::clone(&connecting);
        let connect = move || Connection::new(Arc::clone(&connecting));
        apart(|| migrate::migrate(&mut connect()?))?;
        let search = PostgresSearch::start(&search_connecting)?;
        let after_commit = Arc::new(search.after_commit());
        Ok(Arc::new(Self {
            location,
            writers: Pool::start("loci-write", writers, connect.clone())?,
            readers: Pool::start("loci-read", readers, connect)?,
            search,
            after_commit,
            gate: Arc::new(Gate::new(writers)),
        }))
    }
}

/// The outcome of an attempt to write.
enum WriteAttempt {
    Written,
    /// The memory with this number has enough writers, so nothing was done.
    Crowded(i64, WriteWork),
}

impl PostgresStore {
    fn try_write(&self, mut work: WriteWork) -> BoxFuture<'static, Result<WriteAttempt>> {
        let (after, gate) = (Arc::clone(&self.after_commit), Arc::clone(&self.gate));
        self.writers.run(move |connection| {
            let touched = match transaction_retry::write(connection, &gate, &mut *work)? {
                TransactionResult::Done(touched) => touched,
                TransactionResult::Crowded(memory) => return Ok(WriteAttempt::Crowded(memory, work)),
            };
            if !touched.is_empty() {
                after(&touched);
            }
            Ok(WriteAttempt::Written)
        })
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        self.close();
    }
}

impl Store for PostgresStore {
    fn write_boxed(&self, work: WriteWork) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let mut work = work;
            loop {
                let (memory, again) = match self.try_write(work).await? {
                    WriteAttempt::Written => return Ok(()),
                    WriteAttempt::Crowded(memory, again) => (memory, again),
                };
                let Some(room) = self.gate.room(memory) else {
                    return Err(Error::new(
                        ErrorKind::Throttled,
                        "too many writes wait for the same memory: try again later",
                    ));
                };
                // The sender is dropped if there is room at once.
                let _ = room.await;
                work = again;
            }
        })
    }

    fn read_boxed(&self, mut work: ReadWork) -> BoxFuture<'_, Result<()>> {
        self.readers.run(move |connection| transaction_retry::read_port(connection, &mut *work))
    }

    fn search(&self) -> &dyn Search {
        &self.search
    }

    fn hosts(&self) -> Hosts {
        Hosts::Many
    }

    fn try_host(&self) -> Result<bool> {
        Ok(true)
    }

    fn release_host(&self) {}

    fn backup(&self, _path: PathBuf) -> BoxFuture<'_, Result<BackupReport>> {
        Box::pin(std::future::ready(Err(Error::conflict(
            "a store on PostgreSQL is backed up by the database's own means (pg_dump, pg_basebackup): loci backup copies \
             data folders",
        ))))
    }

    /// The database manages its own log.
    fn checkpoint(&self, _moment: Checkpoint) -> BoxFuture<'_, Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn info(&self, probe_write: bool) -> BoxFuture<'_, Result<StoreInfo>> {
        Box::pin(async move {
            if probe_write {
                self.writers.run(probe).await?;
            }
            let (schema_version, bytes) =
                self.readers.run(|connection| Ok((version(connection)?, bytes(connection)?))).await?;
            let checks = self.readers.run(checks::checks).await?;
            Ok(StoreInfo {
                kind: "postgres",
                location: self.location.clone(),
                schema_version,
                bytes,
                snapshots: SnapshotFiles::default(),
                is_host: true,
                checks,
            })
        })
    }

    fn close(&self) {
        self.writers.close();
        self.readers.close();
        self.search.close();
    }
}

/// Runs work on a separate thread: a connection blocks its thread, which is not possible on a
/// thread of an async runtime.
fn apart(work: impl FnOnce() -> Result<()> + Send) -> Result<()> {
    std::thread::scope(|scope| scope.spawn(work).join())
        .unwrap_or_else(|_| Err(Error::bug("bringing the schema up to date panicked")))
}

/// Returns the schema version. Returns an error if a newer server has migrated it to a version that
/// this program must not write.
fn version(connection: &mut Connection) -> Result<u32> {
    let Some(found) = migrate::version(connection)? else { return Ok(0) };
    migrate::still_works(found)?;
    Ok(found.version)
}

/// Checks that this server can write and commit.
fn probe(connection: &mut Connection) -> Result<()> {
    let sql = "INSERT INTO probes(server, seen) VALUES ('any', 1) ON CONFLICT (server) DO UPDATE SET seen = probes.seen + 1";
    transaction_retry::change(connection, |tx| tx.rows(sql, &[]).map(drop))
}

/// Returns the size of all tables and indexes of the schema, in bytes.
fn bytes(connection: &mut Connection) -> Result<u64> {
    let schema = connection.options().schema.clone();
    transaction_retry::read(connection, |tx| {
        let sql = "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c \
                   JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'";
        let bytes = tx.one(sql, &[&schema], |row| row.take::<i64>(0))?;
        Ok(crate::tx::unsigned(bytes.unwrap_or(0)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_engine_testkit::postgres::{PostgresServer, Settings};
    use loci_testkit_ports::block_on;

    /// Connections closed by the restart are established again, whichever is used first.
    #[test]
    fn it_is_ready_after_a_restart() {
        let server = PostgresServer::start(&Settings::default()).unwrap();
        let url = server.fresh_database().unwrap() + "?partitions=0&writers=2&readers=2";
        let store = PostgresStore::open(PostgresOptions::parse(&url).unwrap()).unwrap();
        let is_ready = || (0..4).all(|_| block_on(store.info(true)).is_ok());
        assert!(is_ready());
        for end in [PostgresServer::stop_fast, PostgresServer::kill] {
            end(&server).unwrap();
            server.restart().unwrap();
            assert!(is_ready());
        }
    }
}
