//! `documents_list`: what lies below a directory, down to a depth, by path.

use std::sync::Arc;

use loci_engine::access;
use loci_engine::calls::page::Page;
use loci_engine::document_text::path::DocumentPath;
use loci_model::principal::{Capability, Principal};
use loci_model::trees::tree_entry::TreeEntry;
use loci_model::{Result, Timestamp};

use super::tree::TreeAsk;
use super::tree_view::TreeView;
use crate::Documents;

/// What is to be listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeListing {
    /// The tree.
    pub tree: TreeAsk,
    /// Below this directory; none: everything.
    pub prefix: Option<String>,
    /// Down to so many levels; what lies deeper is its directory. None: all.
    pub depth: Option<u32>,
    /// Behind this path.
    pub after: Option<String>,
    /// 1 to 100.
    pub limit: u32,
}

/// Something that a list of a tree holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeItem {
    /// A document.
    File(Arc<TreeEntry>),
    /// A directory, and what lies below it.
    Directory {
        /// Its path, without a slash at the end.
        path: String,
        /// Documents below it.
        files: u64,
        /// Bytes of their texts.
        bytes: u64,
    },
}

impl TreeItem {
    /// Its path.
    pub fn path(&self) -> &str {
        match self {
            Self::File(entry) => &entry.path,
            Self::Directory { path, .. } => path,
        }
    }
}

impl Documents {
    /// A page of what lies below a directory.
    ///
    /// # Errors
    /// `Denied` without a grant of read on the whole namespace.
    pub async fn documents_list(
        &self,
        caller: &Principal,
        listing: &TreeListing,
    ) -> Result<Page<TreeItem, String>> {
        let ask = &listing.tree;
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read)?;
        let prefix = directory(listing.prefix.as_deref())?;
        let view = self.tree_view(ask).await?;
        let items = items(&view, &prefix, listing.depth, self.engine.now());
        let mut rest =
            items.into_iter().filter(|item| listing.after.as_deref().is_none_or(|after| item.path() > after));
        let page: Vec<TreeItem> = rest.by_ref().take(listing.limit as usize).collect();
        let next = rest.next().and(page.last()).map(|last| last.path().to_owned());
        Ok(Page { items: page, next })
    }
}

/// A directory as a caller names it, checked; empty: the top.
pub(crate) fn directory(prefix: Option<&str>) -> Result<String> {
    match prefix.map(|prefix| prefix.trim_matches('/')).filter(|prefix| !prefix.is_empty()) {
        None => Ok(String::new()),
        Some(prefix) => {
            Ok(DocumentPath::parse(prefix).map_err(|error| error.on("prefix"))?.key().as_str().to_owned())
        }
    }
}

/// True where a path, by its key, lies below a directory.
pub(crate) fn is_below(key: &str, directory: &str) -> bool {
    directory.is_empty() || key.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

/// What lies below a directory, by path; a document that the prefix names is listed alone.
pub(super) fn items(view: &TreeView, prefix: &str, depth: Option<u32>, now: Timestamp) -> Vec<TreeItem> {
    let levels_before = if prefix.is_empty() { 0 } else { prefix.split('/').count() };
    let levels_max = depth.map(|depth| levels_before + depth.max(1) as usize);
    let mut out: Vec<TreeItem> = Vec::new();
    for entry in view.live.iter().filter(|entry| entry.is_live(now)) {
        if !is_below(&entry.key, prefix) && entry.key != prefix {
            continue;
        }
        let segments: Vec<&str> = entry.path.split('/').collect();
        let within = levels_max.filter(|max| segments.len() > *max);
        let Some(directory) = within.and_then(|max| segments.get(..max)) else {
            out.push(TreeItem::File(entry.clone()));
            continue;
        };
        let of = directory.join("/");
        match out.last_mut() {
            Some(TreeItem::Directory { path, files, bytes }) if *path == of => {
                *files += 1;
                *bytes += entry.bytes;
            }
            _ => out.push(TreeItem::Directory { path: of, files: 1, bytes: entry.bytes }),
        }
    }
    out.sort_by(|a, b| a.path().cmp(b.path()));
    out
}
