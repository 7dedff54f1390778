//! Publishes changes of a record's state: writes the row of the state history and the event of
//! the memory's stream in the transaction of the change. Every change of a state must call
//! [`note`].

use loci_model::memory::Memory;
use loci_model::ports::store::Tx;
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordState};
use loci_model::{Result, Timestamp};

use crate::deliveries::record_streams;
use crate::hooks::write_context;

/// The kind of a record's change as subscribers of the memory's event stream receive it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamedChange {
    /// The record became visible: reads did not return it before.
    Created,
    /// A visible record has a new version.
    Updated,
    /// The record became invisible: reads no longer return it.
    Deleted,
}

impl StreamedChange {
    /// Returns the kind of change that subscribers receive for a change from one state to
    /// another. Subscribers see only active records; `None` if neither state is visible to them.
    pub(crate) fn of(from: Option<RecordState>, to: RecordState) -> Option<Self> {
        match (from == Some(RecordState::Active), to == RecordState::Active) {
            (false, true) => Some(Self::Created),
            (true, true) => Some(Self::Updated),
            (true, false) => Some(Self::Deleted),
            (false, false) => None,
        }
    }
}

/// A change of a record's state, or a new version of a record in the same state.
pub struct RecordStateChange<'a> {
    /// The changed record: in its new form after a new version, otherwise in its form before the
    /// change.
    pub record: &'a Record,
    /// The record's state before the change; `None` for a new record.
    pub from: Option<RecordState>,
    /// The record's state after the change.
    pub to: RecordState,
    /// The reason of the change, as the state history stores it.
    pub reason: &'a str,
    /// The author of the change: a principal, or `loci` for the engine itself.
    pub by: &'a str,
    /// The time of the change.
    pub at: Timestamp,
}

/// Publishes a change of a record: writes the row of the state history and the stream event, and
/// calls the record hooks of all products.
pub fn note(tx: &mut dyn Tx, memory: &Memory, change: &RecordStateChange<'_>) -> Result<()> {
    note_state(tx, memory, change)?;
    write_context::products()?.record_changed(tx, change)
}

/// Publishes a change like [`note`], but calls no hooks. A product uses it when it updates its
/// own data on the record itself.
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
