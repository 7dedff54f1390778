//! Snapshots of indexes as files `index/<memory>.snap` of the data folder (decision 0034): written beside their name,
//! synced, then renamed; bound to this database and to what has been erased from it so far.
//!
//! A file may vanish at any time: it is only a faster way to what the tables say. It never survives an erasure: the
//! writer removes it before it commits one, and publishing happens in the writer's turn.

use std::fs::{DirBuilder, File, TryLockError};
use std::io::{BufReader, ErrorKind as Io, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use loci_index::MemoryIndex;
use loci_model::{ErrorKind, MemoryId, Result};
use rusqlite::{Connection, OptionalExtension};

use crate::errors::{Sql, folder_error};
use crate::folder::{named, open_private, sync_folder};

const FOLDER: &str = "index";
/// Held by the process that writes a snapshot.
pub(crate) const LOCK: &str = "lock";
/// Ends of names.
pub(crate) const SNAPSHOT: &str = ".snap";
pub(crate) const PARTIAL: &str = ".snap.partial";

/// The snapshots of a data folder.
pub(crate) struct IndexFiles {
    folder: PathBuf,
    /// The id of the database: another one after a restore.
    store: String,
}

impl IndexFiles {
    /// The files beside the database that `connection` has open.
    pub(crate) fn of(data: &Path, connection: &Connection) -> Result<Self> {
        let store = connection.query_row("SELECT store FROM identity", [], |row| row.get(0)).sql()?;
        Ok(Self { folder: data.join(FOLDER), store })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, memory: &MemoryId) -> PathBuf {
        self.folder.join(format!("{memory}{SNAPSHOT}"))
    }

    fn partial(&self, memory: &MemoryId) -> PathBuf {
        self.folder.join(format!("{memory}{PARTIAL}"))
    }

    /// What a file must begin with.
    fn head(&self, memory: &MemoryId, erasures: u64) -> String {
        format!("loci index, store {}, memory {memory}, erasures {erasures}\n", self.store)
    }

    /// True where a memory has a file.
    pub(crate) fn has(&self, memory: &MemoryId) -> bool {
        self.path(memory).exists()
    }

    /// The index of a memory as it was saved, if that can be used. What cannot is removed, with a warning, unless
    /// another version of the program may use it.
    pub(crate) fn load(&self, memory: &MemoryId, erasures: u64, sequence: u64) -> Option<MemoryIndex> {
        let path = self.path(memory);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == Io::NotFound => return None,
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "an index snapshot cannot be read");
                return None;
            }
        };
        let why = match self.read(file, memory, erasures) {
            Ok(index) if index.sequence() <= sequence => {
                tracing::debug!(%memory, saved = index.sequence(), sequence, "an index was loaded");
                return Some(index);
            }
            Ok(_) => "it is of a later state than the database".to_owned(),
            Err(error) if error.kind == ErrorKind::Conflict => {
                tracing::info!(path = %path.display(), "an index snapshot of another version: rebuilding");
                return None;
            }
            Err(error) => error.message,
        };
        tracing::warn!(path = %path.display(), %why, "an index snapshot is of no use and is removed: rebuilding");
        if let Err(error) = self.remove(memory) {
            tracing::warn!(%error, "an index snapshot cannot be removed");
        }
        None
    }

    fn read(&self, file: File, memory: &MemoryId, erasures: u64) -> Result<MemoryIndex> {
        MemoryIndex::load(&mut self.behind_head(file, memory, erasures)?)
    }

    /// A snapshot from where the index begins; an error where it is not of this database as it is.
    pub(crate) fn behind_head(
        &self,
        file: File,
        memory: &MemoryId,
        erasures: u64,
    ) -> Result<BufReader<File>> {
        let head = self.head(memory, erasures);
        let mut file = BufReader::with_capacity(1 << 16, file);
        let mut found = vec![0; head.len()];
        let is_ours = file.read_exact(&mut found).is_ok() && found == head.as_bytes();
        if !is_ours {
            return Err(loci_model::Error::new(
                ErrorKind::Invalid,
                "it is of another database, or out of date",
            ));
        }
        Ok(file)
    }

    /// True while some process writes a snapshot, or where that cannot be told.
    pub(crate) fn is_writing(&self) -> bool {
        match File::open(self.folder.join(LOCK)) {
            Ok(lock) => lock.try_lock_shared().is_err(),
            Err(error) => error.kind() != Io::NotFound,
        }
    }

    /// Removes the file of a memory, and what another process may be writing of it. When this returns it is gone from
    /// the folder for good.
    pub(crate) fn remove(&self, memory: &MemoryId) -> Result<()> {
        let mut removed = false;
        for path in [self.partial(memory), self.path(memory)] {
            match std::fs::remove_file(&path) {
                Ok(()) => removed = true,
                Err(error) if matches!(error.kind(), Io::NotFound | Io::NotADirectory) => {}
                Err(error) => return Err(folder_error(&named("removing", &path), error)),
            }
        }
        if removed { sync_folder(&self.folder) } else { Ok(()) }
    }

    /// Begins a file, unless another process is writing one.
    pub(crate) fn begin(self: &Arc<Self>, memory: &MemoryId, erasures: u64) -> Result<Option<Partial>> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.folder).map_err(|error| folder_error(&named("making", &self.folder), error))?;
        let lock = open_private(&self.folder.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(folder_error("locking the index folder", error)),
        }
        let path = self.partial(memory);
        let file = open_private(&path)?;
        let partial =
            Partial { files: Arc::clone(self), memory: memory.clone(), erasures, path, file, _lock: lock };
        partial.file.set_len(0).map_err(|error| partial.failed("emptying", error))?;
        partial.write(self.head(memory, erasures).as_bytes())?;
        Ok(Some(partial))
    }
}

/// Removes the snapshots of a folder whose database is replaced.
pub(crate) fn clear(data: &Path) -> Result<()> {
    let folder = data.join(FOLDER);
    match std::fs::remove_dir_all(&folder) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == Io::NotFound => Ok(()),
        Err(error) => Err(folder_error(&named("removing", &folder), error)),
    }
}

/// A file in the making; removed when dropped.
pub(crate) struct Partial {
    files: Arc<IndexFiles>,
    memory: MemoryId,
    erasures: u64,
    path: PathBuf,
    file: File,
    _lock: File,
}

impl Partial {
    /// Appends.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<()> {
        (&self.file).write_all(bytes).map_err(|error| self.failed("writing", error))
    }

    /// Makes the contents durable.
    pub(crate) fn sync(&self) -> Result<()> {
        self.file.sync_all().map_err(|error| self.failed("syncing", error))
    }

    /// Gives the file its name; false where something was erased since it was begun. Only in the turn of the writer,
    /// whose connection this is: no erasure can come between the question and the name.
    pub(crate) fn publish(self, connection: &Connection) -> Result<bool> {
        let sql = "SELECT erasures FROM memories WHERE id = ?1 AND deleted IS NULL";
        let erasures: Option<i64> =
            connection.query_row(sql, [self.memory.as_str()], |row| row.get(0)).optional().sql()?;
        if erasures.map(crate::tx::unsigned) != Some(self.erasures) {
            return Ok(false);
        }
        let target = self.files.path(&self.memory);
        std::fs::rename(&self.path, &target).map_err(|error| self.failed("naming", error))?;
        sync_folder(&self.files.folder)?;
        Ok(true)
    }

    fn failed(&self, doing: &str, error: std::io::Error) -> loci_model::Error {
        folder_error(&named(doing, &self.path), error)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != Io::NotFound => {
                tracing::warn!(%error, path = %self.path.display(), "an unfinished index snapshot stays behind");
            }
            Ok(()) | Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SqliteOptions, SqliteStore};
    use loci_model::ports::store::{Store, StoreExt};
    use loci_testkit::{block_on, samples};

    #[test]
    fn nothing_begun_before_an_erasure_gets_its_name_after_it() {
        let place = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = SqliteStore::open(SqliteOptions::new(place.path())).unwrap();
        let memory = samples::memory("notes").unwrap();
        let id = memory.id.clone();
        block_on(store.write(move |tx| {
            tx.memories_mut().insert(&memory)?;
            tx.records_mut().insert(&samples::record(&memory.id, 1, "tea")?)
        }))
        .unwrap();
        let connection = crate::open::reading(place.path()).unwrap();
        let files = Arc::new(IndexFiles::of(place.path(), &connection).unwrap());
        let partial = files.begin(&id, 0).unwrap().unwrap();
        assert!(files.begin(&id, 0).unwrap().is_none(), "one at a time");
        assert!(partial.publish(&connection).unwrap() && files.has(&id));
        let partial = files.begin(&id, 0).unwrap().unwrap();
        let of = id.clone();
        block_on(store.write(move |tx| {
            let change = loci_model::ports::store::RecordChange {
                state: loci_model::record::RecordState::Erased,
                reason: "asked".into(),
                at: samples::time(1),
            };
            tx.records_mut().set_state(&of, &samples::record_id(1)?, &change)?;
            tx.records_mut().erase_deleted(&of, samples::time(2), 9)
        }))
        .unwrap();
        let left = || std::fs::read_dir(place.path().join(FOLDER)).unwrap().count();
        assert_eq!(left(), 1, "the file and the one in the making are gone, the lock stays");
        assert!(!partial.publish(&connection).unwrap());
        // One dropped unfinished leaves nothing either.
        drop(files.begin(&id, 1).unwrap().unwrap());
        assert_eq!(left(), 1);
        assert!(files.load(&id, 1, 9).is_none());
    }
}
