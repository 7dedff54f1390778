//! The progress of a move between stores, and the report at its end.

use std::sync::Arc;

use loci_model::transfer::{TransferKind, TransferPlace};

/// A function that is called with the progress of a move, from any thread.
pub type OnTransfer = Arc<dyn Fn(&TransferProgress) + Send + Sync>;

/// A step in the move of a memory between stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferStep {
    /// The target's existing data of the memory is removed.
    Removing,
    /// Rows are copied from the source to the target.
    Copying,
    /// Rows of the two stores are compared.
    Comparing,
    /// Rows of the source are read again to detect changes.
    LookingAgain,
}

/// The progress of a move between stores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransferProgress {
    /// The start, with the number of rows to process: a row that is copied and compared counts
    /// twice. `None` if they could not be counted in time.
    Begins(Option<u64>),
    /// More rows were processed since the previous call.
    Further {
        /// The step in which the rows were processed.
        step: TransferStep,
        /// The memory of the rows, or the server for rows that belong to no memory.
        place: TransferPlace,
        /// The kind of the rows.
        kind: TransferKind,
        /// The number of rows since the previous call.
        rows: u64,
    },
}

/// The number and the digest of the rows of one kind in a store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TransferSum {
    /// Number of rows.
    pub rows: u64,
    /// SHA-256 over the rows in their order, in hex.
    pub sha256: String,
}

/// The numbers and digests of the rows of one kind in both stores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindSums {
    /// The kind.
    pub kind: TransferKind,
    /// The number and digest of the rows in the source.
    pub from: TransferSum,
    /// The number and digest of the rows in the target.
    pub to: TransferSum,
}

/// The result of a move for one memory, or for the data that belongs to no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferOutcome {
    /// The data was copied, and both stores are equal.
    Moved,
    /// The data was in the target before, and both stores are equal.
    Same,
    /// The data in the two stores differs.
    Different,
    /// The data in the source changed during the move. Repeat the move while nobody writes to the
    /// source.
    SourceChanged,
    /// The data is missing in the target.
    Missing,
}

impl TransferOutcome {
    /// Returns true if both stores have the same content.
    pub fn is_same(self) -> bool {
        match self {
            Self::Moved | Self::Same => true,
            Self::Different | Self::SourceChanged | Self::Missing => false,
        }
    }
}

/// The report on a memory, or on the data that belongs to no memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceReport {
    /// The memory, or the server for data that belongs to no memory.
    pub place: TransferPlace,
    /// The result of the move or the comparison.
    pub outcome: TransferOutcome,
    /// True if the memory is visible in the target, even if its data differs. Only a replacement
    /// changes it there.
    pub there: bool,
    /// The number of rows that this run copied.
    pub copied: u64,
    /// The numbers and digests of rows by kind, in both stores, at the time of the comparison.
    pub kinds: Vec<KindSums>,
}

/// The report of a move or a comparison of two stores.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TransferReport {
    /// Every memory, oldest first, then the data that belongs to no memory, then memories created
    /// in the source during the run.
    pub places: Vec<PlaceReport>,
}

impl TransferReport {
    /// Returns true if both stores have the same content.
    pub fn is_same(&self) -> bool {
        self.places.iter().all(|place| place.outcome.is_same())
    }
}
