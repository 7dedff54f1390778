//! Snapshots of indexes as files `index/<memory>.snap` in the data folder (decision 0034): written
//! under another name, synced, then renamed. Each is bound to this database and to its number of
//! erasures.
//!
//! A file may be removed at any time: it only speeds up the start. It never survives an erasure:
//! the writer removes it, and any unfinished one, before it commits an erasure. Files are therefore
//! created and named in the writer's turn. This module knows neither the contents of a file nor the
//! time to write one.

use std::fs::{DirBuilder, File, TryLockError};
use std::io::{BufRead, BufReader, ErrorKind as Io, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use loci_index::MemoryIndex;
use loci_model::{ErrorKind, MemoryId, Result};
use rusqlite::{Connection, OptionalExtension};

use crate::errors::{Sql, folder_error};
use crate::folder::{named, open_private, sync_folder};

const FOLDER: &str = "index";
/// The lock file held by the process that writes a snapshot.
pub(crate) const LOCK: &str = "lock";
/// The suffixes of file names.
pub(crate) const SNAPSHOT: &str = ".snap";
pub(crate) const PARTIAL: &str = ".snap.partial";
/// The maximum length of the head of a snapshot file, in bytes.
const HEAD_MAX: u64 = 1024;

/// The usability of a memory's snapshot file for a reader.
enum IndexFileUse {
    Index(Box<MemoryIndex>),
    Nothing,
    /// The file cannot be used by this reader or this version of the program, but perhaps by
    /// others. The text is the reason.
    NotNow(&'static str),
    /// The file cannot be used by anyone. The text is the reason.
    Useless(String),
}

/// The assessment of a file's heads for a reader.
pub(crate) enum Verdict {
    /// The file can be used. The reader is positioned at the start of the index.
    Usable(BufReader<File>),
    /// The file cannot be used by this reader or this version of the program, but perhaps by
    /// others. The text is the reason.
    NotNow(&'static str),
    /// The file cannot be used by anyone. The text is the reason.
    Useless(String),
}

/// The index snapshots of a data folder.
pub(crate) struct IndexFiles {
    folder: PathBuf,
    /// The id of the database. A restore changes it.
    store: String,
}

impl IndexFiles {
    /// Returns the files of the database that `connection` has open.
    pub(crate) fn of(data: &Path, connection: &Connection) -> Result<Self> {
        let store = connection.query_row("SELECT store FROM identity", [], |row| row.get(0)).sql()?;
        Ok(Self { folder: data.join(FOLDER), store })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, memory: &MemoryId) -> PathBuf {
        self.folder.join(format!("{}{SNAPSHOT}", file_name(memory.as_str())))
    }

    fn partial(&self, memory: &MemoryId) -> PathBuf {
        self.folder.join(format!("{}{PARTIAL}", file_name(memory.as_str())))
    }

    /// Returns the required start of a file. The number of erasures and the end of the line follow.
    fn head(&self, memory: &MemoryId) -> String {
        format!("loci index, store {}, memory {memory}, erasures ", self.store)
    }

    /// True if a memory has a file.
    pub(crate) fn has(&self, memory: &MemoryId) -> bool {
        self.path(memory).exists()
    }

    /// Returns the saved index of a memory, if it is usable for a reader with these erasures and
    /// this sequence. A file that is unusable for everyone is removed, with a warning.
    pub(crate) fn load(&self, memory: &MemoryId, erasures: u64, sequence: u64) -> Option<MemoryIndex> {
        match self.look(memory, erasures, sequence) {
            IndexFileUse::Index(index) => {
                tracing::debug!(%memory, saved = index.sequence(), sequence, "an index was loaded");
                return Some(*index);
            }
            IndexFileUse::Nothing => {}
            IndexFileUse::NotNow(why) => {
                tracing::info!(%memory, why, "an index snapshot is left alone: rebuilding")
            }
            IndexFileUse::Useless(why) => {
                tracing::warn!(%memory, %why, "an index snapshot is of no use and is removed: rebuilding");
                if let Err(error) = self.remove_useless(memory, erasures, sequence) {
                    tracing::warn!(%error, "an index snapshot cannot be removed");
                }
            }
        }
        None
    }

    /// Removes an unusable file, unless it was replaced meanwhile. If another process is writing
    /// one, that will replace it.
    fn remove_useless(&self, memory: &MemoryId, erasures: u64, sequence: u64) -> Result<()> {
        let Some(_lock) = self.try_lock()? else { return Ok(()) };
        // No file is named while the lock is held, so the examined file is the removed one.
        match self.look(memory, erasures, sequence) {
            IndexFileUse::Useless(_) => {
                let path = self.path(memory);
                std::fs::remove_file(&path)
                    .map_err(|error| folder_error(&named("removing", &path), error))?;
                sync_folder(&self.folder)
            }
            IndexFileUse::Index(_) | IndexFileUse::NotNow(_) | IndexFileUse::Nothing => Ok(()),
        }
    }

    fn look(&self, memory: &MemoryId, erasures: u64, sequence: u64) -> IndexFileUse {
        let path = self.path(memory);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == Io::NotFound => return IndexFileUse::Nothing,
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "an index snapshot cannot be read");
                return IndexFileUse::Nothing;
            }
        };
        match self.judge(file, memory, erasures, sequence) {
            Verdict::Usable(mut file) => match MemoryIndex::load(&mut file) {
                Ok(index) => IndexFileUse::Index(Box::new(index)),
                Err(error) => IndexFileUse::Useless(error.message),
            },
            Verdict::NotNow(why) => IndexFileUse::NotNow(why),
            Verdict::Useless(why) => IndexFileUse::Useless(why),
        }
    }

    /// Assesses the heads of a file, that of the folder and that of the index, for a reader with
    /// these erasures and this sequence. Blocks are checked when they are loaded.
    pub(crate) fn judge(&self, file: File, memory: &MemoryId, erasures: u64, sequence: u64) -> Verdict {
        let mut file = BufReader::with_capacity(1 << 16, file);
        match self.saved_at(&mut file, memory) {
            Some(saved) if saved > erasures => {
                return Verdict::NotNow("something was erased since this read began");
            }
            Some(saved) if saved == erasures => {}
            Some(_) => return Verdict::Useless("something was erased since".to_owned()),
            None => return Verdict::Useless("it is not of this memory in this database".to_owned()),
        }
        let saved = file.stream_position().map_err(|error| folder_error("reading an index snapshot", error));
        let saved = saved.and_then(|begin| Ok((begin, MemoryIndex::saved_sequence(&mut file)?)));
        let begin = match saved {
            // Another process saved it after this read began.
            Ok((_, saved)) if saved > sequence => {
                return Verdict::NotNow("it is of a later state than this read");
            }
            Ok((begin, _)) => begin,
            Err(error) if error.kind == ErrorKind::Conflict => {
                return Verdict::NotNow("it is of another version");
            }
            Err(error) => return Verdict::Useless(error.message),
        };
        match file.seek(SeekFrom::Start(begin)) {
            Ok(_) => Verdict::Usable(file),
            Err(error) => Verdict::Useless(format!("it cannot be read: {error}")),
        }
    }

    /// Returns the number of erasures in the head of a file, if it belongs to this memory.
    fn saved_at(&self, file: &mut impl BufRead, memory: &MemoryId) -> Option<u64> {
        let mut head = Vec::new();
        file.take(HEAD_MAX).read_until(b'\n', &mut head).ok()?;
        let head = std::str::from_utf8(&head).ok()?;
        head.strip_prefix(&self.head(memory))?.strip_suffix('\n')?.parse().ok()
    }

    /// True while a process writes a snapshot, or if that is unknown.
    pub(crate) fn is_writing(&self) -> bool {
        match File::open(self.folder.join(LOCK)) {
            Ok(lock) => lock.try_lock_shared().is_err(),
            Err(error) => error.kind() != Io::NotFound,
        }
    }

    /// Removes the file of a memory, and any unfinished one of another process. Afterwards neither
    /// is in the folder.
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

    /// Returns the lock for writing a snapshot; `None` while another process holds it.
    fn try_lock(&self) -> Result<Option<File>> {
        let lock = open_private(&self.folder.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(folder_error("locking the index folder", error)),
        }
    }

    /// Removes unfinished files of processes that have died. They contain nothing erased, but use
    /// space.
    pub(crate) fn clear_unfinished(&self) {
        if !self.folder.is_dir() {
            return;
        }
        if let Err(error) = self.remove_unfinished() {
            tracing::warn!(%error, "unfinished index snapshots stay behind");
        }
    }

    fn remove_unfinished(&self) -> Result<()> {
        // A live process holds the lock: an unfinished file may be its own.
        let Some(_lock) = self.try_lock()? else { return Ok(()) };
        let failed = |error| folder_error(&named("looking through", &self.folder), error);
        for entry in std::fs::read_dir(&self.folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.to_str().is_some_and(|path| path.ends_with(PARTIAL)) {
                std::fs::remove_file(&path)
                    .map_err(|error| folder_error(&named("removing", &path), error))?;
            }
        }
        Ok(())
    }

    /// Creates a file, unless another process is writing one or the memory is deleted. To be called
    /// only in the turn of the writer, with the writer's connection: later erasures then remove the
    /// file, and earlier ones are visible to its writer.
    pub(crate) fn begin(
        self: &Arc<Self>,
        connection: &Connection,
        memory: &MemoryId,
    ) -> Result<Option<PartialFile>> {
        let Some(erasures) = erasures(connection, memory)? else { return Ok(None) };
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.folder).map_err(|error| folder_error(&named("making", &self.folder), error))?;
        let Some(lock) = self.try_lock()? else { return Ok(None) };
        let path = self.partial(memory);
        let file = open_private(&path)?;
        let partial = PartialFile {
            files: Arc::clone(self),
            memory: memory.clone(),
            erasures,
            path,
            file,
            _lock: lock,
        };
        partial.file.set_len(0).map_err(|error| partial.failed("emptying", error))?;
        partial.write(format!("{}{erasures}\n", self.head(memory)).as_bytes())?;
        Ok(Some(partial))
    }
}

/// Returns the file name for an id, which is always inside the folder: letters, digits, `-` and `_`
/// are kept, which covers all current ids, and any other byte becomes `%` and two hex digits.
fn file_name(id: &str) -> String {
    let mut name = String::with_capacity(id.len());
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            _ => name.push_str(&format!("%{byte:02x}")),
        }
    }
    name
}

/// Returns the number of erasures in an existing memory, with the writer's connection.
fn erasures(connection: &Connection, memory: &MemoryId) -> Result<Option<u64>> {
    let sql = "SELECT erasures FROM memories WHERE id = ?1 AND deleted IS NULL";
    let found: Option<i64> =
        connection.query_row(sql, [memory.as_str()], |row| row.get(0)).optional().sql()?;
    Ok(found.map(crate::tx::unsigned))
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

/// An unfinished file, removed when dropped.
pub(crate) struct PartialFile {
    files: Arc<IndexFiles>,
    memory: MemoryId,
    erasures: u64,
    path: PathBuf,
    file: File,
    _lock: File,
}

impl PartialFile {
    /// Appends bytes.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<()> {
        (&self.file).write_all(bytes).map_err(|error| self.failed("writing", error))
    }

    /// Syncs the contents.
    pub(crate) fn sync(&self) -> Result<()> {
        self.file.sync_all().map_err(|error| self.failed("syncing", error))
    }

    /// Names the file. Returns false if something was erased since it was created. To be called
    /// only in the turn of the writer, with the writer's connection, so that no erasure happens in
    /// between.
    pub(crate) fn publish(self, connection: &Connection) -> Result<bool> {
        if erasures(connection, &self.memory)? != Some(self.erasures) {
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

impl Drop for PartialFile {
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
    use loci_index::SnapshotSaver;
    use loci_model::ports::store::{RecordChange, Store, StoreExt};
    use loci_model::record::RecordState;
    use loci_testkit_ports::{block_on, samples};

    /// A folder with a memory of one record, which `erase` erases.
    struct ErasureFolder {
        folder: tempfile::TempDir,
        store: Arc<dyn Store>,
        memory: MemoryId,
        connection: Connection,
        files: Arc<IndexFiles>,
    }

    impl ErasureFolder {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let store: Arc<dyn Store> = SqliteStore::open(SqliteOptions::new(folder.path())).unwrap();
            let memory = samples::memory("notes").unwrap();
            let id = memory.id.clone();
            block_on(store.write(move |tx| {
                tx.memories_mut().insert(&memory)?;
                tx.records_mut().insert(&samples::record(&memory.id, 1, "tea")?)
            }))
            .unwrap();
            let connection = crate::open::reading(folder.path()).unwrap();
            let files = Arc::new(IndexFiles::of(folder.path(), &connection).unwrap());
            Self { folder, store, memory: id, connection, files }
        }

        fn begin(&self) -> Option<PartialFile> {
            self.files.begin(&self.connection, &self.memory).unwrap()
        }

        /// Saves a named file of an empty index at `sequence`.
        fn save(&self, sequence: u64) {
            let mut index = MemoryIndex::new();
            index.set_sequence(sequence);
            let (partial, mut saver, mut block) = (self.begin().unwrap(), SnapshotSaver::new(), Vec::new());
            while saver.next(&index, &mut block) {
                partial.write(&block).unwrap();
                block.clear();
            }
            assert!(partial.publish(&self.connection).unwrap());
        }

        fn erase(&self) {
            let of = self.memory.clone();
            block_on(self.store.write(move |tx| {
                let (state, reason) = (RecordState::Erased, "asked".into());
                let change = RecordChange { state, reason, at: samples::time(1) };
                tx.records_mut().set_state(&of, &samples::record_id(1)?, &change)?;
                tx.records_mut().erase_deleted(&of, samples::time(2), 0, 9).map(drop)
            }))
            .unwrap();
        }

        fn names(&self) -> Vec<String> {
            let entries = std::fs::read_dir(self.folder.path().join(FOLDER)).unwrap();
            let mut names: Vec<String> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort_unstable();
            names
        }
    }

    #[test]
    fn no_id_names_a_file_outside_the_folder() {
        assert_eq!(file_name("notes-a1B2c3D4e5"), "notes-a1B2c3D4e5");
        for id in ["../../x", "/etc/passwd", "..", "a/b", "a\\b", "a\0b", "é"] {
            let name = file_name(id);
            assert_eq!(Path::new(&name).components().count(), 1, "{name}");
            assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'%'), "{name}");
        }
    }

    #[test]
    fn nothing_begun_before_an_erasure_gets_its_name_after_it() {
        let place = ErasureFolder::new();
        let partial = place.begin().unwrap();
        assert!(place.begin().is_none(), "one at a time");
        assert!(partial.publish(&place.connection).unwrap() && place.files.has(&place.memory));
        let partial = place.begin().unwrap();
        place.erase();
        assert_eq!(place.names(), [LOCK], "the file and the one in the making are gone");
        assert!(!partial.publish(&place.connection).unwrap());
        // A dropped unfinished file leaves nothing either.
        drop(place.begin().unwrap());
        assert_eq!(place.names(), [LOCK]);
        assert!(place.files.load(&place.memory, 1, 9).is_none());
    }

    #[test]
    fn what_a_dead_process_left_unfinished_is_removed_and_a_living_ones_is_not() {
        let place = ErasureFolder::new();
        let living = place.begin().unwrap();
        let open = || drop(SqliteStore::open(SqliteOptions::new(place.folder.path())).unwrap());
        open();
        assert!(living.publish(&place.connection).unwrap());
        let (named, dead) = (format!("{}.snap", place.memory), format!("other{PARTIAL}"));
        std::fs::write(place.folder.path().join(FOLDER).join(dead), "xyzzy").unwrap();
        assert_eq!(place.names().len(), 3);
        open();
        assert_eq!(place.names(), [LOCK.to_owned(), named]);
    }

    #[test]
    fn a_reader_that_is_behind_leaves_the_file_and_what_is_in_the_making_alone() {
        let place = ErasureFolder::new();
        place.save(7);
        let load = |erasures, sequence| place.files.load(&place.memory, erasures, sequence).is_some();
        assert!(!load(0, 6) && load(0, 7), "a later sequence");
        place.erase();
        place.save(8);
        let partial = place.begin().unwrap();
        assert!(!load(0, 9) && load(1, 9), "an erasure later");
        assert_eq!(place.names().len(), 3);
        // Unusable, but about to be replaced.
        assert!(!load(2, 9));
        assert_eq!(place.names().len(), 3);
        drop(partial);
        assert!(!load(2, 9));
        assert_eq!(place.names(), [LOCK]);
    }
}
