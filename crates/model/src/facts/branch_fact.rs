//! What was learned on a branch that has not come onto the default branch: it is shown only where
//! its commit is, and takes nobody's place before that. An entry of the ledger, gone when the
//! branch has come onto the default branch.

use serde::{Deserialize, Serialize};

use crate::ledger::{Shelf, Shelved};
use crate::{ActorId, MemoryId, RecordId, TaskId, Timestamp};

/// A record that holds on a branch alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchFact {
    /// The memory.
    pub memory: MemoryId,
    /// The repository's actor.
    pub actor: ActorId,
    /// The record.
    pub record: RecordId,
    /// The task that learned it.
    pub task: TaskId,
    /// The commit at which it was seen to be so.
    pub commit: String,
    /// The branch, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Records of the default branch whose place it takes when it comes there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<RecordId>,
    /// When it was learned.
    pub at: Timestamp,
}

impl Shelved for BranchFact {
    const SHELF: Shelf = Shelf::named("branch_fact");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        self.record.to_string()
    }

    fn at(&self) -> Timestamp {
        self.at
    }
}
