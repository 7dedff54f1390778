//! What a run tells on its way, and what it reports in the end.

use std::sync::Arc;

use loci_model::transfer::{TransferKind, TransferPlace};

/// Is told how far the work is, from any thread.
pub type OnTransfer = Arc<dyn Fn(&TransferProgress) + Send + Sync>;

/// What is done with rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferStep {
    /// What the target has of them is removed.
    Removing,
    /// They are copied.
    Copying,
    /// They are compared.
    Comparing,
    /// They are looked at in the source once more: did they change meanwhile?
    LookingAgain,
}

/// How far the work is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransferProgress {
    /// It begins, and so many rows are left to go through: a row that is copied and compared counts twice. `None`: they could
    /// not be counted in time.
    Begins(Option<u64>),
    /// So many rows further.
    Further {
        /// What was done.
        step: TransferStep,
        /// With rows of what.
        place: TransferPlace,
        /// Which of them.
        kind: TransferKind,
        /// How many, beside those told before.
        rows: u64,
    },
}

/// Rows in a store: how many, and what they hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TransferSum {
    /// How many.
    pub rows: u64,
    /// SHA-256 over them in their order, in hex.
    pub sha256: String,
}

/// Rows of a kind on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindSums {
    /// The kind.
    pub kind: TransferKind,
    /// In the source.
    pub from: TransferSum,
    /// In the target.
    pub to: TransferSum,
}

/// What became of a memory, or of what belongs to none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferOutcome {
    /// It is there now, and the same.
    Moved,
    /// It was there, and is the same.
    Same,
    /// It is not the same.
    Different,
    /// The source changed while this ran: to be moved again, with nobody at work on it.
    SourceChanged,
    /// It is not in the target.
    Missing,
}

impl TransferOutcome {
    /// True where both stores hold the same.
    pub fn is_same(self) -> bool {
        match self {
            Self::Moved | Self::Same => true,
            Self::Different | Self::SourceChanged | Self::Missing => false,
        }
    }
}

/// A memory, or what belongs to none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceReport {
    /// Which.
    pub place: TransferPlace,
    /// What became of it.
    pub outcome: TransferOutcome,
    /// It can be seen in the target, the same or not: nothing but a replacement changes it there.
    pub there: bool,
    /// Rows that were copied in this run.
    pub copied: u64,
    /// What both sides hold, by kind, when they were compared.
    pub kinds: Vec<KindSums>,
}

/// What a run did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TransferReport {
    /// Every memory, oldest first, then what belongs to none, then memories that were made in the source meanwhile.
    pub places: Vec<PlaceReport>,
}

impl TransferReport {
    /// True where both stores hold the same.
    pub fn is_same(&self) -> bool {
        self.places.iter().all(|place| place.outcome.is_same())
    }
}
