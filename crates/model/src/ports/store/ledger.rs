//! Access to the ledger.

use crate::ledger::{LedgerEntry, Shelf, Shelved};
use crate::{ActorId, MemoryId, Result, Timestamp};

/// Which entries of a shelf: every member that is given must hold. They come the newest first, ties by key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerPage {
    /// The memory.
    pub memory: MemoryId,
    /// The shelf.
    pub shelf: Shelf,
    /// Of this actor.
    pub actor: Option<ActorId>,
    /// Of this subject.
    pub subject: Option<String>,
    /// Behind the entry of that time and key.
    pub after: Option<(Timestamp, String)>,
    /// At most so many.
    pub limit: usize,
}

/// The table of the ledger.
pub trait Ledger {
    /// One by its key.
    fn get(&self, memory: &MemoryId, shelf: &Shelf, key: &str) -> Result<Option<LedgerEntry>>;
    /// A page.
    fn list(&self, page: &LedgerPage) -> Result<Vec<LedgerEntry>>;
    /// The entries of a shelf whose keys lie between two texts, neither included, by key: at most so many.
    fn between(
        &self,
        memory: &MemoryId,
        shelf: &Shelf,
        keys: (&str, &str),
        limit: usize,
    ) -> Result<Vec<LedgerEntry>>;
    /// How many entries of a shelf there are, of an actor or of all.
    fn count(&self, memory: &MemoryId, shelf: &Shelf, actor: Option<&ActorId>) -> Result<u64>;
    /// Writes one, new or changed.
    fn put(&mut self, entry: &LedgerEntry) -> Result<()>;
    /// Erases one; false where there is none.
    fn remove(&mut self, memory: &MemoryId, shelf: &Shelf, key: &str) -> Result<bool>;
    /// Erases everything of an actor; how many.
    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64>;
}

impl dyn Ledger + '_ {
    /// A noun by its key.
    ///
    /// # Errors
    /// What the store says; a bug, where the entry is damaged.
    pub fn noun<T: Shelved>(&self, memory: &MemoryId, key: &str) -> Result<Option<T>> {
        self.get(memory, &T::SHELF, key)?.map(|entry| entry.read()).transpose()
    }

    /// Nouns of a page, whose shelf is theirs.
    ///
    /// # Errors
    /// What the store says; a bug, where an entry is damaged.
    pub fn nouns<T: Shelved>(&self, page: &LedgerPage) -> Result<Vec<T>> {
        self.list(page)?.iter().map(LedgerEntry::read).collect()
    }

    /// Writes a noun, new or changed.
    ///
    /// # Errors
    /// What the store says.
    pub fn put_noun<T: Shelved>(&mut self, noun: &T) -> Result<()> {
        self.put(&LedgerEntry::of(noun)?)
    }
}
