//! Replays a fact's events to its state and every counter (T1). Pure.

use loci_model::facts::fact::{FactEvent, FactEventKind};
use loci_model::record::RecordState;

/// The result of the replay of a fact's events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Replayed {
    /// The state; `None` if no event records the creation.
    pub(super) status: Option<RecordState>,
    pub(super) verifications: u64,
    pub(super) rejections: u64,
    pub(super) applied: u64,
}

/// Replays events, oldest first.
pub(super) fn replay<'a>(events: impl Iterator<Item = &'a FactEvent>) -> Replayed {
    events.fold(Replayed::default(), |before, event| before.then(event))
}

impl Replayed {
    fn then(mut self, event: &FactEvent) -> Self {
        // If a fact follows its record, the cause of the event is the new state.
        let named = event.cause.as_deref().and_then(RecordState::parse);
        let to = match event.kind {
            FactEventKind::Created | FactEventKind::Corrected => named,
            FactEventKind::Refreshed => {
                self.verifications += 1;
                Some(RecordState::Active)
            }
            FactEventKind::Quarantined => {
                self.rejections += u64::from(named.is_none());
                named.or(Some(RecordState::Quarantined))
            }
            FactEventKind::ContradictionDetected | FactEventKind::Invalidated => {
                self.rejections += 1;
                Some(RecordState::Invalid)
            }
            FactEventKind::Restored => Some(RecordState::Active),
            FactEventKind::Superseded => Some(RecordState::Superseded),
            FactEventKind::Expired => Some(RecordState::Expired),
            FactEventKind::Deleted => Some(RecordState::Erased),
            FactEventKind::Applied => {
                self.applied += 1;
                return self;
            }
            FactEventKind::Retrieved
            | FactEventKind::VerifiedValid
            | FactEventKind::VerifiedInvalid
            | FactEventKind::VerificationSkipped
            | FactEventKind::Reanchored
            | FactEventKind::ConflictDetected
            | FactEventKind::RejectedStore => return self,
        };
        Self { status: to, ..self }
    }
}
