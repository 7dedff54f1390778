//! The tree of one namespace of a memory: the record of each path, and the path of each record. It
//! reads the ledger. `reconciliation` and `catch_up` update a tree from its records; `areas`
//! defines which paths may be written.

use std::sync::OnceLock;

use loci_engine::document_text::areas::KNOWLEDGE;
use loci_engine::document_text::path::{DocumentPath, PathKey};
use loci_engine::document_text::slug::{free_number, numbered_name, topic_key};
use loci_engine::hooks::NamespaceOwners;
use loci_model::ledger::{LedgerNoun, Shelf};
use loci_model::ports::store::{LedgerPage, ReadTx};
use loci_model::trees::tree_entry::{EntryStanding, TreeEntry, TreePlace, TreeProgress};
use loci_model::{Error, MemoryId, Namespace, RecordId, Result, Timestamp};
use sha2::{Digest, Sha256};

/// The maximum of places of one topic that are read. If there are more, the others are archived
/// ones.
const TOPIC_PLACES: usize = 16;

/// The number of entries below a path per read.
const ENTRIES_PER_READ: usize = 100;

/// The number of progress entries per read.
const PROGRESS_PER_READ: usize = 1_000;

/// The address of a tree: a memory and a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeAsk {
    /// The memory of the tree.
    pub memory: MemoryId,
    /// The namespace of the tree. Namespaces below it are separate trees.
    pub namespace: Namespace,
}

/// A tree, within a transaction.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    pub(crate) memory: MemoryId,
    pub(crate) namespace: Namespace,
    /// The namespace in its normal form.
    pub(crate) normal: String,
    /// The owners of the memory's namespaces, loaded on first use.
    pub(super) owners: OnceLock<NamespaceOwners>,
}

impl Tree {
    pub(crate) fn of(ask: &TreeAsk) -> Self {
        let normal = ask.namespace.normal();
        Self { memory: ask.memory.clone(), namespace: ask.namespace.clone(), normal, owners: OnceLock::new() }
    }

    /// Returns the progress of the tree.
    pub(crate) fn progress(&self, tx: &dyn ReadTx) -> Result<TreeProgress> {
        let found = tx.ledger().noun::<TreeProgress>(&self.memory, &TreeProgress::key_of(&self.normal))?;
        found.map_or_else(|| TreeProgress::new(&self.memory, &self.normal), Ok)
    }

    /// Returns the entry of a path, live or not.
    pub(crate) fn entry(&self, tx: &dyn ReadTx, key: &PathKey) -> Result<Option<TreeEntry>> {
        self.entry_of(tx, key.as_str())
    }

    /// Returns the entry of a path by the text of its key.
    pub(crate) fn entry_of(&self, tx: &dyn ReadTx, key: &str) -> Result<Option<TreeEntry>> {
        tx.ledger().noun(&self.memory, &TreeEntry::key_of(&self.normal, key))
    }

    /// Returns a document below a path, except one record.
    ///
    /// # Errors
    /// The errors of the store.
    pub(crate) fn live_below(
        &self,
        tx: &dyn ReadTx,
        key: &PathKey,
        now: Timestamp,
        except: Option<&RecordId>,
    ) -> Result<Option<TreeEntry>> {
        let key_of = |end: &str| TreeEntry::key_of(&self.normal, &format!("{}{end}", key.as_str()));
        // `0` follows `/` in ASCII: the range contains everything that begins with the path and a
        // slash.
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

    /// Returns a document at one of a path's directories, except one record.
    ///
    /// # Errors
    /// The errors of the store.
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

    /// Returns true if no directory of a path is a document, and none is below the path, except one
    /// record: a file system can hold a document there.
    ///
    /// # Errors
    /// The errors of the store.
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
    /// path. If the first thousand are taken, returns a free one that follows a taken one.
    ///
    /// # Errors
    /// The errors of the store; `Conflict` if no free name was found.
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

    /// Returns the place of a record, in any tree.
    pub(crate) fn place(&self, tx: &dyn ReadTx, record: &RecordId) -> Result<Option<TreePlace>> {
        tx.ledger().noun(&self.memory, record.as_str())
    }

    /// Returns the entry of the live document of a topic: the oldest one.
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

    /// Returns the lookup key of a topic of this tree.
    pub(super) fn topic(&self, title: &str) -> String {
        hex::encode(Sha256::digest(format!("{}\n{}", self.normal, topic_key(title))))
    }

    /// Returns the entries that changed after a sequence, by sequence.
    pub(crate) fn entries_since(
        &self,
        tx: &dyn ReadTx,
        after: Option<&TreeEntry>,
        limit: usize,
    ) -> Result<Vec<TreeEntry>> {
        use loci_model::ledger::LedgerNoun;
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

/// Returns the namespaces, in normal form, of all trees of a memory that were ever opened.
///
/// # Errors
/// The errors of the store.
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
