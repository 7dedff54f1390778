//! The number of reads of a record by searches, by tools and by the loading of prompts. Listings do
//! not count. The number is a hint for consolidation and for omissions from an index: reads of the
//! last minute before a crash are missing from it.

use serde::{Deserialize, Serialize};

use crate::ledger::{LedgerNoun, Shelf};
use crate::{ActorId, MemoryId, RecordId, Timestamp};

/// The reads of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentReads {
    /// The memory that the record belongs to.
    pub memory: MemoryId,
    /// The record whose reads are counted.
    pub record: RecordId,
    /// Number of reads.
    pub count: u64,
    /// Time when the first reads were stored.
    pub first_at: Timestamp,
    /// Time when the last reads were stored.
    pub last_at: Timestamp,
    /// The actor that owns the record.
    pub actor: ActorId,
}

impl LedgerNoun for DocumentReads {
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
