//! Two contradicting records that no rule may decide between: the newer one is trusted less, or a
//! person approved the older one. Both stay until a person decides. An entry of the ledger.

use serde::{Deserialize, Serialize};

use crate::ledger::{LedgerNoun, Shelf};
use crate::words::closed_words;
use crate::{ActorId, MemoryId, RecordId, Timestamp};

closed_words! {
    /// The state of a conflict.
    ConflictState {
        /// No person has decided.
        Open = "open",
        /// A person has decided.
        Resolved = "resolved",
    }
}

/// The decision of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolution {
    /// The record that stays; `None`: both stay, because they do not contradict each other.
    pub keep: Option<RecordId>,
    /// The name of the person who decided.
    pub by: String,
    /// The time of the decision.
    pub at: Timestamp,
}

/// Two records that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// The memory that the conflict belongs to.
    pub memory: MemoryId,
    /// The actor of the repository that the conflict belongs to.
    pub actor: ActorId,
    /// The id of the conflict, derived from the two records: a pair has one conflict.
    pub id: String,
    /// The record that existed first.
    pub standing: RecordId,
    /// The newer record, which contradicts the one in `standing`.
    pub against: RecordId,
    /// The contradiction, in words.
    pub reason: String,
    /// The time at which the conflict was found.
    pub found_at: Timestamp,
    /// The decision of the conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<Resolution>,
}

impl Conflict {
    /// Returns the state of the conflict.
    pub fn state(&self) -> ConflictState {
        if self.resolution.is_some() { ConflictState::Resolved } else { ConflictState::Open }
    }

    /// Returns the other of the two records; `None` for a record that is neither.
    pub fn other(&self, record: &RecordId) -> Option<&RecordId> {
        match record {
            one if *one == self.standing => Some(&self.against),
            one if *one == self.against => Some(&self.standing),
            _ => None,
        }
    }

    /// Returns the subject under which the conflicts of a repository in a state are listed.
    pub fn subject_of(actor: &ActorId, state: ConflictState) -> String {
        format!("{}:{actor}", state.as_str())
    }
}

impl LedgerNoun for Conflict {
    const SHELF: Shelf = Shelf::named("conflict");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        self.id.clone()
    }

    fn subject(&self) -> Option<String> {
        Some(Self::subject_of(&self.actor, self.state()))
    }

    fn at(&self) -> Timestamp {
        self.found_at
    }
}
