//! A fact that was learned on a branch that is not merged into the default branch. It is shown only
//! where its commit is present, and supersedes nothing before the merge. An entry of the ledger,
//! which the merge removes.

use serde::{Deserialize, Serialize};

use crate::ledger::{LedgerNoun, Shelf};
use crate::{ActorId, MemoryId, RecordId, TaskId, Timestamp};

/// A record that is valid on a branch only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchFact {
    /// The memory that the fact belongs to.
    pub memory: MemoryId,
    /// The actor of the repository that the fact belongs to.
    pub actor: ActorId,
    /// The record that contains the fact.
    pub record: RecordId,
    /// The task that learned the fact.
    pub task: TaskId,
    /// The commit at which the record was found true.
    pub commit: String,
    /// The branch, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Records of the default branch that the fact supersedes after the merge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<RecordId>,
    /// The time at which the fact was learned.
    pub at: Timestamp,
}

impl LedgerNoun for BranchFact {
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
