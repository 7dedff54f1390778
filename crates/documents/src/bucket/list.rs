//! `bucket_list`: the keys of a bucket that the caller may read, sorted by bytes. Keys of
//! documents are listed only for trees that were opened before, or that the prefix names.

use std::collections::BTreeMap;

use loci_engine::access;
use loci_engine::calls::page::Page;
use loci_engine::memories::existing;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::{Namespace, Result, Timestamp};

use super::Bucket;
use super::key::file_of;
use crate::Documents;
use crate::trees::tree::{TreeAsk, known_trees};

/// The number of rows of objects per read of the store.
const ROWS: usize = 1_000;
/// A character that sorts after every character of a key.
const LAST: char = '\u{10ffff}';

/// The options of listing the keys of a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketListing {
    /// The bucket.
    pub bucket: Bucket,
    /// The prefix that listed keys must have.
    pub prefix: String,
    /// The key after which the page begins. `None` means the start of the bucket.
    pub after: Option<String>,
    /// The delimiter. Keys that are equal up to its first occurrence after `prefix` form one item.
    /// `None` lists each key.
    pub delimiter: Option<String>,
    /// The maximum number of items on the page.
    pub limit: usize,
}

/// An item on a page of a bucket's listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BucketItem {
    /// A single key.
    Key(BucketEntry),
    /// The common prefix of several keys, up to and including the delimiter.
    Common(String),
}

/// A key of a bucket, and the metadata of its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketEntry {
    /// The key.
    pub key: String,
    /// The size of the content, in bytes.
    pub bytes: u64,
    /// The SHA-256 of the content, in hex digits.
    pub sha256: String,
    /// The time at which the content was last written.
    pub updated_at: Timestamp,
}

impl BucketItem {
    /// Returns the key after which the next page begins.
    fn end(&self) -> String {
        match self {
            Self::Key(entry) => entry.key.clone(),
            Self::Common(common) => format!("{common}{LAST}"),
        }
    }
}

/// The items of a page by name, in the order of their keys.
type ItemsByName = BTreeMap<String, BucketItem>;

impl BucketListing {
    fn holds(&self, key: &str) -> bool {
        key.starts_with(&self.prefix) && self.after.as_deref().is_none_or(|after| key > after)
    }

    /// Returns the common prefix of keys that this key belongs to: up to and including the
    /// delimiter. `None` if the key is an item of its own.
    fn common<'k>(&self, key: &'k str) -> Option<&'k str> {
        let delimiter = self.delimiter.as_deref()?;
        let at = key.get(self.prefix.len()..)?.find(delimiter)?;
        key.get(..self.prefix.len() + at + delimiter.len())
    }

    /// Returns true if the previous page ended with this common prefix.
    fn has_told(&self, common: &str) -> bool {
        let rest = self.after.as_deref().and_then(|after| after.strip_prefix(common));
        rest.is_some_and(|rest| rest.starts_with(LAST))
    }

    /// Adds a key to the items of the page, if it matches the options and its item is not on the
    /// page yet.
    fn take(&self, found: &mut ItemsByName, entry: BucketEntry) {
        if !self.holds(&entry.key) {
            return;
        }
        let common = self.common(&entry.key).map(ToOwned::to_owned);
        if common.as_deref().is_some_and(|common| self.has_told(common)) {
            return;
        }
        match common {
            Some(common) => found.entry(common.clone()).or_insert(BucketItem::Common(common)),
            None => found.entry(entry.key.clone()).or_insert(BucketItem::Key(entry)),
        };
    }
}

impl Documents {
    /// Returns a page of the keys of a bucket.
    ///
    /// # Errors
    /// `Denied` if the caller has no grant of read in the memory.
    pub async fn bucket_list(
        &self,
        caller: &Principal,
        mut listing: BucketListing,
    ) -> Result<Page<BucketItem, String>> {
        let memory = &listing.bucket.memory;
        let is_whole = access::require_whole(caller, memory, Capability::Read).is_ok();
        if !is_whole {
            access::record_view(caller, memory, Capability::Read)?;
        }
        listing.prefix = collapsed(&listing.prefix);
        let mut found = ItemsByName::new();
        for tree in self.bucket_trees(caller, &listing).await? {
            self.add_documents(&listing, &tree, &mut found).await?;
        }
        if is_whole {
            self.add_parked(&listing, &mut found).await?;
        }
        let items = found.into_values().take(listing.limit + 1).collect();
        Ok(Page::cut(items, listing.limit, BucketItem::end))
    }

    /// Returns the trees that may have keys matching the options and that the caller may read.
    async fn bucket_trees(&self, caller: &Principal, listing: &BucketListing) -> Result<Vec<TreeAsk>> {
        let memory = listing.bucket.memory.clone();
        let known = self
            .engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                known_trees(tx, &memory)
            })
            .await?;
        let mut trees = Vec::new();
        let named = listing.bucket.tree_of(&listing.prefix);
        let named_normal = named.as_ref().map(|tree| tree.namespace.normal());
        for normal in known.iter().filter(|normal| Some(*normal) != named_normal.as_ref()) {
            let Some(keys) = listing.bucket.keys_of(normal) else { continue };
            if keys.starts_with(&listing.prefix) || listing.prefix.starts_with(&keys) {
                let namespace = Namespace::parse(normal.as_str())?;
                trees.push(TreeAsk { memory: listing.bucket.memory.clone(), namespace });
            }
        }
        trees.extend(named);
        trees.retain(|tree| {
            access::tree_view(caller, &tree.memory, &tree.namespace, Capability::Read).is_ok()
        });
        Ok(trees)
    }

    async fn add_documents(
        &self,
        listing: &BucketListing,
        tree: &TreeAsk,
        found: &mut ItemsByName,
    ) -> Result<()> {
        let Some(keys) = listing.bucket.keys_of(&tree.namespace.normal()) else { return Ok(()) };
        let (view, now) = (self.tree_view(tree).await?, self.engine.now());
        for entry in view.live.iter().filter(|entry| entry.is_live(now)) {
            let Some(file) = file_of(&entry.path) else { continue };
            let (sha256, updated_at) = (entry.content_sha256.clone(), entry.updated_at);
            let key = format!("{keys}{file}");
            listing.take(found, BucketEntry { key, bytes: entry.bytes, sha256, updated_at });
        }
        Ok(())
    }

    /// Adds keys of objects, as many as fit on the page. If a document has the same key, the
    /// document is listed.
    async fn add_parked(&self, listing: &BucketListing, found: &mut ItemsByName) -> Result<()> {
        let (listing, now, above) = (listing.clone(), self.engine.now(), listing.bucket.prefix());
        let parked = self.engine.store().read(move |tx| parked(tx, &listing, &above, now)).await?;
        for (name, item) in parked {
            found.entry(name).or_insert(item);
        }
        Ok(())
    }
}

/// Returns items of objects whose names start with `above`: up to the limit of the page and one
/// more. Within a common prefix, the store skips the keys after the current batch of rows.
fn parked(tx: &dyn ReadTx, listing: &BucketListing, above: &str, now: Timestamp) -> Result<ItemsByName> {
    let memory = &listing.bucket.memory;
    let prefix = format!("{above}{}", listing.prefix);
    let mut after = listing.after.as_ref().map(|after| format!("{above}{after}"));
    let mut found = ItemsByName::new();
    loop {
        let page = tx.parked().list(memory, &prefix, after.as_deref(), ROWS)?;
        let is_last = page.len() < ROWS;
        let mut end = None;
        for head in page {
            let Some(key) = head.key.strip_prefix(above).map(ToOwned::to_owned) else { continue };
            let behind = listing.common(&key).map(|common| format!("{above}{common}{LAST}"));
            // Never before the key itself: the next page begins after this one.
            end = Some(behind.map_or_else(|| head.key.clone(), |behind| behind.max(head.key.clone())));
            if head.expires_at > now {
                let (bytes, sha256, updated_at) = (head.bytes, head.sha256, head.updated_at);
                listing.take(&mut found, BucketEntry { key, bytes, sha256, updated_at });
            }
        }
        if is_last || end.is_none() || found.len() > listing.limit {
            return Ok(found);
        }
        after = end;
    }
}

/// Returns the prefix in the form in which keys are stored: without repeated slashes, and without a
/// leading slash.
#[must_use]
pub fn collapsed(prefix: &str) -> String {
    let mut out = String::with_capacity(prefix.len());
    for c in prefix.trim_start_matches('/').chars() {
        if c != '/' || !out.ends_with('/') {
            out.push(c);
        }
    }
    out
}
