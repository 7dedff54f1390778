//! Notes in a directory of Markdown files that people and other agents read and write, too. Nothing is lost to them: files are read again
//! under a lock before each append, appends only append, and what has no room under a name goes under another.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};

use super::file_layout::{appended, first_line, is_same_topic, stem};
use super::file_search;
use crate::agent::batch::{BatchOutcome, MessageBatch};
use crate::agent::coordinator::ExtractionConfig;
use crate::agent::entry::{Added, Entry, NewEntry};
use crate::agent::error::{MemoryError, StoreError};
use crate::agent::limits::{FILE_BYTES_MAX, FILE_NAMES_MAX};
use crate::agent::store::{Capabilities, MemoryStore, SearchQuery};

/// A store to be.
#[derive(Debug, Clone)]
pub struct FileStoreOptions {
    /// Its name, and that of its directory.
    pub name: String,
    /// Where its directory is: `.strands/memory` is where other agents look.
    pub directory: PathBuf,
    /// What it holds, for a model.
    pub description: Option<String>,
    /// Entries of a search.
    pub max_search_results: Option<NonZeroU32>,
    /// It may be written to.
    pub writable: bool,
    /// How messages come into it; needs an extractor, here or at the manager.
    pub extraction: Option<ExtractionConfig>,
}

impl FileStoreOptions {
    /// A store that may be written to, in the directory of its name under `.strands/memory`.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            directory: PathBuf::from(".strands/memory"),
            description: None,
            max_search_results: None,
            writable: true,
            extraction: None,
        }
    }
}

/// Notes in files.
#[derive(Debug)]
pub struct FileStore {
    options: FileStoreOptions,
    directory: PathBuf,
}

/// A file as it is read.
#[derive(Debug, Clone)]
pub(super) struct NoteFile {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) changed_at_ms: Option<i64>,
}

impl FileStore {
    /// A store.
    ///
    /// # Errors
    /// Where its name cannot be that of a directory.
    pub fn new(mut options: FileStoreOptions) -> Result<Self, MemoryError> {
        let name = &options.name;
        if name.trim().is_empty() || name.starts_with('.') || name.contains(['/', '\\', '\0', ':']) {
            return Err(MemoryError::Configuration(format!(
                "FileStore: name '{name}' must be that of a directory: no path, and no dot at its beginning"
            )));
        }
        if !options.writable && options.extraction.take().is_some() {
            let name = &options.name;
            tracing::warn!(
                "store=<{name}> | extraction is configured on a store that is not writable, and left out"
            );
        }
        let directory = options.directory.join(&options.name);
        Ok(Self { options, directory })
    }

    fn write(&self, content: &str) -> Result<Added, StoreError> {
        let content = content.trim();
        if content.is_empty() {
            return Err(StoreError::permanent("an entry must not be empty"));
        }
        fs::create_dir_all(&self.directory).map_err(failed)?;
        let lock = OpenOptions::new().create(true).append(true).open(self.directory.join(".lock"));
        let lock = lock.map_err(failed)?;
        // Held for one append; it goes with the file, also where the process ends.
        lock.lock().map_err(failed)?;
        for attempt in 1..=FILE_NAMES_MAX {
            let name = format!("{}.md", stem(first_line(content), attempt));
            if written(&self.directory.join(&name), content)? {
                return Ok(Added { id: Some(name) });
            }
        }
        Err(StoreError::permanent("too many topics share one name: give the entry another heading"))
    }

    fn files(&self) -> Result<Vec<NoteFile>, StoreError> {
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

/// Writes to a file of this topic, or makes it. False: another topic has the name.
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

/// A file; `None` where it is gone meanwhile, or no note.
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

fn failed(error: std::io::Error) -> StoreError {
    StoreError::transient(format!("the notes cannot be used: {error}")).caused_by(error)
}

impl MemoryStore for FileStore {
    fn name(&self) -> &str {
        &self.options.name
    }

    fn description(&self) -> Option<&str> {
        self.options.description.as_deref()
    }

    fn capabilities(&self) -> Capabilities {
        let writable = self.options.writable;
        Capabilities { writable, add: writable, ..Capabilities::default() }
    }

    fn max_search_results(&self) -> Option<NonZeroU32> {
        self.options.max_search_results
    }

    fn extraction(&self) -> Option<&ExtractionConfig> {
        self.options.extraction.as_ref()
    }

    fn search<'a>(&'a self, query: &'a SearchQuery) -> BoxFuture<'a, Result<Vec<Entry>, StoreError>> {
        let limit = usize::try_from(query.max_results.get()).unwrap_or(usize::MAX);
        let found = self.files().map(|files| file_search::found(self.name(), &files, &query.text, limit));
        ready(found).boxed()
    }

    fn add<'a>(&'a self, entry: &'a NewEntry) -> BoxFuture<'a, Result<Added, StoreError>> {
        if !entry.metadata.is_empty() {
            tracing::debug!("store=<{}> | notes have no place for metadata, which is left out", self.name());
        }
        ready(self.write(&entry.content)).boxed()
    }

    fn add_messages<'a>(
        &'a self,
        _batch: &'a MessageBatch,
    ) -> BoxFuture<'a, Result<BatchOutcome, StoreError>> {
        ready(Err(StoreError::permanent("notes take entries, no messages"))).boxed()
    }
}

#[cfg(test)]
#[path = "file_store_tests.rs"]
mod tests;
