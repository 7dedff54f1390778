//! The requests sent to the cluster and its acknowledgements: the truth against which every server
//! is checked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::seeded_random::Seeded;

/// The ledger, shared by clients and checks.
pub(super) type Shared = Arc<Mutex<Ledger>>;

/// Locks the ledger.
pub(super) fn of(shared: &Shared) -> MutexGuard<'_, Ledger> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The memory, actor and session of events.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ConversationKey {
    /// The id of the memory.
    pub(super) memory: String,
    pub(super) actor: String,
    pub(super) session: String,
}

impl ConversationKey {
    /// Returns the path of the session's list of events.
    pub(super) fn path(&self) -> String {
        format!("/memories/{}/actor/{}/sessions/{}", self.memory, self.actor, self.session)
    }
}

/// An event that was sent.
#[derive(Debug, Clone)]
pub(super) struct SentEvent {
    pub(super) place: ConversationKey,
    pub(super) round: u32,
    pub(super) text: String,
    /// The time before the first attempt.
    pub(super) sent: Instant,
    /// Its id and the time of the acknowledgement. `None`: in doubt.
    pub(super) acknowledged: Option<(String, Instant)>,
}

/// A batch of records that was sent.
#[derive(Debug, Clone)]
pub(super) struct SentBatch {
    pub(super) memory: String,
    pub(super) namespace: String,
    pub(super) round: u32,
    /// True if it was acknowledged. `false`: in doubt.
    pub(super) acknowledged: bool,
}

/// A record of an acknowledged batch.
#[derive(Debug, Clone)]
pub(super) struct KnownRecord {
    pub(super) memory: String,
    /// The round in which it was last written.
    pub(super) round: u32,
    pub(super) text: String,
    /// A text that was sent and not acknowledged.
    pub(super) pending: Option<String>,
    /// True if its deletion was acknowledged.
    pub(super) deleted: bool,
    /// True if its deletion was sent and not acknowledged.
    pub(super) deleting: bool,
}

impl KnownRecord {
    /// Returns true if no client is changing the record, and nothing about it is in doubt.
    fn is_free(&self) -> bool {
        !self.deleted && !self.deleting && self.pending.is_none()
    }
}

/// Everything that was sent.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Events by token.
    pub(super) events: BTreeMap<String, SentEvent>,
    /// Batches by token.
    pub(super) batches: BTreeMap<String, SentBatch>,
    /// Records by id.
    pub(super) records: BTreeMap<String, KnownRecord>,
    /// Tokens of events in the order of their acknowledgements.
    pub(super) lately: Vec<String>,
}

/// The number of recently acknowledged events among which readers choose.
const LATELY: usize = 64;

impl Ledger {
    /// Records the acknowledgement of an event.
    pub(super) fn acknowledge(&mut self, token: &str, id: String) {
        if let Some(event) = self.events.get_mut(token) {
            event.acknowledged = Some((id, Instant::now()));
            self.lately.push(token.to_owned());
        }
    }

    /// Returns one of the recently acknowledged events of any client.
    pub(super) fn any_event(&self, random: &mut Seeded) -> Option<SentEvent> {
        let last = self.lately.get(self.lately.len().saturating_sub(LATELY)..).unwrap_or_default();
        self.events.get(random.pick(last)?).cloned()
    }

    /// Selects a record of a memory that no other client is changing, and marks it with `mark`.
    pub(super) fn reserve(
        &mut self,
        memory: &str,
        random: &mut Seeded,
        mark: impl FnOnce(&mut KnownRecord),
    ) -> Option<String> {
        let is_free = |known: &KnownRecord| known.memory == memory && known.is_free();
        let free: Vec<&String> =
            self.records.iter().filter(|(_, known)| is_free(known)).map(|(id, _)| id).collect();
        let id = (*random.pick(&free)?).clone();
        mark(self.records.get_mut(&id)?);
        Some(id)
    }
}
