//! The one way by which a change of a record's state becomes known: its telemetry row and its stream event, in the
//! transaction of the change itself. The change is the caller's; whoever makes one calls [`note`].

use loci_model::memory::Memory;
use loci_model::ports::store::Tx;
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordState};
use loci_model::{Result, Timestamp};

use crate::deliveries::record_streams;
use crate::hooks::in_write;

/// What a change is to who follows the memory's stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Streamed {
    /// A record that reads did not return before.
    Created,
    /// A new version of one that was.
    Updated,
    /// A record that reads do not return any more.
    Deleted,
}

impl Streamed {
    /// What a change between states is to followers, who see active records alone; `None` where they see nothing of it.
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
pub struct Change<'a> {
    /// The record, as it is after a new version, otherwise as it was before.
    pub record: &'a Record,
    /// The state before; `None` for a new record.
    pub from: Option<RecordState>,
    /// The state after.
    pub to: RecordState,
    /// Why.
    pub reason: &'a str,
    /// Who: a principal, or `loci` for the engine itself.
    pub by: &'a str,
    /// When.
    pub at: Timestamp,
}

/// Writes the telemetry row and what followers are told, and tells the products.
pub fn note(tx: &mut dyn Tx, memory: &Memory, change: &Change<'_>) -> Result<()> {
    note_state(tx, memory, change)?;
    in_write::products()?.record_changed(tx, change)
}

/// Like [`note`], for a product that brings what it keeps of the record up itself: no product is
/// told.
pub fn note_state(tx: &mut dyn Tx, memory: &Memory, change: &Change<'_>) -> Result<()> {
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
            assert_eq!(Streamed::of(from, to), expect, "{from:?} {to:?}");
        };
        let (active, held) = (RecordState::Active, RecordState::Quarantined);
        check(None, active, Some(Streamed::Created));
        check(Some(held), active, Some(Streamed::Created));
        check(Some(active), active, Some(Streamed::Updated));
        check(Some(active), RecordState::Superseded, Some(Streamed::Deleted));
        check(None, held, None);
        check(Some(held), RecordState::Erased, None);
    }
}
