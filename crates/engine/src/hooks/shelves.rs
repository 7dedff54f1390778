//! Rules for the shelves of the ledger. The kernel and each product register rules for their own
//! shelves; the first rules that match an entry apply to it.

use std::collections::BTreeSet;

use loci_model::ledger::{LedgerEntry, LedgerNoun, Shelf};
use loci_model::record::conflict::Conflict;
use loci_model::record::erased_source::ErasedSource;
use loci_model::{Error, RecordId, Result};

use super::Products;

/// A function that returns true if a ledger entry is about one of these records.
pub type AboutRecords = fn(&LedgerEntry, &BTreeSet<RecordId>) -> Result<bool>;

/// Rules for the entries of a ledger shelf, or of a part of the shelf: which entries an export,
/// an import and an erasure include.
#[derive(Debug, Clone)]
pub struct ShelfRules {
    pub(crate) shelf: Shelf,
    keys: Option<fn(&str) -> bool>,
    holds: fn(&LedgerEntry) -> bool,
    is_local: bool,
    pub(crate) is_of_tree: bool,
    about: Option<AboutRecords>,
}

/// The shelves of the kernel. Products share the shelf for progress and divide it by keys.
static KERNEL_SHELVES: [ShelfRules; 4] = [
    ShelfRules::unchecked(Shelf::PROGRESS),
    ShelfRules::of::<Conflict>().about(is_conflict_of),
    ShelfRules::of::<ErasedSource>().local(),
    ShelfRules::unchecked(Shelf::REDACTED_CONTENT).local(),
];

impl ShelfRules {
    /// Returns the rules for the shelf of the type `T`: an export contains its entries, an import
    /// accepts those that parse as `T`, and an erasure finds them by their actor.
    pub const fn of<T: LedgerNoun>() -> Self {
        Self::unchecked(T::SHELF).holding(is_noun::<T>)
    }

    /// Returns the rules for a shelf whose entries an import accepts without a check.
    pub const fn unchecked(shelf: Shelf) -> Self {
        Self { shelf, keys: None, holds: |_| true, is_local: false, is_of_tree: false, about: None }
    }

    /// Restricts the rules to entries whose keys the function selects, on a shelf that several
    /// products share.
    pub const fn part(mut self, keys: fn(&str) -> bool) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Adds a check that an entry must pass in an import.
    pub const fn holding(mut self, holds: fn(&LedgerEntry) -> bool) -> Self {
        self.holds = holds;
        self
    }

    /// Marks the entries as data of this installation, such as the order of its record changes,
    /// its disks or its keys. An export leaves them out, and an import rejects them.
    pub const fn local(mut self) -> Self {
        self.is_local = true;
        self
    }

    /// Marks the entries as naming the namespace of a document tree. They are erased when a
    /// person's tree is erased.
    pub const fn of_tree(mut self) -> Self {
        self.is_of_tree = true;
        self
    }

    /// Marks the entries as data about records. They are erased together with the records that
    /// `about` finds.
    pub const fn about(mut self, about: AboutRecords) -> Self {
        self.about = Some(about);
        self
    }

    /// Returns true if an erasure must examine every entry of the shelf.
    pub(crate) fn has_traces(&self) -> bool {
        self.is_of_tree || self.about.is_some()
    }

    /// Returns true if an entry is about one of these records.
    ///
    /// # Errors
    /// A bug if the entry is damaged.
    pub(crate) fn is_about(&self, entry: &LedgerEntry, records: &BTreeSet<RecordId>) -> Result<bool> {
        self.about.map_or(Ok(false), |about| about(entry, records))
    }

    fn is_for(&self, entry: &LedgerEntry) -> bool {
        self.shelf == entry.shelf && self.keys.is_none_or(|is_key| is_key(&entry.key))
    }
}

/// Returns true if an entry parses as the type `T` and the result has the memory and key of the
/// entry.
pub fn is_noun<T: LedgerNoun>(entry: &LedgerEntry) -> bool {
    entry.read::<T>().is_ok_and(|noun| *noun.memory() == entry.memory && noun.key() == entry.key)
}

fn is_conflict_of(entry: &LedgerEntry, records: &BTreeSet<RecordId>) -> Result<bool> {
    let conflict: Conflict = entry.read()?;
    Ok(records.contains(&conflict.standing) || records.contains(&conflict.against))
}

impl Products {
    /// Returns the rules of all shelves: first the rules of the products in the order of
    /// registration, then those of the kernel.
    pub(crate) fn shelf_rules(&self) -> impl Iterator<Item = &ShelfRules> {
        self.0.iter().flat_map(|product| &product.shelves).chain(&KERNEL_SHELVES)
    }

    /// Returns the rules that apply to an entry; `None` if its shelf is not registered.
    pub(crate) fn rules_of(&self, entry: &LedgerEntry) -> Option<&ShelfRules> {
        self.shelf_rules().find(|rules| rules.is_for(entry))
    }

    /// Returns all shelves, in the order of their registration.
    pub fn shelves(&self) -> Vec<Shelf> {
        let mut shelves: Vec<Shelf> = Vec::new();
        for rules in self.shelf_rules() {
            if !shelves.contains(&rules.shelf) {
                shelves.push(rules.shelf.clone());
            }
        }
        shelves
    }

    /// Returns true if an entry is data of this installation, which exports leave out and imports
    /// reject.
    pub(crate) fn is_local(&self, entry: &LedgerEntry) -> bool {
        self.rules_of(entry).is_some_and(|rules| rules.is_local)
    }

    /// Returns true if an entry is about one of these records.
    ///
    /// # Errors
    /// A bug if the entry is damaged.
    pub(crate) fn is_about(&self, entry: &LedgerEntry, records: &BTreeSet<RecordId>) -> Result<bool> {
        self.rules_of(entry).map_or(Ok(false), |rules| rules.is_about(entry, records))
    }

    /// Checks an imported entry by the rules of its shelf.
    ///
    /// A store keeps an entry as text and finds it by its columns. An entry that its shelf cannot
    /// parse would break every list of the shelf.
    ///
    /// # Errors
    /// `Invalid`, which names the shelf.
    pub(crate) fn check_entry(&self, entry: &LedgerEntry) -> Result<()> {
        let shelf = entry.shelf.as_str();
        let rule = match self.rules_of(entry) {
            Some(rules) if (rules.holds)(entry) => return Ok(()),
            Some(_) => format!(
                "the entry of the shelf {shelf} is not what that shelf holds, or lies under another key: \
                 import the file as it was exported"
            ),
            None => format!(
                "no part of this program knows the shelf {shelf}: it was built without it, or the file is of \
                 a newer version"
            ),
        };
        Err(Error::invalid("entry", rule))
    }

    /// Checks that every shelf is registered only once. Rules for parts of a shared shelf do not
    /// count.
    ///
    /// # Errors
    /// A bug that names the shelf.
    pub(super) fn check_shelves(&self) -> Result<()> {
        let mut whole: Vec<&Shelf> = Vec::new();
        for rules in self.shelf_rules().filter(|rules| rules.keys.is_none()) {
            if whole.contains(&&rules.shelf) {
                let shelf = rules.shelf.as_str();
                return Err(Error::bug(format!("the shelf {shelf} of the ledger is registered twice")));
            }
            whole.push(&rules.shelf);
        }
        match self.shelf_rules().find(|rules| !whole.contains(&&rules.shelf)) {
            Some(part) => {
                let shelf = part.shelf.as_str();
                Err(Error::bug(format!("of the shelf {shelf} of the ledger only a part is registered")))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use loci_model::{ActorId, Document, MemoryId, Timestamp};
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::hooks::Product;

    #[derive(Debug, Serialize, Deserialize)]
    struct Note {
        memory: MemoryId,
        actor: ActorId,
        name: String,
    }

    impl LedgerNoun for Note {
        const SHELF: Shelf = Shelf::named("note");

        fn memory(&self) -> &MemoryId {
            &self.memory
        }

        fn actor(&self) -> &ActorId {
            &self.actor
        }

        fn key(&self) -> String {
            self.name.clone()
        }

        fn at(&self) -> Timestamp {
            Timestamp::EPOCH
        }
    }

    fn entry(name: &str) -> LedgerEntry {
        let memory = MemoryId::parse("notes-0123456789").unwrap();
        let actor = ActorId::parse("acme/shop").unwrap();
        LedgerEntry::of(&Note { memory, actor, name: name.to_owned() }).unwrap()
    }

    fn products(shelves: &[ShelfRules]) -> Products {
        Products::new(vec![Product { name: "notes", shelves: shelves.to_vec(), ..Product::default() }])
    }

    #[test]
    fn an_entry_is_the_noun_of_its_shelf() {
        let products = products(&[ShelfRules::of::<Note>()]);
        let good = entry("a");
        products.check_entry(&good).unwrap();
        assert!(!products.is_local(&good));
        let other = LedgerEntry { key: "b".to_owned(), ..good.clone() };
        let emptied = LedgerEntry { body: Document::parse("{}").unwrap(), ..good.clone() };
        for bad in [other, emptied] {
            assert!(
                products
                    .check_entry(&bad)
                    .unwrap_err()
                    .message
                    .contains("import the file as it was exported")
            );
        }
        let unknown = LedgerEntry { shelf: Shelf::named("dream"), ..good };
        let error = products.check_entry(&unknown).unwrap_err();
        assert!(error.message.contains("no part of this program knows the shelf dream"), "{error:?}");
    }

    #[test]
    fn a_part_of_a_shelf_has_rules_of_its_own() {
        let part = ShelfRules::of::<Note>().part(|key| key.starts_with("here/")).local();
        let products = products(&[part, ShelfRules::of::<Note>()]);
        products.check_shelves().unwrap();
        assert_eq!((products.is_local(&entry("here/a")), products.is_local(&entry("a"))), (true, false));
        assert_eq!(products.shelves().iter().filter(|shelf| **shelf == Note::SHELF).count(), 1);
    }

    #[test]
    fn a_shelf_is_registered_once() {
        let part = ShelfRules::unchecked(Note::SHELF).part(|_| true);
        let of_kernel = ShelfRules::unchecked(Conflict::SHELF);
        for (shelves, expect) in [
            (vec![ShelfRules::of::<Note>(), ShelfRules::unchecked(Note::SHELF)], "note of the ledger is"),
            (vec![of_kernel], "conflict of the ledger is registered twice"),
            (vec![part], "of the shelf note of the ledger only a part"),
        ] {
            let error = products(&shelves).check_shelves().unwrap_err();
            assert!(error.message.contains(expect), "{error:?}");
        }
        Products::default().check_shelves().unwrap();
    }
}
