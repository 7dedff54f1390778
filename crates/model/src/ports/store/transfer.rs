//! Access to all data of a store, row by row, for moving it into another store.

use crate::transfer::{Moved, MovedMemory, TransferKey, TransferKind, TransferPlace, TransferRow};
use crate::{MemoryId, Result, Timestamp};

/// The state of a memory in a store that it is to be moved into.
#[derive(Debug, Clone, PartialEq)]
pub enum TransferStanding {
    /// The store has no memory of that id.
    Absent,
    /// The memory is being moved in, with its state at the source when the move began.
    Moving(Box<MovedMemory>),
    /// The memory exists.
    There(Box<MovedMemory>),
    /// The memory was deleted, and not all of its rows are removed yet: [`super::Memories::purge`]
    /// removes them.
    Deleted,
}

/// Access to all data as rows. Until [`Transfer::finish`], no other accessor returns a memory that
/// is being moved in: it runs no jobs, sends nothing and answers nothing.
pub trait Transfer {
    /// Returns the state of a memory.
    fn standing(&self, memory: &MemoryId) -> Result<TransferStanding>;
    /// Returns the number of rows of a kind.
    fn count(&self, place: &TransferPlace, kind: TransferKind) -> Result<u64>;
    /// Returns up to `limit` rows after `after`, perhaps fewer; an empty result is the end. It
    /// includes rows of a memory that is being moved in.
    fn dump(
        &self,
        place: &TransferPlace,
        kind: TransferKind,
        after: Option<&TransferKey>,
        limit: usize,
    ) -> Result<Vec<TransferRow>>;
    /// Returns the key of the last row that [`Transfer::dump`] would return, from which an
    /// interrupted move continues.
    fn last(&self, place: &TransferPlace, kind: TransferKind) -> Result<Option<TransferKey>>;
    /// Starts moving a memory in; its name need not be free yet. A memory of that id in any state
    /// is a conflict.
    fn begin(&mut self, memory: &MovedMemory) -> Result<()>;
    /// Loads rows of a memory that is being moved in, or of the server. Kinds are ordered by
    /// [`TransferKind::ALL`], rows by [`Transfer::dump`]. An existing row stays unchanged.
    fn load(&mut self, place: &TransferPlace, rows: &[Moved]) -> Result<()>;
    /// Makes a memory that was moved in available. A taken name is a conflict.
    fn finish(&mut self, memory: &MemoryId) -> Result<()>;
    /// Abandons a memory that is being moved in, like a deletion. False if it is not being moved
    /// in.
    fn abandon(&mut self, memory: &MemoryId, at: Timestamp) -> Result<bool>;
}
