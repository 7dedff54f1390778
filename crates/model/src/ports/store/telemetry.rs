//! Access to the telemetry of state changes.

use crate::record::telemetry::StateChange;
use crate::{MemoryId, RecordId, Result};

/// The table of state changes.
pub trait Telemetry {
    /// Adds a row.
    fn append(&mut self, change: &StateChange) -> Result<()>;
    /// The changes of a record, oldest first.
    fn of_record(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<StateChange>>;
    /// Takes the words out of the changes of records: why, and by whom. When, and what became what, stays.
    fn blank(&mut self, memory: &MemoryId, records: &[RecordId]) -> Result<()>;
    /// Replaces the words of a change: why, and by whom. A change that has the same words changes
    /// with it.
    fn reword(&mut self, was: &StateChange, is: &StateChange) -> Result<()>;
}
