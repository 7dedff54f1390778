//! What was asked of the cluster and what it acknowledged: the truth that every server is held to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::seeded::Seeded;

/// Shared by clients and checks.
pub(super) type Shared = Arc<Mutex<Ledger>>;

/// The ledger, for a moment.
pub(super) fn of(shared: &Shared) -> MutexGuard<'_, Ledger> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where events of a conversation are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The id of the memory.
    pub(super) memory: String,
    pub(super) actor: String,
    pub(super) session: String,
}

impl Place {
    /// The path of its list of events.
    pub(super) fn path(&self) -> String {
        format!("/memories/{}/actor/{}/sessions/{}", self.memory, self.actor, self.session)
    }
}

/// An event that was sent.
#[derive(Debug, Clone)]
pub(super) struct SentEvent {
    pub(super) place: Place,
    pub(super) round: u32,
    pub(super) text: String,
    /// Before the first try.
    pub(super) sent: Instant,
    /// Its id, and when it came; `None`: in doubt.
    pub(super) acknowledged: Option<(String, Instant)>,
}

/// A batch of records that was sent.
#[derive(Debug, Clone)]
pub(super) struct SentBatch {
    pub(super) memory: String,
    pub(super) namespace: String,
    pub(super) round: u32,
    /// `false`: in doubt.
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
    /// Its deletion was acknowledged.
    pub(super) deleted: bool,
    /// Its deletion was sent and not acknowledged.
    pub(super) deleting: bool,
}

impl KnownRecord {
    /// True where nobody is changing it, and nothing about it is in doubt.
    fn is_free(&self) -> bool {
        !self.deleted && !self.deleting && self.pending.is_none()
    }
}

/// Everything that was sent.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// By token.
    pub(super) events: BTreeMap<String, SentEvent>,
    /// By token.
    pub(super) batches: BTreeMap<String, SentBatch>,
    /// By id.
    pub(super) records: BTreeMap<String, KnownRecord>,
    /// Tokens of events in the order of their acknowledgements.
    pub(super) lately: Vec<String>,
}

/// Acknowledged events among which readers choose.
const LATELY: usize = 64;

impl Ledger {
    /// An event was acknowledged.
    pub(super) fn acknowledge(&mut self, token: &str, id: String) {
        if let Some(event) = self.events.get_mut(token) {
            event.acknowledged = Some((id, Instant::now()));
            self.lately.push(token.to_owned());
        }
    }

    /// One of the events that were acknowledged last, by whomever.
    pub(super) fn any_event(&self, random: &mut Seeded) -> Option<SentEvent> {
        let last = self.lately.get(self.lately.len().saturating_sub(LATELY)..).unwrap_or_default();
        self.events.get(random.pick(last)?).cloned()
    }

    /// A record of a memory that no other client is changing, marked by `mark`.
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
