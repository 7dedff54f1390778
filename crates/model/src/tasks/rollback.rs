//! A rollback of a repository's memory to an earlier state: a log of its changes, and the state
//! before it, so that the rollback can be undone. An entry of the ledger.

use serde::{Deserialize, Serialize};

use crate::ledger::{LedgerNoun, Shelf};
use crate::record::RecordState;
use crate::tasks::rule::RuleSupport;
use crate::{ActorId, MemoryId, RecordId, Timestamp};

/// A record that a rollback changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoneRecord {
    /// The id of the record.
    pub record: RecordId,
    /// The state of the record before the rollback.
    pub from: RecordState,
    /// The state of the record after the rollback.
    pub to: RecordState,
    /// The version of the record before the rollback.
    pub version: u32,
}

/// A rollback.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rollback {
    /// The memory that the rollback belongs to.
    pub memory: MemoryId,
    /// The actor of the repository that the rollback belongs to.
    pub actor: ActorId,
    /// The snapshot that the rollback restored.
    pub to: String,
    /// The snapshot of the state before: restoring it undoes the rollback.
    pub before: String,
    /// The name of the caller who requested the rollback.
    pub by: String,
    /// The reason for the rollback.
    pub reason: String,
    /// The time of the rollback. Exactly its changes have this time.
    pub at: Timestamp,
    /// The changes of the rollback.
    pub changes: Vec<UndoneRecord>,
    /// The support of the changed rules before the rollback, which an undo restores with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supports: Vec<RuleSupport>,
}

impl Rollback {
    /// Returns the key of a rollback on its shelf: that of the state before it.
    pub fn key_of(actor: &ActorId, before: &str) -> String {
        format!("{actor}/{before}")
    }
}

impl LedgerNoun for Rollback {
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

/// Records that were erased on purpose: their ids, without any of their text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Purge {
    /// The memory that the purge belongs to.
    pub memory: MemoryId,
    /// The actor of the repository that the purge belongs to.
    pub actor: ActorId,
    /// The records; at least one.
    pub records: Vec<RecordId>,
    /// The name of the caller who requested the purge.
    pub by: String,
    /// The time of the erasure.
    pub at: Timestamp,
}

impl LedgerNoun for Purge {
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
