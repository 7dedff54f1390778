//! A store of notes: a directory of Markdown files that people and other agents also read and
//! write. Disk operations run on a separate thread, for at most the time limit of the lock.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, join, ready};

use super::note_folder::{NoteAddition, NoteFolder, failed};
use super::search::{self, Fact};
use super::semantic_search::{self, Meaning};
use crate::agent::batch::{BatchOutcome, MessageBatch};
use crate::agent::blocking_task::off_thread;
use crate::agent::coordinator::ExtractionConfig;
use crate::agent::entry::{Added, Entry, NewEntry};
use crate::agent::error::{MemoryError, StoreError};
use crate::agent::limits::{FILE_LOCK_PAUSE_MS_MAX, FILE_LOCK_PAUSE_MS_MIN, FILE_LOCK_WAIT_MS};
use crate::agent::runtime::{Clock, SystemClock};
use crate::agent::store::{Capabilities, MemoryStore, SearchQuery};

/// The options of a [`FileStore`].
#[derive(Debug, Clone)]
pub struct FileStoreOptions {
    /// The name of the store, which is also the name of its directory.
    pub name: String,
    /// The directory that contains the store's directory. Other agents read `.strands/memory`.
    pub directory: PathBuf,
    /// A description of the store's contents, which a model reads.
    pub description: Option<String>,
    /// The maximum number of entries of a search.
    pub max_search_results: Option<NonZeroU32>,
    /// True if the store may be written to.
    pub writable: bool,
    /// The configuration by which messages become entries. It needs an extractor, here or at the
    /// manager.
    pub extraction: Option<ExtractionConfig>,
}

impl FileStoreOptions {
    /// Creates the options of a writable store in the directory of its name under
    /// `.strands/memory`.
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

/// A store that keeps entries as lines of Markdown files.
pub struct FileStore {
    options: FileStoreOptions,
    folder: NoteFolder,
    clock: Arc<dyn Clock>,
    meaning: Option<Arc<Meaning>>,
}

impl FileStore {
    /// Creates a store.
    ///
    /// # Errors
    /// If the name cannot be the name of a directory.
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
        let folder = NoteFolder::new(options.directory.join(&options.name));
        Ok(Self { options, folder, clock: Arc::new(SystemClock), meaning: None })
    }

    /// Sets the clock by which a writer waits while others write. Default: the system clock.
    pub fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Sets a memory that mirrors the directory, for searches by meaning. It is usually a
    /// `RemoteStore` for a memory that `loci mirror` keeps in the layout `strands-flat`. This store
    /// only searches it, and the mirror reads new notes. If the memory does not answer, the notes
    /// are searched by words, with a warning in the log and the member `degraded` in the metadata
    /// of the entries.
    pub fn with_search(self, memory: Arc<dyn MemoryStore>) -> Self {
        Self { meaning: Some(Arc::new(Meaning::new(memory))), ..self }
    }

    /// Returns all lines of the notes, ordered by their word score.
    async fn facts(&self, question: &str) -> Result<Vec<Fact>, StoreError> {
        let (folder, name, question) = (self.folder.clone(), self.options.name.clone(), question.to_owned());
        let work = move || folder.files().map(|files| search::ranked(&name, &files, &question));
        off_thread(work).await.map_err(failed)?
    }

    async fn find(&self, query: &SearchQuery) -> Result<Vec<Entry>, StoreError> {
        let limit = usize::try_from(query.max_results.get()).unwrap_or(usize::MAX);
        let Some(meaning) = &self.meaning else {
            return Ok(search::found(self.facts(&query.text).await?, limit));
        };
        let (facts, hits) = join(self.facts(&query.text), meaning.found(query, &*self.clock)).await;
        let facts = facts?;
        match hits {
            Ok(hits) => Ok(semantic_search::in_turn(&hits, facts, limit)),
            Err(error) => {
                meaning.warn(self.name(), &error);
                let mut found = search::found(facts, limit);
                for entry in &mut found {
                    entry.metadata.insert("degraded".to_owned(), meaning.remark().into());
                }
                Ok(found)
            }
        }
    }

    /// Adds a text as soon as no other writer holds the lock.
    async fn write(&self, content: &str) -> Result<Added, StoreError> {
        let give_up_at_ms =
            self.clock.now_ms().saturating_add(i64::try_from(FILE_LOCK_WAIT_MS).unwrap_or(i64::MAX));
        let mut pause_ms = FILE_LOCK_PAUSE_MS_MIN;
        loop {
            let (folder, content) = (self.folder.clone(), content.to_owned());
            let written = off_thread(move || folder.write(&content)).await.map_err(failed)?;
            if let NoteAddition::Added(added) = written? {
                return Ok(added);
            }
            if self.clock.now_ms() >= give_up_at_ms {
                return Err(StoreError::transient(format!(
                    "somebody else has held the lock {} for {} s; a writer of notes holds it for one append: end the program that has \
                     the file open, and leave the file",
                    self.folder.lock_path().display(),
                    FILE_LOCK_WAIT_MS / 1000
                )));
            }
            self.clock.sleep(pause_ms).await;
            pause_ms = pause_ms.saturating_mul(2).min(FILE_LOCK_PAUSE_MS_MAX);
        }
    }
}

impl std::fmt::Debug for FileStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileStore").field("options", &self.options).finish_non_exhaustive()
    }
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

    fn initialize(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        async move {
            match &self.meaning {
                Some(meaning) => meaning.look(self.name()).await,
                None => Ok(()),
            }
        }
        .boxed()
    }

    fn search<'a>(&'a self, query: &'a SearchQuery) -> BoxFuture<'a, Result<Vec<Entry>, StoreError>> {
        self.find(query).boxed()
    }

    fn add<'a>(&'a self, entry: &'a NewEntry) -> BoxFuture<'a, Result<Added, StoreError>> {
        if !entry.metadata.is_empty() {
            tracing::debug!("store=<{}> | notes have no place for metadata, which is left out", self.name());
        }
        self.write(&entry.content).boxed()
    }

    fn add_messages<'a>(
        &'a self,
        _batch: &'a MessageBatch,
    ) -> BoxFuture<'a, Result<BatchOutcome, StoreError>> {
        ready(Err(StoreError::permanent("notes take entries, no messages"))).boxed()
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
