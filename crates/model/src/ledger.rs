//! The ledger: data in addition to records that needs few queries: by key, or as a list of one
//! shelf, one actor or one subject, the newest first. A noun that needs other queries has a table
//! of its own.
//!
//! An entry is a noun in its stored form ([`LedgerNoun`]). To add a noun: its `impl LedgerNoun`
//! with a [`Shelf`] of its own, and a line in the list of shelves of its product; no store changes.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::words::open_words;
use crate::{ActorId, Document, Error, MemoryId, Result, Timestamp};

open_words! {
    /// A shelf of the ledger: a word that names the kind of its entries. A noun names its shelf in
    /// its `impl LedgerNoun`. The kernel or a product registers the shelf with its rules.
    Shelf, "shelf", "a shelf has 1 to 40 lower-case letters and underscores"
}

impl Shelf {
    /// The shelf of progress: cursors, counters, the last run of a process. Products share it and
    /// separate their entries by keys.
    pub const PROGRESS: Self = Shelf::named("progress");
    /// The shelf of redacted contents, identified by digests whose keys the master key seals.
    pub const REDACTED_CONTENT: Self = Shelf::named("redacted_content");
}

/// A noun in the ledger. Its stored form is its `serde` form.
pub trait LedgerNoun: Serialize + DeserializeOwned {
    /// The shelf of the noun.
    const SHELF: Shelf;
    /// Returns the memory that the noun belongs to.
    fn memory(&self) -> &MemoryId;
    /// Returns the actor that owns it. Forgetting the actor deletes it.
    fn actor(&self) -> &ActorId;
    /// Returns the key, unique on its shelf in its memory.
    fn key(&self) -> String;
    /// Returns the subject, which lists of a part of the shelf select: the number of a pull
    /// request, a digest.
    fn subject(&self) -> Option<String> {
        None
    }
    /// Returns the time by which lists are ordered.
    fn at(&self) -> Timestamp;
}

/// An entry of the ledger: a noun in its stored form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The memory that the entry belongs to.
    pub memory: MemoryId,
    /// The shelf of the entry, which names the kind of the noun.
    pub shelf: Shelf,
    /// The key of the entry, unique on its shelf in its memory.
    pub key: String,
    /// The actor that owns the entry. Erasing the actor's data deletes the entry.
    pub actor: ActorId,
    /// The subject, which lists of a part of the shelf select.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The time by which lists are ordered.
    pub at: Timestamp,
    /// The stored form of the noun: its `serde` form as JSON.
    pub body: Document,
}

impl LedgerEntry {
    /// Returns the entry of a noun.
    ///
    /// # Errors
    /// A bug, if the noun cannot be serialised.
    pub fn of<T: LedgerNoun>(noun: &T) -> Result<Self> {
        let unwritten = |error| Error::bug("an entry of the ledger cannot be written").caused_by(error);
        let body = serde_json::to_string(noun).map_err(unwritten)?;
        Ok(Self {
            memory: noun.memory().clone(),
            shelf: T::SHELF,
            key: noun.key(),
            actor: noun.actor().clone(),
            subject: noun.subject(),
            at: noun.at(),
            body: Document::parse(&body)?,
        })
    }

    /// Returns the noun of the entry.
    ///
    /// # Errors
    /// A bug, if the entry is damaged.
    pub fn read<T: LedgerNoun>(&self) -> Result<T> {
        let damaged = |error| Error::bug("an entry of the ledger is damaged").caused_by(error);
        serde_json::from_str(self.body.as_str()).map_err(damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shelf_is_stored_as_its_word() {
        let shelf: Shelf = serde_json::from_str("\"rule_support\"").unwrap();
        assert_eq!(shelf, Shelf::named("rule_support"));
        assert_eq!(serde_json::to_string(&shelf).unwrap(), "\"rule_support\"");
        for bad in ["", "Review", "a b", "a\n", &"a".repeat(41)] {
            assert!(Shelf::parse(bad).is_err(), "{bad:?}");
        }
    }
}
