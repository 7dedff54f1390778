//! Two records that contradict each other and of which no rule may let one win: the newer is
//! trusted less, or the older was approved by a person. Both stand until a person decides. An entry
//! of the ledger.

use serde::{Deserialize, Serialize};

use crate::ledger::{Shelf, Shelved};
use crate::words::closed_words;
use crate::{ActorId, MemoryId, RecordId, Timestamp};

closed_words! {
    /// Whether somebody decided.
    ConflictState {
        /// Nobody did.
        Open = "open",
        /// Somebody did.
        Resolved = "resolved",
    }
}

/// What a person decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolution {
    /// The record that stays; `None`: both do, for they do not contradict each other.
    pub keep: Option<RecordId>,
    /// Who, by name.
    pub by: String,
    /// When.
    pub at: Timestamp,
}

/// Two records that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// The memory.
    pub memory: MemoryId,
    /// The repository's actor.
    pub actor: ActorId,
    /// Its id, made of the two records: a pair has one conflict.
    pub id: String,
    /// The record that was there.
    pub standing: RecordId,
    /// The one that says otherwise.
    pub against: RecordId,
    /// How they contradict each other, in words.
    pub reason: String,
    /// When it was found.
    pub found_at: Timestamp,
    /// What was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<Resolution>,
}

impl Conflict {
    /// Whether somebody decided.
    pub fn state(&self) -> ConflictState {
        if self.resolution.is_some() { ConflictState::Resolved } else { ConflictState::Open }
    }

    /// The other of the two; `None` for a record that is neither.
    pub fn other(&self, record: &RecordId) -> Option<&RecordId> {
        match record {
            one if *one == self.standing => Some(&self.against),
            one if *one == self.against => Some(&self.standing),
            _ => None,
        }
    }

    /// The subject under which the conflicts of a repository in a state are listed.
    pub fn subject_of(actor: &ActorId, state: ConflictState) -> String {
        format!("{}:{actor}", state.as_str())
    }
}

impl Shelved for Conflict {
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
