//! Access to everything a store holds, row by row, for moving it into another store.

use crate::transfer::{Moved, MovedMemory, TransferKey, TransferKind, TransferPlace, TransferRow};
use crate::{MemoryId, Result, Timestamp};

/// What a store knows of a memory that is to come into it.
#[derive(Debug, Clone, PartialEq)]
pub enum TransferStanding {
    /// There is none of that id.
    Absent,
    /// It is being moved in, and was so at its source when that began.
    Moving(Box<MovedMemory>),
    /// It is there.
    There(Box<MovedMemory>),
    /// It was there, and its rows are not all removed yet: [`super::Memories::purge`] does.
    Deleted,
}

/// Everything as rows. A memory that is being moved in is out of every other accessor until [`Transfer::finish`], and nothing
/// of it runs, is sent or is answered.
pub trait Transfer {
    /// What is known of a memory.
    fn standing(&self, memory: &MemoryId) -> Result<TransferStanding>;
    /// How many rows of a kind there are.
    fn count(&self, place: &TransferPlace, kind: TransferKind) -> Result<u64>;
    /// Up to `limit` rows behind `after`, perhaps fewer; none: there are no more. Those of a memory that is being
    /// moved in too.
    fn dump(
        &self,
        place: &TransferPlace,
        kind: TransferKind,
        after: Option<&TransferKey>,
        limit: usize,
    ) -> Result<Vec<TransferRow>>;
    /// The last row that [`Transfer::dump`] would give: where a move that was broken off goes on.
    fn last(&self, place: &TransferPlace, kind: TransferKind) -> Result<Option<TransferKey>>;
    /// A memory begins to be moved in; its name need not be free yet. A conflict where one of that id is there, whatever its
    /// standing.
    fn begin(&mut self, memory: &MovedMemory) -> Result<()>;
    /// Takes in rows of a memory that is being moved in, or of the server. Kinds come in the order of [`TransferKind::ALL`],
    /// rows in the order of [`Transfer::dump`]. A row that is there stays as it is.
    fn load(&mut self, place: &TransferPlace, rows: &[Moved]) -> Result<()>;
    /// A memory that was moved in is there for everybody. A conflict where its name is taken.
    fn finish(&mut self, memory: &MemoryId) -> Result<()>;
    /// Gives a memory up that is being moved in: it is as if it had been deleted. False if it is not being moved in.
    fn abandon(&mut self, memory: &MemoryId, at: Timestamp) -> Result<bool>;
}
