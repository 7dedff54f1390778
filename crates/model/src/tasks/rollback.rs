//! A repository's memory was put back to an earlier state: what was changed for that, so that it is
//! on record, and the state before, so that one can go back to that. An entry of the ledger.

use serde::{Deserialize, Serialize};

use crate::ledger::{Shelf, Shelved};
use crate::record::RecordState;
use crate::tasks::rule::RuleSupport;
use crate::{ActorId, MemoryId, RecordId, Timestamp};

/// A record that a rollback changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undone {
    /// The record.
    pub record: RecordId,
    /// Its state before.
    pub from: RecordState,
    /// Its state since.
    pub to: RecordState,
    /// Its version before.
    pub version: u32,
}

/// A rollback.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rollback {
    /// The memory.
    pub memory: MemoryId,
    /// The repository's actor.
    pub actor: ActorId,
    /// The snapshot that was gone back to.
    pub to: String,
    /// The snapshot of the state before: going back to it undoes the rollback.
    pub before: String,
    /// Who, by name.
    pub by: String,
    /// Why.
    pub reason: String,
    /// When: everything that it changed was changed then, and nothing else.
    pub at: Timestamp,
    /// What it changed.
    pub changes: Vec<Undone>,
    /// What supported rules that it changed, before: taken back with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supports: Vec<RuleSupport>,
}

impl Rollback {
    /// The name of a rollback on its shelf: that of the state before it.
    pub fn key_of(actor: &ActorId, before: &str) -> String {
        format!("{actor}/{before}")
    }
}

impl Shelved for Rollback {
    const SHELF: Shelf = Shelf::named("snapshot");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        Self::key_of(&self.actor, &self.before)
    }

    fn at(&self) -> Timestamp {
        self.at
    }
}

/// Records that were erased on purpose: their ids, and nothing of what they said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Purge {
    /// The memory.
    pub memory: MemoryId,
    /// The repository's actor.
    pub actor: ActorId,
    /// The records; at least one.
    pub records: Vec<RecordId>,
    /// Who, by name.
    pub by: String,
    /// When.
    pub at: Timestamp,
}

impl Shelved for Purge {
    const SHELF: Shelf = Shelf::named("purge");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        self.records.first().map(ToString::to_string).unwrap_or_default()
    }

    fn at(&self) -> Timestamp {
        self.at
    }
}
