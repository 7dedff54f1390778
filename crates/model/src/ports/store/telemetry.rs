//! Access to the telemetry of state changes.

use crate::record::telemetry::StateChange;
use crate::{MemoryId, RecordId, Result};

/// The table of state changes.
pub trait Telemetry {
    /// Adds a row.
    fn append(&mut self, change: &StateChange) -> Result<()>;
    /// Returns the changes of a record, oldest first.
    fn of_record(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<StateChange>>;
    /// Removes the reasons and the callers from the changes of records. Times and states stay.
    fn blank(&mut self, memory: &MemoryId, records: &[RecordId]) -> Result<()>;
    /// Replaces the reason and the caller of a change. A change with identical text changes with
    /// it.
    fn reword(&mut self, was: &StateChange, is: &StateChange) -> Result<()>;
}
