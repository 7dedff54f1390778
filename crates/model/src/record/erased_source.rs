//! Tombstones: a source (a record, an event, an item of an import, a document, a request) whose
//! data was erased, identified by a keyed digest of its name. A tombstone holds the time of the
//! erasure and no content. It prevents imports from restoring the data.

use serde::{Deserialize, Serialize};

use crate::ledger::{LedgerNoun, Shelf};
use crate::{ActorId, MemoryId, Timestamp};

/// A source whose data was erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasedSource {
    /// The memory that the source belongs to.
    pub memory: MemoryId,
    /// The keyed digest of the source's name, in hex digits.
    pub digest: String,
    /// The time at which the source's data was erased.
    pub at: Timestamp,
    /// No person's actor, because a tombstone outlives the person.
    pub actor: ActorId,
}

impl LedgerNoun for ErasedSource {
    const SHELF: Shelf = Shelf::named("erased_source");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        self.digest.clone()
    }

    fn at(&self) -> Timestamp {
        self.at
    }
}
