//! How often a record was read: by searches, by tools that read, by what is loaded into a prompt;
//! listings do not count. A hint for upkeep and for what an index leaves out: reads of the last
//! minute before a crash are not in it.

use serde::{Deserialize, Serialize};

use crate::ledger::{Shelf, Shelved};
use crate::{ActorId, MemoryId, RecordId, Timestamp};

/// The reads of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentReads {
    /// The memory.
    pub memory: MemoryId,
    /// The record.
    pub record: RecordId,
    /// How often.
    pub count: u64,
    /// When they were kept for the first time.
    pub first_at: Timestamp,
    /// When last.
    pub last_at: Timestamp,
    /// Whose the record is.
    pub actor: ActorId,
}

impl Shelved for DocumentReads {
    const SHELF: Shelf = Shelf::named("document_reads");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        self.record.as_str().to_owned()
    }

    fn at(&self) -> Timestamp {
        self.first_at
    }
}
