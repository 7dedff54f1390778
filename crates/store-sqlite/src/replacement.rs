//! Replaces the database of a folder. A process may end at any moment: the folder then has either
//! the old database with its log, or the new one without a log.
//!
//! SQLite does not check to which database a log belongs: an old one next to a new database would
//! be applied to it. Therefore the new database, complete and synced, first gets a name that
//! decides the replacement, while the old one is untouched. From then on every process that opens
//! the folder finishes the replacement before it opens the database.

use std::path::{Path, PathBuf};

use loci_model::{Error, Result};

use crate::errors::folder_error;
use crate::folder::{DATABASE, LOG, named, sync_folder};
use crate::locks::Turnstile;

/// The name of an unfinished database, which has no meaning for the folder.
const UNFINISHED: &str = "loci.db.restore";
/// The name of a complete database that replaces the folder's one.
const READY: &str = "loci.db.restored";
/// The files that SQLite reads together with the database of the folder.
const COMPANIONS: [&str; 3] = [LOG, "loci.db-journal", "loci.db-shm"];
/// The suffixes of the names of an unfinished database and its companion files.
const UNFINISHED_ENDS: [&str; 4] = ["", "-journal", "-wal", "-shm"];

/// Returns the path at which a database is created before it replaces the folder's one.
pub(crate) fn unfinished(folder: &Path) -> PathBuf {
    folder.join(UNFINISHED)
}

/// True if a complete database is waiting to replace the folder's one.
pub(crate) fn is_pending(folder: &Path) -> Result<bool> {
    let path = folder.join(READY);
    match std::fs::symlink_metadata(&path) {
        Ok(file) => Ok(file.is_file()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(folder_error(&named("finding", &path), error)),
    }
}

/// Replaces the folder's database with the one at [`unfinished`], which must be complete and
/// synced. Needs exclusive use of the folder. After an error, the next process that opens the
/// folder finishes a decided replacement, and discards the new database otherwise.
pub(crate) fn replace(folder: &Path) -> Result<()> {
    decide(folder)?;
    finish(folder)
}

/// Finishes an interrupted replacement, and removes an unfinished database. To be called only with
/// the schema lock and before the database is opened: no restore is then running, and no process
/// uses a database that is to be replaced.
pub(crate) fn settle(folder: &Path) -> Result<()> {
    if is_pending(folder)? {
        let turnstile = Turnstile::open(folder)?;
        let _turn = turnstile.enter()?;
        // Another process that opens the folder may have finished it meanwhile.
        if is_pending(folder)? {
            finish(folder)?;
        }
    }
    discard(folder)
}

/// Removes an unfinished database and its companion files.
pub(crate) fn discard(folder: &Path) -> Result<()> {
    UNFINISHED_ENDS.iter().try_for_each(|end| remove(&folder.join(format!("{UNFINISHED}{end}"))))
}

fn decide(folder: &Path) -> Result<()> {
    let ready = folder.join(READY);
    std::fs::rename(unfinished(folder), &ready)
        .map_err(|error| folder_error(&named("naming", &ready), error))?;
    sync_folder(folder)
}

fn finish(folder: &Path) -> Result<()> {
    give_name(folder).map_err(told)?;
    sync_folder(folder)
}

fn give_name(folder: &Path) -> Result<()> {
    COMPANIONS.iter().try_for_each(|name| remove(&folder.join(name)))?;
    // A power failure must not bring a log back next to the new database.
    sync_folder(folder)?;
    let database = folder.join(DATABASE);
    std::fs::rename(folder.join(READY), &database)
        .map_err(|error| folder_error(&named("replacing", &database), error))
}

/// Returns the error for a decided replacement that was not finished: the folder has changed.
fn told(mut error: Error) -> Error {
    error.message.push_str(
        "; the restore is decided: the next process that opens the folder puts loci.db.restored in the place \
         of loci.db",
    );
    error
}

fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(folder_error(&named("removing", path), error)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use loci_model::ErrorKind;
    use loci_model::ports::store::{Store, StoreExt};
    use loci_testkit_ports::{block_on, samples};

    use super::*;
    use crate::{SqliteOptions, SqliteStore, restore};

    fn write(store: &Arc<dyn Store>, name: &str) {
        let memory = samples::memory(name).unwrap();
        block_on(store.write(move |tx| tx.memories_mut().insert(&memory))).unwrap();
    }

    fn open(folder: &Path) -> Arc<dyn Store> {
        let options = SqliteOptions { existing_only: true, ..SqliteOptions::new(folder) };
        SqliteStore::open(options).unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let store = open(folder);
        let memories = block_on(store.read(|tx| tx.memories().list(None, 9))).unwrap();
        let mut names: Vec<String> = memories.into_iter().map(|memory| memory.name).collect();
        names.sort_unstable();
        names
    }

    /// A backup of one memory, and the data folder of a process that was killed: its database
    /// contains that memory, and its log another, acknowledged one.
    struct Killed {
        _place: tempfile::TempDir,
        backup: PathBuf,
        folder: PathBuf,
    }

    const OLD: [&str; 2] = ["first", "second"];
    const NEW: [&str; 1] = ["first"];

    impl Killed {
        fn new() -> Self {
            let place = tempfile::tempdir().unwrap();
            let [backup, alive, folder] = ["backup.db", "alive", "data"].map(|name| place.path().join(name));
            let store: Arc<dyn Store> = SqliteStore::open(SqliteOptions::new(&alive)).unwrap();
            write(&store, "first");
            block_on(store.backup(backup.clone())).unwrap();
            write(&store, "second");
            std::fs::create_dir(&folder).unwrap();
            for name in [DATABASE, LOG, "schema"] {
                std::fs::copy(alive.join(name), folder.join(name)).unwrap();
            }
            assert!(std::fs::metadata(folder.join(LOG)).unwrap().len() > 0);
            Self { _place: place, backup, folder }
        }

        fn has(&self, name: &str) -> bool {
            self.folder.join(name).exists()
        }

        /// Checks that the folder, opened by the next process, contains these memories, and nothing
        /// of the restore.
        fn holds(&self, expected: &[&str], step: &str) {
            assert_eq!(names(&self.folder), expected, "{step}");
            assert!(!self.has(UNFINISHED) && !self.has(READY), "{step}");
            assert_eq!(names(&self.folder), expected, "{step}, opened again");
        }
    }

    #[test]
    fn a_kill_at_any_step_leaves_the_old_database_with_its_log_or_the_new_one_with_none() {
        type Step = (&'static str, fn(&Path), &'static [&'static str]);
        let steps: [Step; 6] = [
            ("nothing", |_| {}, &OLD),
            (
                "a part of the new database",
                |folder| std::fs::write(unfinished(folder), "SQLite").unwrap(),
                &OLD,
            ),
            ("the new database", |folder| put_unfinished(&backup_of(folder), folder), &OLD),
            ("decided", |folder| decide(folder).unwrap(), &NEW),
            ("the log removed", |folder| remove(&folder.join(LOG)).unwrap(), &NEW),
            ("the swap", |folder| finish(folder).unwrap(), &NEW),
        ];
        for (last, (name, _, expected)) in steps.iter().enumerate() {
            let killed = Killed::new();
            steps.iter().take(last + 1).for_each(|(_, step, _)| step(&killed.folder));
            killed.holds(expected, name);
        }
    }

    fn backup_of(folder: &Path) -> PathBuf {
        folder.parent().unwrap().join("backup.db")
    }

    fn put_unfinished(backup: &Path, folder: &Path) {
        std::fs::copy(backup, unfinished(folder)).unwrap();
    }

    #[test]
    fn a_restore_that_fails_before_the_decision_touches_nothing_and_one_after_it_is_finished() {
        // A directory with the name of a file makes the step fail that renames or removes it.
        let before = Killed::new();
        std::fs::create_dir(before.folder.join(READY)).unwrap();
        let error = restore(&before.backup, &before.folder, true).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unavailable);
        assert!(!error.message.contains("the restore is decided"), "{}", error.message);
        assert!(before.has(LOG));
        std::fs::remove_dir(before.folder.join(READY)).unwrap();
        before.holds(&OLD, "undecided");
        let after = Killed::new();
        std::fs::create_dir(after.folder.join(COMPANIONS[1])).unwrap();
        let error = restore(&after.backup, &after.folder, true).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unavailable);
        assert!(error.message.contains("the restore is decided"), "{}", error.message);
        assert!(after.has(READY) && !after.has(LOG));
        std::fs::remove_dir(after.folder.join(COMPANIONS[1])).unwrap();
        after.holds(&NEW, "decided");
    }

    #[test]
    fn a_swap_into_an_empty_folder_is_finished_for_processes_that_expect_a_store() {
        let killed = Killed::new();
        let folder = killed.folder.parent().unwrap().join("fresh");
        std::fs::create_dir(&folder).unwrap();
        put_unfinished(&killed.backup, &folder);
        decide(&folder).unwrap();
        assert_eq!(names(&folder), NEW);
    }

    #[test]
    fn a_restore_after_a_killed_one_sees_the_database_that_was_decided_on() {
        let killed = Killed::new();
        put_unfinished(&killed.backup, &killed.folder);
        decide(&killed.folder).unwrap();
        assert_eq!(restore(&killed.backup, &killed.folder, false).unwrap_err().kind, ErrorKind::Conflict);
        assert!(!killed.has(READY) && !killed.has(LOG));
        killed.holds(&NEW, "finished");
    }

    #[test]
    fn a_restored_database_keeps_a_log() {
        let killed = Killed::new();
        restore(&killed.backup, &killed.folder, true).unwrap();
        let store = open(&killed.folder);
        write(&store, "third");
        assert!(killed.has(LOG) && !killed.has("loci.db-journal"));
        // A database restored by an earlier version has none until it is opened.
        let earlier = Killed::new();
        remove(&earlier.folder.join(LOG)).unwrap();
        std::fs::copy(&earlier.backup, earlier.folder.join(DATABASE)).unwrap();
        let store = open(&earlier.folder);
        write(&store, "third");
        assert!(earlier.has(LOG) && !earlier.has("loci.db-journal"));
    }

    #[test]
    fn a_folder_whose_database_has_no_log_is_opened_beside_a_process_that_writes() {
        let earlier = Killed::new();
        remove(&earlier.folder.join(LOG)).unwrap();
        std::fs::copy(&earlier.backup, earlier.folder.join(DATABASE)).unwrap();
        let turnstile = Turnstile::open(&earlier.folder).unwrap();
        let turn = turnstile.enter().unwrap();
        let writer = rusqlite::Connection::open(earlier.folder.join(DATABASE)).unwrap();
        writer.execute_batch("BEGIN IMMEDIATE").unwrap();
        std::thread::scope(|scope| {
            let opened = scope.spawn(|| open(&earlier.folder).close());
            // A process that waits for its turn holds the queue lock.
            let queue = std::fs::File::open(earlier.folder.join("turn")).unwrap();
            while !opened.is_finished() && queue.try_lock().is_ok() {
                queue.unlock().unwrap();
                std::thread::yield_now();
            }
            writer.execute_batch("COMMIT").unwrap();
            drop(turn);
            opened.join().unwrap();
        });
        drop(writer);
        let store = open(&earlier.folder);
        write(&store, "third");
        assert!(earlier.has(LOG) && !earlier.has("loci.db-journal"));
    }
}
