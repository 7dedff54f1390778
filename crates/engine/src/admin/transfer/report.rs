//! Progress and report of a move.

use std::sync::Arc;

use loci_model::transfer::{TransferKind, TransferPlace};

/// Callback for progress, called from any thread.
pub type OnTransfer = Arc<dyn Fn(&TransferProgress) + Send + Sync>;

/// A step of the move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferStep {
    /// The target's data is removed.
    Removing,
    /// Rows are copied.
    Copying,
    /// Rows are compared.
    Comparing,
    /// Rows of the source are read again to detect changes.
    LookingAgain,
}

/// Progress of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransferProgress {
    /// The start, with the number of rows to process: a row that is copied and compared counts
    /// twice. `None` if they could not be counted in time.
    Begins(Option<u64>),
    /// More rows were processed.
    Further {
        /// The step.
        step: TransferStep,
        /// The memory or server part of the rows.
        place: TransferPlace,
        /// The kind of the rows.
        kind: TransferKind,
        /// Number of rows since the previous report.
        rows: u64,
    },
}

/// Number and digest of rows in a store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TransferSum {
    /// Number of rows.
    pub rows: u64,
    /// SHA-256 over the rows in their order, in hex.
    pub sha256: String,
}

/// Sums of a kind in both stores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindSums {
    /// The kind.
    pub kind: TransferKind,
    /// Sum of the source.
    pub from: TransferSum,
    /// Sum of the target.
    pub to: TransferSum,
}

/// The result for a memory, or for the data that belongs to no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferOutcome {
    /// It was moved, and both sides are the same.
    Moved,
    /// It existed in the target, and both sides are the same.
    Same,
    /// The sides differ.
    Different,
    /// The source changed during the move: run it again while nobody works on it.
    SourceChanged,
    /// It is missing in the target.
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
    /// The memory, or the server.
    pub place: TransferPlace,
    /// The result.
    pub outcome: TransferOutcome,
    /// True if it is visible in the target, the same or not. Only a replacement changes it there.
    pub there: bool,
    /// Rows copied in this run.
    pub copied: u64,
    /// Sums of both sides by kind, at the time of the comparison.
    pub kinds: Vec<KindSums>,
}

/// The report on a run.
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
