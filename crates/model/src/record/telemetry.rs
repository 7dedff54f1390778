//! Telemetry: one row for each change of state, written in the transaction of the change
//! (architecture, invariant 7).

use serde::{Deserialize, Serialize};

use crate::record::RecordState;
use crate::{MemoryId, RecordId, Timestamp};

/// One change of a record's state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateChange {
    /// The memory that the change belongs to.
    pub memory: MemoryId,
    /// The record whose state changed.
    pub record: RecordId,
    /// The version after the change.
    pub version: u32,
    /// The state before the change; `None` for a new record.
    pub from: Option<RecordState>,
    /// The state after the change.
    pub to: RecordState,
    /// The reason for the change.
    pub reason: String,
    /// The caller: a principal, or `loci` for the engine itself.
    pub by: String,
    /// The time of the change.
    pub at: Timestamp,
}
