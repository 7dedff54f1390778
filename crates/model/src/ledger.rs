//! The ledger: what an area keeps beside records that is found by few questions: by its key, or as a list of one shelf, of one
//! actor, of one subject, the newest first. A noun that needs other questions has a table of its own.
//!
//! An entry is a noun in its stored form ([`Shelved`]). To add a noun: its `impl Shelved` with a
//! [`Shelf`] of its own, and a line in the list of shelves of its product; no store changes.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::words::open_words;
use crate::{ActorId, Document, Error, MemoryId, Result, Timestamp};

open_words! {
    /// A shelf of the ledger: a word that names the kind of its entries. A noun names its shelf in
    /// its `impl Shelved`; the kernel or a product registers the shelf with its rules.
    Shelf, "shelf", "a shelf has 1 to 40 lower-case letters and underscores"
}

impl Shelf {
    /// The shelf of how far something was read: cursors, counters, the last run of something.
    /// Products share it and part it by keys.
    pub const PROGRESS: Self = Shelf::named("progress");
    /// The shelf of contents that were taken out, by digests whose keys the master key seals.
    pub const REDACTED_CONTENT: Self = Shelf::named("redacted_content");
}

/// A noun that is kept in the ledger. Its stored form is its `serde` form.
pub trait Shelved: Serialize + DeserializeOwned {
    /// Where it is kept.
    const SHELF: Shelf;
    /// Its memory.
    fn memory(&self) -> &MemoryId;
    /// Whose it is: with it, it is forgotten.
    fn actor(&self) -> &ActorId;
    /// Names it among all of its shelf in its memory.
    fn key(&self) -> String;
    /// What lists of a part of the shelf go by: the number of a pull request, a digest.
    fn subject(&self) -> Option<String> {
        None
    }
    /// What lists are ordered by.
    fn at(&self) -> Timestamp;
}

/// A noun as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The memory.
    pub memory: MemoryId,
    /// What kind of noun it is.
    pub shelf: Shelf,
    /// Its name on the shelf.
    pub key: String,
    /// Whose it is.
    pub actor: ActorId,
    /// What lists of a part of the shelf go by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What lists are ordered by.
    pub at: Timestamp,
    /// The noun.
    pub body: Document,
}

impl LedgerEntry {
    /// Of a noun.
    ///
    /// # Errors
    /// A bug, where it cannot be written.
    pub fn of<T: Shelved>(noun: &T) -> Result<Self> {
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

    /// As the noun it is.
    ///
    /// # Errors
    /// A bug, where it is damaged.
    pub fn read<T: Shelved>(&self) -> Result<T> {
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
