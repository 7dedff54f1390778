//! The options of a data folder. The environment provides no defaults here; the binary adds them.

use std::path::PathBuf;

/// The options of a store in a data folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqliteOptions {
    /// The path of the data folder. If it does not exist, it is created with access only for its
    /// owner.
    pub folder: PathBuf,
    /// True if the store must exist already. Otherwise a missing one is created.
    pub existing_only: bool,
    /// The number of threads for reads, each with its own connection.
    pub readers: usize,
    /// The number of threads for searches. Searches use the processor, so more threads than cores
    /// do not help.
    pub searchers: usize,
    /// The maximum memory use of all in-process indexes together, in bytes. Above it, the index
    /// that was not used for the longest time is dropped.
    pub index_bytes_max: u64,
    /// The minimum number of passages of an index that is saved as a file for the next start.
    /// Smaller indexes are rebuilt quickly.
    pub snapshot_passages_min: u64,
    /// The maximum size of `loci.db`, in bytes. `None` means that only the disk limits it.
    pub file_bytes_max: Option<u64>,
}

impl SqliteOptions {
    /// Returns the default options for a data folder.
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
