//! What is kept of the upkeep of a tree beside its runs: which run is active, and up to which
//! sequence the tree was looked at. An entry of the ledger. What a run holds, and what its statuses
//! mean for what is done, is the engine's matter.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ledger::{Shelf, Shelved};
use crate::trees::tree_entry::owner_of;
use crate::words::closed_words;
use crate::{ActorId, MemoryId, Result, Timestamp};

closed_words! {
    /// Where a run stands.
    RunStatus {
        /// What is to be done is being found out.
        Planning = "planning",
        /// There is a plan, and nothing of it is done.
        Planned = "planned",
        /// It is being done.
        Applying = "applying",
        /// What was asked for of it is done.
        Applied = "applied",
        /// There is no plan that may be done.
        Failed = "failed",
        /// Somebody called it off.
        Cancelled = "cancelled",
        /// Another run undid it.
        Reverted = "reverted",
        /// The tree changed under it, more often than it is planned anew.
        Conflict = "conflict",
    }
}

closed_words! {
    /// Where one action of a run stands.
    ActionStatus {
        /// It is to be done.
        Planned = "planned",
        /// A person decides first.
        Held = "held",
        /// It is done.
        Applied = "applied",
        /// It was not asked for.
        Skipped = "skipped",
        /// It cannot be done: what it is about was changed since.
        Conflict = "conflict",
    }
}

/// The run of a tree that is active: one at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveRun {
    /// The run.
    pub id: String,
    /// Until when it is believed to go on without a sign; none: a job carries it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// The upkeep of a tree so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeUpkeep {
    /// The memory.
    pub memory: MemoryId,
    /// The namespace, in its normal form.
    pub namespace: String,
    /// The run that is active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<ActiveRun>,
    /// Up to which sequence the tree was put in order, by the words of operations; one that is not there: from the beginning.
    #[serde(default)]
    pub covered: BTreeMap<String, u64>,
    /// The sequence that the last run was planned on, applied or not.
    pub looked: u64,
    /// When that was.
    pub looked_at: Timestamp,
    /// When the tree's schedule was followed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduled_at: Option<Timestamp>,
    /// The times of a clock that it followed then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Since when reads of its documents are known to be counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_since: Option<Timestamp>,
    /// Whose it is.
    pub actor: ActorId,
}

impl TreeUpkeep {
    /// Of a tree that was never looked at.
    ///
    /// # Errors
    /// None that can happen.
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

    /// Up to which sequence all of these operations put the tree in order.
    #[must_use]
    pub fn covered_by<'a>(&self, operations: impl Iterator<Item = &'a str>) -> u64 {
        operations.map(|word| self.covered.get(word).copied().unwrap_or_default()).min().unwrap_or_default()
    }

    /// Notes that an operation put the tree in order up to a sequence.
    pub fn cover(&mut self, operation: &str, sequence: u64) {
        let covered = self.covered.entry(operation.to_owned()).or_default();
        *covered = (*covered).max(sequence);
    }

    /// The name of a tree's upkeep on its shelf.
    pub fn key_of(namespace: &str) -> String {
        format!("upkeep\n{namespace}")
    }

    /// True for the name of a tree's upkeep, among those of other things.
    pub fn is_key(key: &str) -> bool {
        key.starts_with("upkeep\n")
    }
}

impl Shelved for TreeUpkeep {
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
