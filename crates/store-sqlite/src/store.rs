//! The store for the engine: one writer thread, a pool for reads, a pool for searches.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use loci_model::ports::BoxFuture;
use loci_model::ports::search::Search;
use loci_model::ports::store::{BackupReport, Checkpoint, Hosts, ReadWork, Store, StoreInfo, WriteWork};
use loci_model::{MemoryId, Result};
use loci_store_kit::tables::Tables;
use loci_store_kit::{IndexCache, IndexSearch, Pool};
use rusqlite::Connection;

use crate::condition::DatabaseCondition;
use crate::errors::{Sql, folder_error};
use crate::folder::{self, DATABASE, LOG};
use crate::index_files::IndexFiles;
use crate::index_rows::Rows;
use crate::locks::{Host, SchemaLock, Turnstile};
use crate::options::SqliteOptions;
use crate::snapshot_writer::SnapshotWriter;
use crate::tx::SqlTx;
use crate::writer::Writer;
use crate::{backup, migrate, open};

/// The time for which a checkpoint waits for readers to release the log.
const CHECKPOINT_PATIENCE: Duration = Duration::from_millis(50);

/// The store in an open data folder.
pub struct SqliteStore {
    folder: PathBuf,
    condition: DatabaseCondition,
    writer: Writer,
    readers: Arc<Pool<Connection>>,
    search: IndexSearch<Rows>,
    saving: Arc<SnapshotWriter>,
    host: Host,
    /// The schema lock, held while the folder is in use.
    _schema: SchemaLock,
}

impl SqliteStore {
    /// Opens a data folder, creates it if it does not exist, and migrates its schema.
    ///
    /// # Errors
    /// `Unavailable` if the folder cannot be used; `NotFound` if the options permit only an
    /// existing store and there is none.
    pub fn open(options: SqliteOptions) -> Result<Arc<Self>> {
        if options.existing_only {
            folder::expect_store(&options.folder)?;
        }
        let folder = folder::prepare(&options.folder)?;
        let schema = open::schema(&folder)?;
        let condition = DatabaseCondition::of(&options.folder)?;
        let connect = {
            let (folder, condition) = (folder.clone(), condition.clone());
            // A later connection opens the file by name, which may be a different file by then.
            move || open::reading(&folder).and_then(|connection| condition.check().map(|()| connection))
        };
        let readers = Arc::new(Pool::start("loci-read", options.readers, connect.clone())?);
        let connection = open::writing(&folder, &options)?;
        let files = Arc::new(IndexFiles::of(&folder, &connection)?);
        files.clear_unfinished();
        let searchers = Arc::new(Pool::start("loci-search", options.searchers, connect)?);
        let rows = Rows { files: Arc::clone(&files), threads: options.searchers };
        let cache = Arc::new(IndexCache::new(rows, options.index_bytes_max));
        let search = IndexSearch::new(searchers, Arc::clone(&cache));
        let saving = Arc::new(SnapshotWriter { cache, passages_min: options.snapshot_passages_min });
        let turns = (Turnstile::open(&folder)?, condition.clone());
        let writer = Writer::start(connection, turns, files, search.after_commit())?;
        let host = Host::new(&folder);
        Ok(Arc::new(Self { folder, condition, writer, readers, search, saving, host, _schema: schema }))
    }

    /// Writes the due snapshots concurrently with searches. It needs the writer's turn only to
    /// create and to name a file.
    async fn save_indexes(&self, moment: Checkpoint) {
        for memory in self.saving.unsaved(moment) {
            if let Err(error) = self.save_index(&memory, moment).await {
                // The next start takes longer; nothing is lost.
                tracing::warn!(%error, %memory, "an index could not be saved");
            }
        }
    }

    async fn save_index(&self, memory: &MemoryId, moment: Checkpoint) -> Result<()> {
        let (cache, of) = (self.search.cache(), memory.clone());
        let begun = self.writer.alone(move |connection| cache.source().files.begin(connection, &of)).await?;
        let Some(partial) = begun else { return Ok(()) };
        let (saving, of) = (Arc::clone(&self.saving), memory.clone());
        let written =
            self.readers.run(move |connection| saving.save(connection, &of, partial, moment)).await?;
        let Some(written) = written else { return Ok(()) };
        self.writer.alone(move |connection| written.publish(connection)).await
    }

    fn bytes(&self) -> Result<u64> {
        let mut bytes = 0;
        for name in [DATABASE, LOG] {
            match std::fs::metadata(self.folder.join(name)) {
                Ok(metadata) => bytes += metadata.len(),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(folder_error("measuring the data folder", error)),
            }
        }
        Ok(bytes)
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.close();
    }
}

impl Store for SqliteStore {
    fn write_boxed(&self, work: WriteWork) -> BoxFuture<'_, Result<()>> {
        self.writer.write(work)
    }

    fn read_boxed(&self, mut work: ReadWork) -> BoxFuture<'_, Result<()>> {
        let condition = self.condition.clone();
        self.readers.run(move |connection| condition.noted(snapshot(connection, |tx| work(tx))))
    }

    fn search(&self) -> &dyn Search {
        &self.search
    }

    fn hosts(&self) -> Hosts {
        Hosts::One
    }

    fn try_host(&self) -> Result<bool> {
        self.host.try_take()
    }

    fn release_host(&self) {
        self.host.release();
    }

    fn backup(&self, path: PathBuf) -> BoxFuture<'_, Result<BackupReport>> {
        self.readers.run(move |connection| backup::backup(connection, &path))
    }

    fn checkpoint(&self, moment: Checkpoint) -> BoxFuture<'_, Result<()>> {
        let folder = self.folder.clone();
        Box::pin(async move {
            // First most of the work without blocking, then the short rest while no writer runs.
            self.readers.run(move |_| move_log(&folder, "PASSIVE")).await?;
            self.writer.alone(|connection| move_pages(connection, "TRUNCATE")).await?;
            self.save_indexes(moment).await;
            Ok(())
        })
    }

    fn info(&self, probe_write: bool) -> BoxFuture<'_, Result<StoreInfo>> {
        Box::pin(async move {
            self.condition.check()?;
            if probe_write {
                let folder = self.folder.clone();
                self.readers.run(move |_| folder::probe(&folder)).await?;
                self.writer
                    .alone(|connection| {
                        let sql = "INSERT INTO probes(num, seen) VALUES (1, 1) \
                                   ON CONFLICT(num) DO UPDATE SET seen = seen + 1";
                        connection.execute(sql, []).sql().map(|_| ())
                    })
                    .await?;
            }
            let schema_version = self.readers.run(|connection| migrate::version(connection)).await?;
            let cache = self.search.cache();
            let snapshots =
                self.readers.run(move |connection| cache.source().files.survey(connection)).await?;
            Ok(StoreInfo {
                kind: "sqlite",
                location: self.folder.display().to_string(),
                schema_version,
                bytes: self.bytes()?,
                snapshots,
                is_host: self.host.is_held(),
                checks: Vec::new(),
            })
        })
    }

    /// Completes the queued work, stops the threads and releases the host lock.
    fn close(&self) {
        self.writer.close();
        self.readers.close();
        self.search.close();
        self.host.release();
    }
}

/// Runs `work` on one consistent state of the database.
pub(crate) fn snapshot<T>(
    connection: &Connection,
    work: impl FnOnce(&Tables<SqlTx<'_>>) -> Result<T>,
) -> Result<T> {
    // Ends with the function, even if `work` panics, so that no state stays pinned.
    let transaction = connection.unchecked_transaction().sql()?;
    let outcome = work(&Tables(SqlTx::new(&transaction)));
    transaction.finish().sql()?;
    outcome
}

fn move_log(folder: &std::path::Path, mode: &str) -> Result<()> {
    let connection = Connection::open(folder.join(DATABASE)).sql()?;
    move_pages(&connection, mode)
}

/// Moves the log to the main file as far as readers permit.
fn move_pages(connection: &Connection, mode: &str) -> Result<()> {
    // A slow reader must not block writers: the rest is moved next time.
    connection.busy_timeout(CHECKPOINT_PATIENCE).sql()?;
    let outcome = connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |_| Ok(())).sql();
    connection.busy_timeout(open::BUSY).sql()?;
    outcome
}
