//! The memory of damage: once SQLite has found the database damaged, the store is not ready until a
//! process opens it again, also where other pages can still be read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use loci_model::Result;

use crate::errors::{is_damage, loci_db_damaged};

/// True once damage was found; shared by the readers and the writer of one store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Damage(Arc<AtomicBool>);

impl Damage {
    /// Returns the outcome as it is, after a look at whether it tells of damage.
    pub(crate) fn noted<T>(&self, outcome: Result<T>) -> Result<T> {
        outcome.inspect_err(|error| {
            if is_damage(error) {
                self.0.store(true, Ordering::Relaxed);
            }
        })
    }

    /// An error where damage was found.
    ///
    /// # Errors
    /// `Unavailable`, with the remedy.
    pub(crate) fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) { Err(loci_db_damaged()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, SeekFrom, Write};
    use std::sync::Arc;

    use loci_model::ErrorKind;
    use loci_model::ports::store::{Checkpoint, Store, StoreExt};
    use loci_testkit::{block_on, samples};

    use crate::{SqliteOptions, SqliteStore};

    #[test]
    fn a_damaged_database_is_not_ready_once_it_was_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = SqliteStore::open(SqliteOptions::new(folder.path())).unwrap();
        let memory = samples::memory("first").unwrap();
        block_on(store.write(move |tx| tx.memories_mut().insert(&memory))).unwrap();
        block_on(store.checkpoint(Checkpoint::Last)).unwrap();
        store.close();
        let path = folder.path().join("loci.db");
        let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        let length = file.metadata().unwrap().len();
        // Everything but the first page, which says what kind of file it is, and the schema's.
        file.seek(SeekFrom::Start(length / 4)).unwrap();
        file.write_all(&vec![0x5a; usize::try_from(length - length / 4).unwrap()]).unwrap();
        drop(file);
        let Ok(store) = SqliteStore::open(SqliteOptions::new(folder.path())) else { return };
        let store: Arc<dyn Store> = store;
        let found = block_on(store.read(|tx| tx.memories().list(None, 9)));
        assert_eq!(found.unwrap_err().kind, ErrorKind::Unavailable);
        assert_eq!(block_on(store.info(false)).unwrap_err().kind, ErrorKind::Unavailable);
    }
}
