//! The only place that publishes a change of a record's state: its telemetry row and its stream
//! event, in the transaction of the change. The caller makes the change and calls [`note`].

use loci_model::memory::Memory;
use loci_model::ports::store::Tx;
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordState};
use loci_model::{Result, Timestamp};

use crate::deliveries::record_streams;
use crate::hooks::write_context;

/// A change as followers of the memory's stream see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamedChange {
    /// A record that reads did not return before.
    Created,
    /// A new version of a visible record.
    Updated,
    /// A record that reads no longer return.
    Deleted,
}

impl StreamedChange {
    /// Returns the change that followers see, who see only active records; `None` if they do not
    /// see it.
    pub(crate) fn of(from: Option<RecordState>, to: RecordState) -> Option<Self> {
        match (from == Some(RecordState::Active), to == RecordState::Active) {
            (false, true) => Some(Self::Created),
            (true, true) => Some(Self::Updated),
            (true, false) => Some(Self::Deleted),
            (false, false) => None,
        }
    }
}

/// A change of a record's state, or a new version in the same one.
pub struct RecordStateChange<'a> {
    /// The record: after a new version in its new form, otherwise in the form before the change.
    pub record: &'a Record,
    /// The state before; `None` for a new record.
    pub from: Option<RecordState>,
    /// The state after.
    pub to: RecordState,
    /// The reason.
    pub reason: &'a str,
    /// The author: a principal, or `loci` for the engine itself.
    pub by: &'a str,
    /// The time.
    pub at: Timestamp,
}

/// Writes the telemetry row and the stream event, and notifies the products.
pub fn note(tx: &mut dyn Tx, memory: &Memory, change: &RecordStateChange<'_>) -> Result<()> {
    note_state(tx, memory, change)?;
    write_context::products()?.record_changed(tx, change)
}

/// Like [`note`], for a product that updates its own data on the record: no product is notified.
pub fn note_state(tx: &mut dyn Tx, memory: &Memory, change: &RecordStateChange<'_>) -> Result<()> {
    tx.telemetry_mut().append(&StateChange {
        memory: memory.id.clone(),
        record: change.record.id.clone(),
        version: change.record.version,
        from: change.from,
        to: change.to,
        reason: change.reason.to_owned(),
        by: change.by.to_owned(),
        at: change.at,
    })?;
    record_streams::enqueue(tx, memory, change)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn followers_see_active_records_alone() {
        let check = |from, to, expect| {
            assert_eq!(StreamedChange::of(from, to), expect, "{from:?} {to:?}");
        };
        let (active, held) = (RecordState::Active, RecordState::Quarantined);
        check(None, active, Some(StreamedChange::Created));
        check(Some(held), active, Some(StreamedChange::Created));
        check(Some(active), active, Some(StreamedChange::Updated));
        check(Some(active), RecordState::Superseded, Some(StreamedChange::Deleted));
        check(None, held, None);
        check(Some(held), RecordState::Erased, None);
    }
}
