//! Access to the ledger.

use crate::ledger::{LedgerEntry, LedgerNoun, Shelf};
use crate::{ActorId, MemoryId, Result, Timestamp};

/// A query for entries of a shelf: every specified member must match. Entries are ordered newest
/// first, ties by key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerPage {
    /// The memory whose entries to return.
    pub memory: MemoryId,
    /// Only entries of this shelf of the ledger.
    pub shelf: Shelf,
    /// Only entries of this actor.
    pub actor: Option<ActorId>,
    /// Only entries of this subject.
    pub subject: Option<String>,
    /// Only entries after that time and key.
    pub after: Option<(Timestamp, String)>,
    /// Maximum number of entries.
    pub limit: usize,
}

/// The table of the ledger.
pub trait Ledger {
    /// Returns an entry by its key.
    fn get(&self, memory: &MemoryId, shelf: &Shelf, key: &str) -> Result<Option<LedgerEntry>>;
    /// Returns a page of entries.
    fn list(&self, page: &LedgerPage) -> Result<Vec<LedgerEntry>>;
    /// Returns at most `limit` entries of a shelf whose keys lie between two texts, exclusive, by
    /// key.
    fn between(
        &self,
        memory: &MemoryId,
        shelf: &Shelf,
        keys: (&str, &str),
        limit: usize,
    ) -> Result<Vec<LedgerEntry>>;
    /// Returns the number of entries of a shelf, of an actor or of all.
    fn count(&self, memory: &MemoryId, shelf: &Shelf, actor: Option<&ActorId>) -> Result<u64>;
    /// Writes a new or changed entry.
    fn put(&mut self, entry: &LedgerEntry) -> Result<()>;
    /// Erases an entry; false if there is none.
    fn remove(&mut self, memory: &MemoryId, shelf: &Shelf, key: &str) -> Result<bool>;
    /// Erases all entries of an actor; returns their number.
    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64>;
}

impl dyn Ledger + '_ {
    /// Returns a noun by its key.
    ///
    /// # Errors
    /// Errors of the store; a bug, if the entry is damaged.
    pub fn noun<T: LedgerNoun>(&self, memory: &MemoryId, key: &str) -> Result<Option<T>> {
        self.get(memory, &T::SHELF, key)?.map(|entry| entry.read()).transpose()
    }

    /// Returns the nouns of a page, whose shelf must be theirs.
    ///
    /// # Errors
    /// Errors of the store; a bug, if an entry is damaged.
    pub fn nouns<T: LedgerNoun>(&self, page: &LedgerPage) -> Result<Vec<T>> {
        self.list(page)?.iter().map(LedgerEntry::read).collect()
    }

    /// Writes a new or changed noun.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn put_noun<T: LedgerNoun>(&mut self, noun: &T) -> Result<()> {
        self.put(&LedgerEntry::of(noun)?)
    }
}
