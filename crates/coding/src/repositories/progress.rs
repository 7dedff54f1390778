//! The progress of one kind of work on a repository, and the time at which it was last done or
//! requested. It is stored in the ledger under the key of the kind and the repository. To add a
//! kind: a type with its data, and its key.

use loci_model::ledger::{LedgerNoun, Shelf};
use loci_model::ports::store::ReadTx;
use loci_model::{ActorId, MemoryId, RepositoryId, Result, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A kind of work, with the data of its progress.
pub(crate) trait RepositoryWork: Serialize + DeserializeOwned {
    /// The prefix of the key, before the repository's id.
    const KEY: &'static str;
}

/// The progress of one kind of work on a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RepositoryProgress<W> {
    pub(crate) memory: MemoryId,
    pub(crate) actor: ActorId,
    pub(crate) repository: RepositoryId,
    /// The time at which the work was last done or requested.
    #[serde(alias = "asked_at")]
    pub(crate) at: Timestamp,
    #[serde(flatten)]
    pub(crate) work: W,
}

impl<W: RepositoryWork> RepositoryProgress<W> {
    /// Returns the progress of a repository; `None` before the first time.
    pub(crate) fn read(
        tx: &dyn ReadTx,
        memory: &MemoryId,
        repository: &RepositoryId,
    ) -> Result<Option<Self>> {
        tx.ledger().noun(memory, &key_of::<W>(repository))
    }
}

impl<W: RepositoryWork> LedgerNoun for RepositoryProgress<W> {
    const SHELF: Shelf = Shelf::PROGRESS;

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        key_of::<W>(&self.repository)
    }

    fn at(&self) -> Timestamp {
        self.at
    }
}

fn key_of<W: RepositoryWork>(repository: &RepositoryId) -> String {
    format!("{}/{repository}", W::KEY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
    struct Counted {
        left: Vec<u64>,
    }

    impl RepositoryWork for Counted {
        const KEY: &'static str = "reviews/backfill";
    }

    #[test]
    fn marks_of_earlier_versions_are_read() {
        let repository = "0192d1e8-7b7a-7c3e-8f00-000000000000";
        for time in ["asked_at", "at"] {
            let kept = serde_json::json!({
                "memory": "code_memory-0123456789", "actor": "repo", "repository": repository,
                "left": [7, 18_000_000_000_000_000_000_u64], time: Timestamp::clamped(5),
            });
            let read: RepositoryProgress<Counted> = serde_json::from_str(&kept.to_string()).unwrap();
            assert_eq!((read.work.left[0], read.at.millis()), (7, 5));
            assert_eq!(read.key(), format!("reviews/backfill/{repository}"));
            let again = serde_json::from_str(&serde_json::to_string(&read).unwrap()).unwrap();
            assert_eq!(read, again);
        }
    }
}
