//! A whole tree in process memory, for operations that read all of it, such as listings and similar
//! names. It is cached with the sequence that it includes, and updated with later changes, so that
//! it always equals the rows in the ledger.

use std::collections::BTreeMap;
use std::sync::Arc;

use loci_engine::document_text::path::PathKey;
use loci_engine::memories::existing;
use loci_model::bounded_cache::BoundedCache;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::trees::tree_entry::{EntryStanding, TreeEntry, TreeProgress};
use loci_model::{MemoryId, RecordId, Result};

use super::tree::{Tree, TreeAsk};
use crate::Documents;

/// The maximum of bytes of all cached trees, estimated.
const CACHE_BYTES: usize = 128 << 20;
/// The estimated bytes of an entry without its texts.
const ENTRY_BYTES: usize = 400;
/// The number of entries per read.
const PAGE: usize = 2_000;

/// The cached trees.
pub(crate) struct Trees(BoundedCache<(MemoryId, String), Arc<TreeView>>);

impl Default for Trees {
    fn default() -> Self {
        Self(BoundedCache::new(CACHE_BYTES))
    }
}

/// A tree at a sequence.
#[derive(Debug, Default)]
pub(crate) struct TreeView {
    /// The sequence.
    pub(crate) sequence: u64,
    generation: u64,
    /// The entry with the latest change: an update reads the entries after it.
    newest: Option<Arc<TreeEntry>>,
    by_key: BTreeMap<String, Arc<TreeEntry>>,
    /// The documents, by path; one may have expired.
    pub(crate) live: Vec<Arc<TreeEntry>>,
}

impl TreeView {
    fn is_of(&self, progress: &TreeProgress) -> bool {
        self.generation == progress.generation && self.sequence == progress.sequence
    }

    /// Reads the tree from the ledger, starting from a cached view.
    fn read(tx: &dyn ReadTx, tree: &Tree, progress: &TreeProgress, known: Option<&Self>) -> Result<Self> {
        let known = known
            .filter(|known| known.generation == progress.generation && known.sequence <= progress.sequence);
        let mut view = Self {
            sequence: progress.sequence,
            generation: progress.generation,
            newest: known.and_then(|known| known.newest.clone()),
            by_key: known.map(|known| known.by_key.clone()).unwrap_or_default(),
            live: Vec::new(),
        };
        loop {
            let entries = tree.entries_since(tx, view.newest.as_deref(), PAGE)?;
            let is_last = entries.len() < PAGE;
            for entry in entries.into_iter().map(Arc::new) {
                view.newest = Some(entry.clone());
                view.by_key.insert(entry.key.clone(), entry);
            }
            if is_last {
                break;
            }
        }
        let is_live = |entry: &&Arc<TreeEntry>| entry.standing == EntryStanding::Live;
        view.live = view.by_key.values().filter(is_live).cloned().collect();
        view.live.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(view)
    }

    /// Returns the tree in a transaction, starting from a cached view.
    pub(crate) fn within(tx: &dyn ReadTx, tree: &Tree, known: &Arc<Self>) -> Result<Arc<Self>> {
        let progress = tree.progress(tx)?;
        if known.is_of(&progress) {
            return Ok(known.clone());
        }
        Self::read(tx, tree, &progress, Some(known)).map(Arc::new)
    }

    /// Returns the entry of a path, live or not.
    pub(crate) fn entry(&self, key: &PathKey) -> Option<&Arc<TreeEntry>> {
        self.by_key.get(key.as_str())
    }

    /// Returns the entries below a directory, live or not.
    pub(crate) fn below(&self, directory: &PathKey) -> impl Iterator<Item = &Arc<TreeEntry>> {
        let prefix = format!("{}/", directory.as_str());
        let from = self.by_key.range(prefix.clone()..);
        from.take_while(move |(key, _)| key.starts_with(&prefix)).map(|(_, entry)| entry)
    }

    /// Returns the former paths of moved documents, each with the record.
    pub(crate) fn left(&self) -> impl Iterator<Item = (&RecordId, &str)> {
        let is_left = |entry: &&Arc<TreeEntry>| entry.standing == EntryStanding::Alias;
        self.by_key.values().filter(is_left).map(|entry| (&entry.record, entry.path.as_str()))
    }

    fn weight(&self) -> usize {
        let of = |entry: &Arc<TreeEntry>| ENTRY_BYTES + 2 * entry.path.len() + entry.summary.len();
        self.by_key.values().map(of).sum()
    }
}

impl Documents {
    /// Returns a whole tree, updated from its records. The caller checks access.
    pub(crate) async fn tree_view(&self, ask: &TreeAsk) -> Result<Arc<TreeView>> {
        self.caught_up(ask).await?;
        let tree = Tree::of(ask);
        let key = (tree.memory.clone(), tree.normal.clone());
        let known = self.parts.trees.0.get(&key);
        let before = known.clone();
        let read = self
            .engine
            .store()
            .read(move |tx| {
                existing(tx, &tree.memory)?;
                let progress = tree.progress(tx)?;
                if before.as_ref().is_some_and(|view| view.is_of(&progress)) {
                    return Ok(None);
                }
                TreeView::read(tx, &tree, &progress, before.as_deref()).map(Some)
            })
            .await?;
        match (read, known) {
            (None, Some(known)) => Ok(known),
            (None, None) => Ok(Arc::default()),
            (Some(view), _) => {
                let view = Arc::new(view);
                self.parts.trees.0.put(key, view.clone(), view.weight());
                Ok(view)
            }
        }
    }
}
