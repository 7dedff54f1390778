//! The tree of one namespace of a memory: what lies under which path, and where a record lies. Reads what the ledger keeps of it; how it
//! is brought up to its records is `reconciliation`'s and `catch_up`'s matter, what may be written
//! where is `areas`'.

use std::sync::OnceLock;

use loci_engine::document_text::areas::KNOWLEDGE;
use loci_engine::document_text::path::{DocumentPath, PathKey};
use loci_engine::document_text::slug::{free_number, numbered_name, topic_key};
use loci_engine::hooks::NamespaceOwners;
use loci_model::ledger::{Shelf, Shelved};
use loci_model::ports::store::{LedgerPage, ReadTx};
use loci_model::trees::tree_entry::{EntryStanding, TreeEntry, TreePlace, TreeProgress};
use loci_model::{Error, MemoryId, Namespace, RecordId, Result, Timestamp};
use sha2::{Digest, Sha256};

/// Places of one topic that are looked at: of more than one, the others are put away.
const TOPIC_PLACES: usize = 16;

/// Entries below a path that are read at once.
const ENTRIES_PER_READ: usize = 100;

/// Entries of progress that are read at once.
const PROGRESS_PER_READ: usize = 1_000;

/// A tree as a caller names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeAsk {
    /// The memory.
    pub memory: MemoryId,
    /// The namespace, alone: those beneath it are trees of their own.
    pub namespace: Namespace,
}

/// A tree, within a transaction.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    pub(crate) memory: MemoryId,
    pub(crate) namespace: Namespace,
    /// The namespace in its normal form.
    pub(crate) normal: String,
    /// The owners of the memory's namespaces, once anybody asked.
    pub(super) owners: OnceLock<NamespaceOwners>,
}

impl Tree {
    pub(crate) fn of(ask: &TreeAsk) -> Self {
        let normal = ask.namespace.normal();
        Self { memory: ask.memory.clone(), namespace: ask.namespace.clone(), normal, owners: OnceLock::new() }
    }

    /// How far it was brought.
    pub(crate) fn progress(&self, tx: &dyn ReadTx) -> Result<TreeProgress> {
        let found = tx.ledger().noun::<TreeProgress>(&self.memory, &TreeProgress::key_of(&self.normal))?;
        found.map_or_else(|| TreeProgress::new(&self.memory, &self.normal), Ok)
    }

    /// What is known of a path, live or not.
    pub(crate) fn entry(&self, tx: &dyn ReadTx, key: &PathKey) -> Result<Option<TreeEntry>> {
        self.entry_of(tx, key.as_str())
    }

    /// The same by the key's text.
    pub(crate) fn entry_of(&self, tx: &dyn ReadTx, key: &str) -> Result<Option<TreeEntry>> {
        tx.ledger().noun(&self.memory, &TreeEntry::key_of(&self.normal, key))
    }

    /// A document that lies below a path, but for one record.
    ///
    /// # Errors
    /// Errors of the store.
    pub(crate) fn live_below(
        &self,
        tx: &dyn ReadTx,
        key: &PathKey,
        now: Timestamp,
        except: Option<&RecordId>,
    ) -> Result<Option<TreeEntry>> {
        let key_of = |end: &str| TreeEntry::key_of(&self.normal, &format!("{}{end}", key.as_str()));
        // `0` follows `/`: everything that begins with the path and a slash lies between.
        let (mut after, before) = (key_of("/"), key_of("0"));
        loop {
            let page =
                tx.ledger().between(&self.memory, &TreeEntry::SHELF, (&after, &before), ENTRIES_PER_READ)?;
            for entry in &page {
                let entry = entry.read::<TreeEntry>()?;
                if entry.is_live(now) && Some(&entry.record) != except {
                    return Ok(Some(entry));
                }
            }
            match page.last() {
                Some(last) if page.len() == ENTRIES_PER_READ => after.clone_from(&last.key),
                Some(_) | None => return Ok(None),
            }
        }
    }

    /// A document that has the path of one of a path's directories, but for one record.
    ///
    /// # Errors
    /// Errors of the store.
    pub(crate) fn live_above(
        &self,
        tx: &dyn ReadTx,
        path: &DocumentPath,
        now: Timestamp,
        except: Option<&RecordId>,
    ) -> Result<Option<TreeEntry>> {
        let mut above = path.directory();
        while !above.is_empty() && above != KNOWLEDGE {
            let entry = self.entry(tx, &DocumentPath::parse(above)?.key())?;
            let is_there = |entry: &TreeEntry| entry.is_live(now) && Some(&entry.record) != except;
            if let Some(entry) = entry.filter(is_there) {
                return Ok(Some(entry));
            }
            above = above.rsplit_once('/').map_or("", |(above, _)| above);
        }
        Ok(None)
    }

    /// Returns true where no directory of a path is a document, and none lies below the path, but
    /// for one record: a file system can hold a document there.
    ///
    /// # Errors
    /// Errors of the store.
    pub(crate) fn has_room(
        &self,
        tx: &dyn ReadTx,
        path: &DocumentPath,
        now: Timestamp,
        except: &RecordId,
    ) -> Result<bool> {
        let is_below_one = self.live_above(tx, path, now, Some(except))?.is_some();
        Ok(!is_below_one && self.live_below(tx, &path.key(), now, Some(except))?.is_none())
    }

    /// Returns the first of `directory`, `directory-2`, `directory-3` … that no document has as its
    /// path; behind a thousand of them one behind one that a document has.
    ///
    /// # Errors
    /// Errors of the store; `Conflict` where no free name was found.
    pub(crate) fn open_directory(
        &self,
        tx: &dyn ReadTx,
        directory: &str,
        now: Timestamp,
        except: Option<&RecordId>,
    ) -> Result<String> {
        let is_taken = |number: u64| -> Result<bool> {
            let path = DocumentPath::parse(&numbered_name(directory, "", number))?;
            let entry = self.entry(tx, &path.key())?;
            Ok(entry.is_some_and(|entry| entry.is_live(now) && Some(&entry.record) != except))
        };
        if let Some(number) = free_number(is_taken)? {
            return Ok(numbered_name(directory, "", number));
        }
        let rule =
            format!("documents have the places of {directory} and of the names with a number behind it");
        Err(Error::conflict(format!("{rule}: move some of them away, or give a path")).on("path"))
    }

    /// Where a record lies, in whichever tree.
    pub(crate) fn place(&self, tx: &dyn ReadTx, record: &RecordId) -> Result<Option<TreePlace>> {
        tx.ledger().noun(&self.memory, record.as_str())
    }

    /// The entry of the live document of a topic: the one that lies there longest.
    pub(crate) fn of_topic(&self, tx: &dyn ReadTx, title: &str) -> Result<Option<TreeEntry>> {
        let page = LedgerPage {
            memory: self.memory.clone(),
            shelf: TreePlace::SHELF,
            actor: None,
            subject: Some(self.topic(title)),
            after: None,
            limit: TOPIC_PLACES,
        };
        let mut found = Vec::new();
        for place in tx.ledger().nouns::<TreePlace>(&page)? {
            let entry = self.entry_of(tx, &place.key)?;
            found.extend(
                entry.filter(|entry| entry.standing == EntryStanding::Live && entry.record == place.record),
            );
        }
        Ok(found.into_iter().min_by(|a, b| a.record.cmp(&b.record)))
    }

    /// What a topic of this tree is found by.
    pub(super) fn topic(&self, title: &str) -> String {
        hex::encode(Sha256::digest(format!("{}\n{}", self.normal, topic_key(title))))
    }

    /// Entries that changed behind a sequence, by sequence.
    pub(crate) fn entries_since(
        &self,
        tx: &dyn ReadTx,
        after: Option<&TreeEntry>,
        limit: usize,
    ) -> Result<Vec<TreeEntry>> {
        use loci_model::ledger::Shelved;
        tx.ledger().nouns(&LedgerPage {
            memory: self.memory.clone(),
            shelf: TreeEntry::SHELF,
            actor: None,
            subject: Some(self.normal.clone()),
            after: after.map(|entry| (entry.at(), entry.key())),
            limit,
        })
    }
}

/// The namespaces, in their normal form, of all trees of a memory that anybody looked into.
///
/// # Errors
/// What the store says.
pub(crate) fn known_trees(tx: &dyn ReadTx, memory: &MemoryId) -> Result<Vec<String>> {
    let (mut trees, mut after) = (Vec::new(), None);
    loop {
        let page = LedgerPage {
            memory: memory.clone(),
            shelf: Shelf::PROGRESS,
            actor: None,
            subject: None,
            after,
            limit: PROGRESS_PER_READ,
        };
        let entries = tx.ledger().list(&page)?;
        after = entries.last().map(|entry| (entry.at, entry.key.clone()));
        for entry in entries.iter().filter(|entry| TreeProgress::is_key(&entry.key)) {
            trees.push(entry.read::<TreeProgress>()?.namespace);
        }
        if entries.len() < PROGRESS_PER_READ {
            return Ok(trees);
        }
    }
}
