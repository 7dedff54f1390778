//! What a data folder is opened with. No defaults from the environment: the binary fills it in.

use std::path::PathBuf;

/// Settings of an embedded store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqliteOptions {
    /// The data folder; made, with access for its owner only, if it is not there.
    pub folder: PathBuf,
    /// A folder that is no store yet is an error, and none is made.
    pub existing_only: bool,
    /// Threads that read, each with its own connection.
    pub readers: usize,
    /// Threads that search. Searching is work on the processor: more threads than cores gain nothing.
    pub searchers: usize,
    /// Bytes that the indexes of all memories may hold together; the least recently used is dropped past it.
    pub index_bytes_max: u64,
    /// Passages from which on an index is kept as a file, to be loaded at the next start; fewer are quickly rebuilt.
    pub snapshot_passages_min: u64,
    /// Bytes that `loci.db` may grow to; `None`: what the disk gives.
    pub file_bytes_max: Option<u64>,
}

impl SqliteOptions {
    /// The defaults for `folder`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            existing_only: false,
            readers: 4,
            searchers: 2,
            // A million passages of talk with vectors take about this much.
            index_bytes_max: 2 * 1024 * 1024 * 1024,
            snapshot_passages_min: 2_000,
            file_bytes_max: None,
        }
    }
}
