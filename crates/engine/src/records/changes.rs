//! The one way by which a change of a record's state becomes known: its telemetry row and its stream event, in the
//! transaction of the change itself. The change is the caller's; whoever makes one calls [`note`].

use loci_model::memory::Memory;
use loci_model::ports::store::Tx;
use loci_model::record::{Record, RecordState};
use loci_model::telemetry::StateChange;
use loci_model::{Result, Timestamp};

use crate::streams;
use crate::verified::following;

/// What a change is to who follows the memory's stream (agentcore-wire.md §15).
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
pub(crate) struct Change<'a> {
    /// The record, as it is after a new version, otherwise as it was before.
    pub(crate) record: &'a Record,
    /// The state before; `None` for a new record.
    pub(crate) from: Option<RecordState>,
    /// The state after.
    pub(crate) to: RecordState,
    /// Why.
    pub(crate) reason: &'a str,
    /// Who: a principal, or `loci` for the engine itself.
    pub(crate) by: &'a str,
    /// When.
    pub(crate) at: Timestamp,
}

/// Writes the telemetry row, what followers are told, and what stands beside a record that cites code.
pub(crate) fn note(tx: &mut dyn Tx, memory: &Memory, change: &Change<'_>) -> Result<()> {
    note_state(tx, memory, change)?;
    following::follow(tx, change)
}

/// The same for verified memory, which writes what stands beside the record itself.
pub(crate) fn note_state(tx: &mut dyn Tx, memory: &Memory, change: &Change<'_>) -> Result<()> {
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
    streams::enqueue(tx, memory, change)
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
