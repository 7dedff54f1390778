//! The requests that were sent and acknowledged: the truth against which a killed server is
//! checked.

use std::collections::BTreeMap;

/// An event as sent. `id` is set once it is acknowledged.
#[derive(Debug, Clone)]
pub(crate) struct SentEvent {
    pub(crate) session: String,
    pub(crate) text: String,
    pub(crate) id: Option<String>,
}

/// A batch of records as sent. `ids` is set once it is acknowledged.
#[derive(Debug, Clone)]
pub(crate) struct SentBatch {
    pub(crate) namespace: String,
    pub(crate) ids: Option<Vec<String>>,
}

/// A record of an acknowledged batch.
#[derive(Debug, Clone)]
pub(crate) struct KnownRecord {
    pub(crate) text: String,
    /// A text that was sent and not yet acknowledged.
    pub(crate) pending: Option<String>,
    /// True if the deletion was acknowledged.
    pub(crate) deleted: bool,
    /// True if the deletion was sent and not yet acknowledged.
    pub(crate) deleting: bool,
}

impl KnownRecord {
    /// Returns a record that was just acknowledged.
    pub(crate) fn written(text: String) -> Self {
        Self { text, pending: None, deleted: false, deleting: false }
    }
}

/// Everything that was sent.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Events by token.
    pub(crate) events: BTreeMap<String, SentEvent>,
    /// Batches by number.
    pub(crate) batches: BTreeMap<u64, SentBatch>,
    /// Records by id.
    pub(crate) records: BTreeMap<String, KnownRecord>,
    pub(crate) updates: u64,
    pub(crate) deletions: u64,
    pub(crate) in_flight: u64,
    /// Tokens sent since the last check.
    pub(crate) fresh_events: Vec<String>,
    /// Batches sent since the last check.
    pub(crate) fresh_batches: Vec<u64>,
    /// Records changed since the last check.
    pub(crate) fresh_records: Vec<String>,
}
