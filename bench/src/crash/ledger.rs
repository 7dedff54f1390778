//! What was asked and what was acknowledged: the truth a killed server is held to.

use std::collections::BTreeMap;

/// An event as sent; `id` once acknowledged.
#[derive(Debug, Clone)]
pub(crate) struct SentEvent {
    pub(crate) session: String,
    pub(crate) text: String,
    pub(crate) id: Option<String>,
}

/// A batch of records as sent; `ids` once acknowledged.
#[derive(Debug, Clone)]
pub(crate) struct SentBatch {
    pub(crate) namespace: String,
    pub(crate) ids: Option<Vec<String>>,
}

/// A record of an acknowledged batch.
#[derive(Debug, Clone)]
pub(crate) struct KnownRecord {
    pub(crate) text: String,
    /// A text sent and not yet acknowledged.
    pub(crate) pending: Option<String>,
    /// Deletion acknowledged.
    pub(crate) deleted: bool,
    /// Deletion sent and not yet acknowledged.
    pub(crate) deleting: bool,
}

impl KnownRecord {
    /// One that was just acknowledged.
    pub(crate) fn written(text: String) -> Self {
        Self { text, pending: None, deleted: false, deleting: false }
    }
}

/// Everything sent.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// By token.
    pub(crate) events: BTreeMap<String, SentEvent>,
    /// By number.
    pub(crate) batches: BTreeMap<u64, SentBatch>,
    /// By id.
    pub(crate) records: BTreeMap<String, KnownRecord>,
    pub(crate) updates: u64,
    pub(crate) deletions: u64,
    pub(crate) in_flight: u64,
    /// Tokens sent since the last check.
    pub(crate) fresh_events: Vec<String>,
    /// Batches sent since the last check.
    pub(crate) fresh_batches: Vec<u64>,
    /// Records touched since the last check.
    pub(crate) fresh_records: Vec<String>,
}
