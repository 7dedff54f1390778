//! `bucket_list`: the keys of a bucket that the caller may read, by their bytes. Trees that nobody ever opened are not known by name: their
//! documents appear when a prefix names the tree, or once anybody has looked into it.

use std::collections::BTreeMap;

use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{Namespace, Result, Timestamp};

use super::Bucket;
use super::key::file_of;
use crate::Engine;
use crate::access;
use crate::files::tree::{TreeAsk, known_trees};
use crate::memories::existing;
use crate::page::Page;

/// Rows that are read at once.
const ROWS: usize = 1_000;

/// Which keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketListing {
    /// The bucket.
    pub bucket: Bucket,
    /// Those that begin so.
    pub prefix: String,
    /// Those behind this one.
    pub after: Option<String>,
    /// At most so many.
    pub limit: usize,
}

/// A key, and what is known of what lies there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketEntry {
    /// The key.
    pub key: String,
    /// Bytes.
    pub bytes: u64,
    /// Their SHA-256, in hex digits.
    pub sha256: String,
    /// When they were written.
    pub updated_at: Timestamp,
}

impl BucketListing {
    fn holds(&self, key: &str) -> bool {
        key.starts_with(&self.prefix) && self.after.as_deref().is_none_or(|after| key > after)
    }
}

impl Engine {
    /// A page of keys.
    ///
    /// # Errors
    /// `Denied` without any grant of read in the memory.
    pub async fn bucket_list(
        &self,
        caller: &Principal,
        mut listing: BucketListing,
    ) -> Result<Page<BucketEntry, String>> {
        let memory = &listing.bucket.memory;
        let is_whole = access::require_whole(caller, memory, Capability::Read).is_ok();
        if !is_whole {
            access::record_view(caller, memory, Capability::Read)?;
        }
        listing.prefix = collapsed(&listing.prefix);
        let mut found = BTreeMap::new();
        for tree in self.bucket_trees(caller, &listing).await? {
            self.add_documents(&listing, &tree, &mut found).await?;
        }
        if is_whole {
            self.add_parked(&listing, &mut found).await?;
        }
        let items = found.into_values().take(listing.limit + 1).collect();
        Ok(Page::cut(items, listing.limit, |entry: &BucketEntry| entry.key.clone()))
    }

    /// The trees whose documents may have such keys, and which the caller may read.
    async fn bucket_trees(&self, caller: &Principal, listing: &BucketListing) -> Result<Vec<TreeAsk>> {
        let memory = listing.bucket.memory.clone();
        let known = self
            .store
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
        found: &mut BTreeMap<String, BucketEntry>,
    ) -> Result<()> {
        let Some(keys) = listing.bucket.keys_of(&tree.namespace.normal()) else { return Ok(()) };
        let (view, now) = (self.tree_view(tree).await?, self.clock.now());
        for entry in view.live.iter().filter(|entry| entry.is_live(now)) {
            let Some(file) = file_of(&entry.path) else { continue };
            let key = format!("{keys}{file}");
            if listing.holds(&key) {
                let (sha256, updated_at) = (entry.content_sha256.clone(), entry.updated_at);
                found.insert(key.clone(), BucketEntry { key, bytes: entry.bytes, sha256, updated_at });
            }
        }
        Ok(())
    }

    /// As many as can come into the page; where a document has the key, it is what lies there.
    async fn add_parked(
        &self,
        listing: &BucketListing,
        found: &mut BTreeMap<String, BucketEntry>,
    ) -> Result<()> {
        let (memory, now, above) = (listing.bucket.memory.clone(), self.clock.now(), listing.bucket.prefix());
        let prefix = format!("{above}{}", listing.prefix);
        let (after, wanted) = (listing.after.as_ref().map(|after| format!("{above}{after}")), listing.limit);
        let parked = self
            .store
            .read(move |tx| {
                let (mut heads, mut after) = (Vec::new(), after.clone());
                loop {
                    let page = tx.parked().list(&memory, &prefix, after.as_deref(), ROWS)?;
                    let is_last = page.len() < ROWS;
                    after = page.last().map(|head| head.key.clone());
                    heads.extend(page.into_iter().filter(|head| head.expires_at > now));
                    if is_last || heads.len() > wanted {
                        return Ok(heads);
                    }
                }
            })
            .await?;
        for head in parked {
            let Some(key) = head.key.strip_prefix(&listing.bucket.prefix()) else { continue };
            let (key, bytes) = (key.to_owned(), head.bytes);
            found.entry(key.clone()).or_insert(BucketEntry {
                key,
                bytes,
                sha256: head.sha256,
                updated_at: head.updated_at,
            });
        }
        Ok(())
    }
}

/// A prefix as keys are kept: runs of slashes are one, none stands at the beginning.
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
