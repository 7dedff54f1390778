//! State of the consolidation of a tree apart from its runs: the active run, and the sequence up to
//! which the tree was processed. An entry of the ledger. The engine defines the content of a run
//! and the effect of its statuses.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ledger::{LedgerNoun, Shelf};
use crate::trees::tree_entry::owner_of;
use crate::words::closed_words;
use crate::{ActorId, MemoryId, Result, Timestamp};

closed_words! {
    /// The status of a run.
    RunStatus {
        /// The run determines its actions.
        Planning = "planning",
        /// The plan exists, and none of its actions is applied.
        Planned = "planned",
        /// The run applies its plan.
        Applying = "applying",
        /// The requested actions are applied.
        Applied = "applied",
        /// The run has no plan that can be applied.
        Failed = "failed",
        /// A caller cancelled the run.
        Cancelled = "cancelled",
        /// Another run reverted this run.
        Reverted = "reverted",
        /// The tree changed during the run, more often than the run is replanned.
        Conflict = "conflict",
    }
}

closed_words! {
    /// The status of one action of a run.
    ActionStatus {
        /// The action is to be applied.
        Planned = "planned",
        /// The action waits for a person's decision.
        Held = "held",
        /// The action is applied.
        Applied = "applied",
        /// The request did not include the action.
        Skipped = "skipped",
        /// The action cannot be applied, because its subject has changed since.
        Conflict = "conflict",
    }
}

/// The active run of a tree: one at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveRun {
    /// The id of the run.
    pub id: String,
    /// The time until which the run counts as active without a sign of progress; none: a job
    /// carries it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// The state of a tree's consolidation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeUpkeep {
    /// The memory that the tree belongs to.
    pub memory: MemoryId,
    /// The namespace of the tree, in normal form: one slash before, between and after the segments.
    pub namespace: String,
    /// The run that is active on the tree; `None` if none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<ActiveRun>,
    /// The sequence up to which each operation has processed the tree, by the operation's word. An
    /// operation that is absent starts at the beginning.
    #[serde(default)]
    pub covered: BTreeMap<String, u64>,
    /// The sequence on which the last run was planned, applied or not.
    pub looked: u64,
    /// The time at which the last run was planned.
    pub looked_at: Timestamp,
    /// The time at which the scheduler last started a run or adopted a cron setting for the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduled_at: Option<Timestamp>,
    /// The cron setting of the schedule at `scheduled_at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// The time since which reads of the tree's documents are known to be counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_since: Option<Timestamp>,
    /// The actor that owns the tree; erasing the data of this actor deletes it.
    pub actor: ActorId,
}

impl TreeUpkeep {
    /// Returns the state of a tree that was never consolidated.
    ///
    /// # Errors
    /// Never fails in practice.
    pub fn new(memory: &MemoryId, namespace: &str) -> Result<Self> {
        Ok(Self {
            memory: memory.clone(),
            namespace: namespace.to_owned(),
            active: None,
            covered: BTreeMap::new(),
            looked: 0,
            looked_at: Timestamp::EPOCH,
            scheduled_at: None,
            cron: None,
            counted_since: None,
            actor: owner_of(None)?,
        })
    }

    /// Returns the sequence up to which all of these operations have processed the tree.
    #[must_use]
    pub fn covered_by<'a>(&self, operations: impl Iterator<Item = &'a str>) -> u64 {
        operations.map(|word| self.covered.get(word).copied().unwrap_or_default()).min().unwrap_or_default()
    }

    /// Records that an operation has processed the tree up to a sequence.
    pub fn cover(&mut self, operation: &str, sequence: u64) {
        let covered = self.covered.entry(operation.to_owned()).or_default();
        *covered = (*covered).max(sequence);
    }

    /// Returns the key of a tree's consolidation state on its shelf.
    pub fn key_of(namespace: &str) -> String {
        format!("upkeep\n{namespace}")
    }

    /// True for the key of a tree's consolidation state, among keys of other entries.
    pub fn is_key(key: &str) -> bool {
        key.starts_with("upkeep\n")
    }
}

impl LedgerNoun for TreeUpkeep {
    const SHELF: Shelf = Shelf::PROGRESS;

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        Self::key_of(&self.namespace)
    }

    fn at(&self) -> Timestamp {
        self.looked_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_operations_came() {
        let memory = MemoryId::compose("notes", "0123456789").unwrap();
        let mut upkeep = TreeUpkeep::new(&memory, "/").unwrap();
        for (operation, sequence) in [("prune", 9), ("reorganize", 4), ("prune", 7)] {
            upkeep.cover(operation, sequence);
        }
        for (operations, expect) in [
            (vec!["prune"], 9),
            (vec!["prune", "reorganize"], 4),
            (vec!["prune", "deduplicate"], 0),
            (vec![], 0),
        ] {
            assert_eq!(upkeep.covered_by(operations.iter().copied()), expect, "{operations:?}");
        }
    }
}
