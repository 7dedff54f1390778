//! The options of a data folder. No defaults come from the environment: the binary fills them in.

use std::path::PathBuf;

/// Settings of an embedded store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqliteOptions {
    /// The data folder. Created with access for its owner only, if it does not exist.
    pub folder: PathBuf,
    /// True if a missing store is an error, and none is created.
    pub existing_only: bool,
    /// The number of threads for reads, each with its own connection.
    pub readers: usize,
    /// The number of threads for searches. Searching uses the CPU, so more threads than cores do
    /// not help.
    pub searchers: usize,
    /// The maximum total memory use of all indexes, in bytes. Beyond it the least recently used one
    /// is dropped.
    pub index_bytes_max: u64,
    /// The minimum number of passages of an index that is saved as a file for the next start.
    /// Smaller ones are rebuilt quickly.
    pub snapshot_passages_min: u64,
    /// The maximum size of `loci.db` in bytes; `None`: limited by the disk.
    pub file_bytes_max: Option<u64>,
}

impl SqliteOptions {
    /// Returns the defaults for `folder`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            existing_only: false,
            readers: 4,
            searchers: 2,
            // A million passages of conversation with vectors need about this much.
            index_bytes_max: 2 * 1024 * 1024 * 1024,
            snapshot_passages_min: 2_000,
            file_bytes_max: None,
        }
    }
}
