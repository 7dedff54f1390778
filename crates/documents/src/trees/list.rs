//! `documents_list`: the documents and directories below a directory, down to a depth, sorted by
//! path.

use loci_api::documents::tree::TreeItem;
use loci_engine::access;
use loci_engine::calls::page::Page;
use loci_engine::document_text::content::etag;
use loci_engine::document_text::path::DocumentPath;
use loci_model::principal::{Capability, Principal};
use loci_model::trees::tree_entry::TreeEntry;
use loci_model::{Result, Timestamp};

use super::tree::TreeAsk;
use super::tree_view::TreeView;
use crate::Documents;

/// The kinds of list items.
pub(super) const DIRECTORY: &str = "directory";
pub(super) const FILE: &str = "file";

/// An item of a tree, before the page is cut.
enum ListedTreeItem<'a> {
    /// A document.
    File(&'a TreeEntry),
    /// A directory, and the totals of its content.
    Directory { path: String, files: u64, bytes: u64 },
}

impl ListedTreeItem<'_> {
    fn path(&self) -> &str {
        match self {
            Self::File(entry) => &entry.path,
            Self::Directory { path, .. } => path,
        }
    }

    fn shown(self) -> TreeItem {
        match self {
            Self::File(entry) => file(entry),
            Self::Directory { path, files, bytes } => TreeItem {
                kind: DIRECTORY.to_owned(),
                path,
                bytes,
                files: Some(files),
                description: None,
                title: None,
                etag: None,
                record: None,
                version: None,
                updated_at: None,
            },
        }
    }
}

impl Documents {
    /// Returns a page of the content below a directory, or of a whole tree, down to a number of
    /// levels. Deeper content appears as its directory. The page begins after `after`.
    ///
    /// # Errors
    /// `Denied` without a grant of read on the whole namespace.
    pub async fn documents_list(
        &self,
        caller: &Principal,
        ask: &TreeAsk,
        (prefix, depth): (Option<&str>, Option<u32>),
        (after, limit): (Option<String>, u32),
    ) -> Result<Page<TreeItem, String>> {
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read)?;
        let prefix = directory(prefix)?;
        let view = self.tree_view(ask).await?;
        let items = items(&view, &prefix, depth, self.engine.now());
        let mut rest =
            items.into_iter().filter(|item| after.as_deref().is_none_or(|after| item.path() > after));
        let page: Vec<TreeItem> = rest.by_ref().take(limit as usize).map(ListedTreeItem::shown).collect();
        let next = rest.next().and(page.last()).map(|last| last.path.clone());
        Ok(Page { items: page, next })
    }
}

/// Returns a caller's directory, checked; empty: the root.
pub(crate) fn directory(prefix: Option<&str>) -> Result<String> {
    match prefix.map(|prefix| prefix.trim_matches('/')).filter(|prefix| !prefix.is_empty()) {
        None => Ok(String::new()),
        Some(prefix) => {
            Ok(DocumentPath::parse(prefix).map_err(|error| error.on("prefix"))?.key().as_str().to_owned())
        }
    }
}

/// True if a path, by its key, is below a directory.
pub(crate) fn is_below(key: &str, directory: &str) -> bool {
    directory.is_empty() || key.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns the items below a directory, by path. A document that the prefix names is listed alone.
fn items<'a>(
    view: &'a TreeView,
    prefix: &str,
    depth: Option<u32>,
    now: Timestamp,
) -> Vec<ListedTreeItem<'a>> {
    let levels_before = if prefix.is_empty() { 0 } else { prefix.split('/').count() };
    let levels_max = depth.map(|depth| levels_before + depth.max(1) as usize);
    let mut out: Vec<ListedTreeItem<'_>> = Vec::new();
    for entry in view.live.iter().filter(|entry| entry.is_live(now)) {
        if !is_below(&entry.key, prefix) && entry.key != prefix {
            continue;
        }
        let segments: Vec<&str> = entry.path.split('/').collect();
        let within = levels_max.filter(|max| segments.len() > *max);
        let Some(directory) = within.and_then(|max| segments.get(..max)) else {
            out.push(ListedTreeItem::File(entry));
            continue;
        };
        let of = directory.join("/");
        match out.last_mut() {
            Some(ListedTreeItem::Directory { path, files, bytes }) if *path == of => {
                *files += 1;
                *bytes += entry.bytes;
            }
            _ => out.push(ListedTreeItem::Directory { path: of, files: 1, bytes: entry.bytes }),
        }
    }
    out.sort_by(|a, b| a.path().cmp(b.path()));
    out
}

fn file(entry: &TreeEntry) -> TreeItem {
    TreeItem {
        kind: FILE.to_owned(),
        path: entry.path.clone(),
        bytes: entry.bytes,
        files: None,
        description: Some(entry.summary.clone()),
        title: entry.title.clone(),
        etag: Some(etag(&entry.file_sha256)),
        record: Some(entry.record.to_string()),
        version: Some(entry.version),
        updated_at: Some(entry.updated_at.to_rfc3339()),
    }
}
