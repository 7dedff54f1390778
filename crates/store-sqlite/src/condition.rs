//! Checks that the database opened by this process is still the one in the data folder, and not
//! damaged. If a folder was replaced, redirected or removed, or a log was removed, the open files
//! are no longer reachable. Restoring a backup would lose writes to a damaged database. In both
//! cases no write may be acknowledged.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use loci_model::{Error, Result};

use crate::errors::{folder_error, is_damage, loci_db_damaged};
use crate::folder::{DATABASE, LOG};

/// The files of the database as opened, under the configured path, in which a link may change.
/// Shared by the readers and the writer of a store.
#[derive(Debug, Clone)]
pub(crate) struct DatabaseCondition {
    path: PathBuf,
    file: FileIdentity,
    /// True if the database file had content besides its log; it never becomes empty again.
    is_filled: bool,
    log_path: PathBuf,
    /// The log, once it exists: SQLite keeps the file while a connection is open.
    log: Arc<OnceLock<FileIdentity>>,
    /// True after damage was found. It stays set until a process opens the database again, even if
    /// other pages are still readable.
    is_damaged: Arc<AtomicBool>,
}

/// The identity of a file, which distinguishes it from another one with the same name.
type FileIdentity = (u64, u64);

impl DatabaseCondition {
    /// Returns the condition of the database in the configured folder, which is open for writing.
    ///
    /// # Errors
    /// `Unavailable` if the files cannot be examined.
    pub(crate) fn of(folder: &Path) -> Result<Self> {
        let folder =
            std::path::absolute(folder).map_err(|error| folder_error("finding the data folder", error))?;
        let path = folder.join(DATABASE);
        let metadata =
            std::fs::metadata(&path).map_err(|error| folder_error("finding the database", error))?;
        Ok(Self {
            path,
            file: identity(&metadata),
            is_filled: metadata.len() > 0,
            log_path: folder.join(LOG),
            log: Arc::default(),
            is_damaged: Arc::default(),
        })
    }

    /// Returns the outcome unchanged, after recording any damage it reports.
    pub(crate) fn noted<T>(&self, outcome: Result<T>) -> Result<T> {
        self.note(&outcome);
        outcome
    }

    /// Records damage that an outcome reports.
    pub(crate) fn note<T>(&self, outcome: &Result<T>) {
        if outcome.as_ref().is_err_and(is_damage) {
            self.is_damaged.store(true, Ordering::Relaxed);
        }
    }

    /// Returns an error if damage was found, or if the database or its log was replaced or removed.
    ///
    /// # Errors
    /// `Unavailable`, with the remedy.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_damaged.load(Ordering::Relaxed) {
            return Err(loci_db_damaged());
        }
        let found = std::fs::metadata(&self.path);
        let is_there = found
            .as_ref()
            .is_ok_and(|metadata| identity(metadata) == self.file && (metadata.len() > 0 || !self.is_filled));
        if is_there && self.has_log() {
            return Ok(());
        }
        let rule = "the data folder, or a file of its database, was replaced, emptied or removed while this \
                    process has it open: put it back as it was, or stop the process and start it on the \
                    folder that is meant; the write is not acknowledged";
        let error = Error::unavailable(rule);
        Err(match found {
            Ok(_) => error,
            Err(cause) => error.caused_by(cause),
        })
    }

    /// True if the log is the same as before, or never existed.
    fn has_log(&self) -> bool {
        let found = std::fs::metadata(&self.log_path).ok().map(|metadata| identity(&metadata));
        found.map_or(self.log.get().is_none(), |found| *self.log.get_or_init(|| found) == found)
    }
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> FileIdentity {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// An open file cannot be replaced on this system: its existence is enough.
#[cfg(not(unix))]
fn identity(_: &Metadata) -> FileIdentity {
    (0, 0)
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, SeekFrom, Write};
    use std::sync::Arc;

    use loci_model::ErrorKind;
    use loci_model::ports::store::{Checkpoint, Store, StoreExt};
    use loci_testkit_ports::{block_on, samples};

    use crate::errors::loci_db_damaged;
    use crate::{SqliteOptions, SqliteStore};

    /// Returns the result of a write, and true if the store reports that it is ready.
    fn written(store: &Arc<dyn Store>, name: &str) -> (Option<ErrorKind>, bool) {
        let memory = samples::memory(name).unwrap();
        let outcome = block_on(store.write(move |tx| tx.memories_mut().insert(&memory)));
        (outcome.err().map(|error| error.kind), block_on(store.info(true)).is_ok())
    }

    #[test]
    fn nothing_is_acknowledged_in_a_folder_that_is_not_there() {
        let around = tempfile::tempdir().unwrap();
        let (folder, away) = (around.path().join("data"), around.path().join("away"));
        let store: Arc<dyn Store> = SqliteStore::open(SqliteOptions::new(&folder)).unwrap();
        let (well, refused) = ((None, true), (Some(ErrorKind::Unavailable), false));
        assert_eq!(written(&store, "first"), well);
        // The folder is moved away, and a new one created in its place.
        std::fs::rename(&folder, &away).unwrap();
        assert_eq!(written(&store, "second"), refused);
        let other: Arc<dyn Store> = SqliteStore::open(SqliteOptions::new(&folder)).unwrap();
        assert_eq!(written(&other, "others"), well);
        assert_eq!(written(&store, "third"), refused);
        other.close();
        // The folder is restored: no rejected write is in it.
        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::rename(&away, &folder).unwrap();
        assert_eq!(written(&store, "fourth"), well);
        let names = block_on(store.read(|tx| tx.memories().list(None, 9))).unwrap();
        let mut names: Vec<_> = names.into_iter().map(|memory| memory.name).collect();
        names.sort_unstable();
        assert_eq!(names, ["first", "fourth"]);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(written(&store, "fifth"), refused);
    }

    #[test]
    fn an_emptied_database_is_not_ours() {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = SqliteStore::open(SqliteOptions::new(folder.path())).unwrap();
        assert_eq!(written(&store, "first"), (None, true));
        std::fs::write(folder.path().join("loci.db"), "").unwrap();
        assert_eq!(written(&store, "second"), (Some(ErrorKind::Unavailable), false));
    }

    #[test]
    fn a_removed_log_and_a_link_that_leads_elsewhere_are_noticed() {
        let around = tempfile::tempdir().unwrap();
        let (first, second, link) =
            (around.path().join("first"), around.path().join("second"), around.path().join("data"));
        std::fs::create_dir_all(&first).unwrap();
        std::fs::create_dir_all(&second).unwrap();
        std::os::unix::fs::symlink(&first, &link).unwrap();
        let store: Arc<dyn Store> = SqliteStore::open(SqliteOptions::new(&link)).unwrap();
        let (well, refused) = ((None, true), (Some(ErrorKind::Unavailable), false));
        assert_eq!(written(&store, "first"), well);
        // The link points elsewhere, and back.
        SqliteStore::open(SqliteOptions::new(&second)).unwrap().close();
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(&second, &link).unwrap();
        assert_eq!(written(&store, "second"), refused);
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(&first, &link).unwrap();
        assert_eq!(written(&store, "third"), well);
        // A checkpoint keeps the log; another process removes it.
        let underway = Checkpoint::Underway { monotonic_us: 1 };
        block_on(store.checkpoint(underway)).unwrap();
        assert_eq!(written(&store, "fourth"), well);
        std::fs::remove_file(first.join("loci.db-wal")).unwrap();
        assert_eq!(written(&store, "fifth"), refused);
    }

    #[test]
    fn a_damaged_database_is_not_ready_and_acknowledges_nothing_once_it_was_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = SqliteStore::open(SqliteOptions::new(folder.path())).unwrap();
        let memory = samples::memory("first").unwrap();
        block_on(store.write(move |tx| tx.memories_mut().insert(&memory))).unwrap();
        block_on(store.checkpoint(Checkpoint::Last)).unwrap();
        store.close();
        let path = folder.path().join("loci.db");
        let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        let length = file.metadata().unwrap().len();
        // Overwrites everything except the first page, which has the file type, and the pages of
        // the schema.
        file.seek(SeekFrom::Start(length / 4)).unwrap();
        file.write_all(&vec![0x5a; usize::try_from(length - length / 4).unwrap()]).unwrap();
        drop(file);
        let Ok(store) = SqliteStore::open(SqliteOptions::new(folder.path())) else { return };
        let store: Arc<dyn Store> = store;
        let found = block_on(store.read(|tx| tx.memories().list(None, 9)));
        assert_eq!(found.unwrap_err().kind, ErrorKind::Unavailable);
        assert_eq!(block_on(store.info(false)).unwrap_err().kind, ErrorKind::Unavailable);
        assert_eq!(written(&store, "second"), (Some(ErrorKind::Unavailable), false));
    }

    #[test]
    fn a_turn_that_finds_damage_acknowledges_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = SqliteStore::open(SqliteOptions::new(folder.path())).unwrap();
        let (go, gone) = std::sync::mpsc::channel::<()>();
        // The first piece holds the turn until all others are queued.
        let first = store.write_boxed(Box::new(move |_| {
            let _ = gone.recv();
            Ok(())
        }));
        let second = store.write_boxed(Box::new(|_| Err(loci_db_damaged())));
        let third = store.write_boxed(Box::new(|_| Ok(())));
        drop(go);
        let kinds = [first, second, third].map(|outcome| block_on(outcome).err().map(|error| error.kind));
        assert_eq!(kinds, [Some(ErrorKind::Unavailable); 3]);
    }
}
