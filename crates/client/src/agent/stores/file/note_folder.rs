//! A directory of notes: its files, and appending under a lock. The functions block on the disk, so
//! `store` runs them on a thread that may block.
//!
//! No other writer's data is lost: a file is read again under the lock before each append, and
//! existing lines are never changed. A text whose file name belongs to another topic goes into a
//! file with another name.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::layout::{appended, first_line, is_same_topic, stem};
use crate::agent::entry::Added;
use crate::agent::error::StoreError;
use crate::agent::limits::{FILE_BYTES_MAX, FILE_NAMES_MAX};

/// The name of the lock file. A writer in any process holds its lock while it appends.
const LOCK: &str = ".lock";

/// A directory of notes. It may not exist yet.
#[derive(Debug, Clone)]
pub(super) struct NoteFolder {
    directory: PathBuf,
}

/// A note file, as it was read.
#[derive(Debug, Clone)]
pub(super) struct NoteFile {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) changed_at_ms: Option<i64>,
}

/// The outcome of adding a text.
#[derive(Debug)]
pub(super) enum NoteAddition {
    /// The text is in a note: it was appended, or was there before.
    Added(Added),
    /// Another writer holds the lock, so nothing was written.
    Busy,
}

impl NoteFolder {
    pub(super) fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// Returns the path of the lock file.
    pub(super) fn lock_path(&self) -> PathBuf {
        self.directory.join(LOCK)
    }

    /// Adds a text, unless another writer holds the lock.
    pub(super) fn write(&self, content: &str) -> Result<NoteAddition, StoreError> {
        let content = content.trim();
        if content.is_empty() {
            return Err(StoreError::permanent("an entry must not be empty"));
        }
        fs::create_dir_all(&self.directory).map_err(failed)?;
        // Held for one append. The lock ends with the file handle, also when the process ends.
        let lock = OpenOptions::new().create(true).append(true).open(self.lock_path()).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(NoteAddition::Busy),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        for attempt in 1..=FILE_NAMES_MAX {
            let name = format!("{}.md", stem(first_line(content), attempt));
            if written(&self.directory.join(&name), content)? {
                return Ok(NoteAddition::Added(Added { id: Some(name) }));
            }
        }
        Err(StoreError::permanent("too many topics share one name: give the entry another heading"))
    }

    /// Returns all notes, ordered by their names.
    pub(super) fn files(&self) -> Result<Vec<NoteFile>, StoreError> {
        let found = match fs::read_dir(&self.directory) {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut files = Vec::new();
        for file in found {
            let path = file.map_err(failed)?.path();
            if path.extension().is_some_and(|ending| ending == "md")
                && let Some(file) = read(&path)?
            {
                files.push(file);
            }
        }
        files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(files)
    }
}

/// Appends a text to the file of its topic, or creates the file. Returns false if the file belongs
/// to another topic.
fn written(path: &Path, content: &str) -> Result<bool, StoreError> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => {
            file.write_all(format!("{content}\n").as_bytes()).map_err(failed)?;
            return Ok(true);
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failed(error)),
    }
    let present = String::from_utf8_lossy(&fs::read(path).map_err(failed)?).into_owned();
    if !present.trim().is_empty() && !is_same_topic(first_line(&present), first_line(content)) {
        return Ok(false);
    }
    let new =
        if present.trim().is_empty() { Some(format!("{content}\n")) } else { appended(&present, content) };
    if let Some(new) = new {
        let mut file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        file.write_all(new.as_bytes()).map_err(failed)?;
    }
    Ok(true)
}

/// Reads a note file. `None` if it was removed meanwhile or is not a note.
fn read(path: &Path) -> Result<Option<NoteFile>, StoreError> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Ok(None) };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let about = file.metadata().map_err(failed)?;
    if !about.is_file() {
        return Ok(None);
    }
    if about.len() > FILE_BYTES_MAX {
        tracing::warn!("file=<{name}> | a note is too large to be searched");
        return Ok(None);
    }
    let changed = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let text = String::from_utf8_lossy(&fs::read(path).map_err(failed)?).into_owned();
    Ok(Some(NoteFile {
        name: name.to_owned(),
        text,
        changed_at_ms: changed.and_then(|since| i64::try_from(since.as_millis()).ok()),
    }))
}

pub(super) fn failed(error: std::io::Error) -> StoreError {
    StoreError::transient(format!("the notes cannot be used: {error}")).caused_by(error)
}
