//! Trees: the entry at a path, all files of a tree, and the differences of two trees. Names that
//! git itself would reject (`..`, `.git`, with a slash) do not exist: they cannot be requested, and
//! lists leave them out.

use std::cmp::Ordering;
use std::sync::Arc;

use loci_model::facts::code::{CodeEntry, CodeFile, EntryKind, ObjectId};
use loci_model::ports::code::CodeResult;

use crate::fault;
use crate::limits::{
    DEPTH_MAX, ENTRIES_MAX, PATH_BYTES_MAX, PATHS_BYTES_MAX, STRUCTURE_BYTES_MAX, TREES_BYTES_MAX,
};
use crate::objects::format::ObjectKind;
use crate::paths;
use crate::repository::Repository;

/// An entry of a tree object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TreeEntry<'a> {
    name: &'a [u8],
    kind: EntryKind,
    id: ObjectId,
}

/// The files that two trees do not have in common.
#[derive(Debug, Clone, Default)]
pub(crate) struct Difference {
    pub(crate) gone: Vec<CodeFile>,
    pub(crate) come: Vec<CodeFile>,
    /// The paths of files that both trees have with different content, if requested.
    pub(crate) changed: Vec<String>,
}

/// The files of a tree, and the paths that could not be listed.
#[derive(Debug, Clone)]
pub(crate) struct Listing {
    files: Arc<Vec<CodeFile>>,
    unlisted: Arc<Vec<String>>,
}

#[derive(Debug, Default)]
struct ListedTree {
    files: Vec<CodeFile>,
    unlisted: Vec<String>,
    /// The files that both trees have with different content. `None` if not requested.
    changed: Option<Vec<String>>,
}

/// The remaining limits for one call of the port. A tree of a few bytes may represent any number of
/// files.
struct Budget {
    entries: usize,
    tree_bytes: usize,
    path_bytes: usize,
}

impl Budget {
    fn new() -> Self {
        Self { entries: ENTRIES_MAX, tree_bytes: TREES_BYTES_MAX, path_bytes: PATHS_BYTES_MAX }
    }

    fn spend_entry(&mut self) -> CodeResult<()> {
        spend(&mut self.entries, 1, "a tree")
    }

    fn spend_tree(&mut self, bytes: usize) -> CodeResult<()> {
        spend(&mut self.tree_bytes, bytes, "all directories of a revision together")
    }

    fn spend_path(&mut self, bytes: usize) -> CodeResult<()> {
        spend(&mut self.path_bytes, bytes, "the list of all paths of a revision")
    }
}

fn spend(left: &mut usize, spent: usize, what: &str) -> CodeResult<()> {
    *left = left.checked_sub(spent).ok_or_else(|| fault::too_large(what))?;
    Ok(())
}

impl Repository {
    pub(crate) fn tree(&self, id: &ObjectId) -> CodeResult<Arc<[u8]>> {
        if let Some(tree) = self.caches.trees.get(&(self.number, *id)) {
            return Ok(tree);
        }
        let tree = self.objects.read_kind(id, ObjectKind::Tree, STRUCTURE_BYTES_MAX)?;
        self.caches.trees.put((self.number, *id), Arc::clone(&tree), tree.len());
        Ok(tree)
    }

    /// Returns the entry at a path under a tree.
    pub(crate) fn tree_entry(&self, root: &ObjectId, path: &str) -> CodeResult<Option<CodeEntry>> {
        if !paths::is_path(path) {
            return Ok(None);
        }
        let id_bytes = self.objects.format().id_bytes();
        let mut at = CodeEntry { kind: EntryKind::Directory, id: *root, bytes: None };
        for name in path.split('/') {
            if at.kind != EntryKind::Directory {
                return Ok(None);
            }
            let tree = self.tree(&at.id)?;
            match find(&tree, id_bytes, name.as_bytes())? {
                Some((kind, id)) => at = CodeEntry { kind, id, bytes: None },
                None => return Ok(None),
            }
        }
        if matches!(at.kind, EntryKind::File | EntryKind::Symlink) {
            at.bytes = self.objects.header(&at.id)?.map(|header| header.bytes);
        }
        Ok(Some(at))
    }

    /// Returns all files of a tree, by path.
    pub(crate) fn tree_files(&self, root: &ObjectId) -> CodeResult<Arc<Vec<CodeFile>>> {
        self.listing(root).map(|listing| listing.files)
    }

    /// Returns the entries that the list of a tree leaves out: names that are not UTF-8, and paths
    /// that are too long.
    pub(crate) fn tree_unlisted(&self, root: &ObjectId) -> CodeResult<Arc<Vec<String>>> {
        self.listing(root).map(|listing| listing.unlisted)
    }

    fn listing(&self, root: &ObjectId) -> CodeResult<Listing> {
        if let Some(listing) = self.caches.listings.get(&(self.number, *root)) {
            return Ok(listing);
        }
        let (mut found, mut budget) = (ListedTree::default(), Budget::new());
        self.collect(root, "", 0, &mut found, &mut budget)?;
        let ListedTree { mut files, unlisted, changed: _ } = found;
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        let bytes = files.iter().map(|file| size_of::<CodeFile>() + file.path.len()).sum::<usize>()
            + unlisted.iter().map(|path| size_of::<String>() + path.len()).sum::<usize>();
        let listing = Listing { files: Arc::new(files), unlisted: Arc::new(unlisted) };
        self.caches.listings.put((self.number, *root), listing.clone(), bytes);
        Ok(listing)
    }

    /// Returns the files that are in only one of two trees, by path. A path that is a file in both
    /// is in neither list.
    pub(crate) fn tree_difference(&self, old: &ObjectId, new: &ObjectId) -> CodeResult<Difference> {
        self.difference(old, new, None)
    }

    /// Like [`Source::tree_difference`], with the files whose content differs.
    pub(crate) fn tree_changes(&self, old: &ObjectId, new: &ObjectId) -> CodeResult<Difference> {
        self.difference(old, new, Some(Vec::new()))
    }

    fn difference(
        &self,
        old: &ObjectId,
        new: &ObjectId,
        changed: Option<Vec<String>>,
    ) -> CodeResult<Difference> {
        let (mut gone, mut budget) = (ListedTree::default(), Budget::new());
        let mut come = ListedTree { changed, ..ListedTree::default() };
        self.compare(old, new, "", 0, (&mut gone, &mut come), &mut budget)?;
        let changed = come.changed.unwrap_or_default();
        let mut difference = Difference { gone: gone.files, come: come.files, changed };
        difference.gone.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        difference.come.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        // Only in unsorted trees a file may be found on both sides.
        let come = std::mem::take(&mut difference.come);
        let (both, come) =
            come.into_iter().partition::<Vec<_>, _>(|file| holds(&difference.gone, &file.path));
        difference.come = come;
        difference.gone.retain(|file| !holds(&both, &file.path));
        Ok(difference)
    }

    fn collect(
        &self,
        tree: &ObjectId,
        prefix: &str,
        depth: usize,
        found: &mut ListedTree,
        budget: &mut Budget,
    ) -> CodeResult<()> {
        if depth > DEPTH_MAX {
            return Err(fault::too_large("the depth of a tree"));
        }
        let content = self.tree(tree)?;
        budget.spend_tree(content.len())?;
        let mut entries = Entries { rest: &content, id_bytes: self.objects.format().id_bytes() };
        while let Some(raw) = entries.next()? {
            budget.spend_entry()?;
            if let Some(entry) = raw.entry()? {
                self.take(&entry, prefix, depth, found, budget)?;
            }
        }
        Ok(())
    }

    /// Adds an entry with everything under it.
    fn take(
        &self,
        entry: &TreeEntry<'_>,
        prefix: &str,
        depth: usize,
        found: &mut ListedTree,
        budget: &mut Budget,
    ) -> CodeResult<()> {
        budget.spend_path(prefix.len() + entry.name.len())?;
        let Some(path) = joined(prefix, entry.name) else {
            found.unlisted.push(unlisted(prefix, entry.name, entry.kind == EntryKind::Directory));
            return Ok(());
        };
        match entry.kind {
            EntryKind::Directory => self.collect(&entry.id, &path, depth + 1, found, budget),
            EntryKind::File | EntryKind::Symlink | EntryKind::Submodule => {
                let entry = CodeEntry { kind: entry.kind, id: entry.id, bytes: None };
                found.files.push(CodeFile { path, entry });
                Ok(())
            }
        }
    }

    fn compare(
        &self,
        old: &ObjectId,
        new: &ObjectId,
        prefix: &str,
        depth: usize,
        (on_old, on_new): (&mut ListedTree, &mut ListedTree),
        budget: &mut Budget,
    ) -> CodeResult<()> {
        if old == new {
            return Ok(());
        }
        if depth > DEPTH_MAX {
            return Err(fault::too_large("the depth of a tree"));
        }
        let id_bytes = self.objects.format().id_bytes();
        let (old, new) = (self.tree(old)?, self.tree(new)?);
        budget.spend_tree(old.len() + new.len())?;
        let (mut left, mut right) = (Entries { rest: &old, id_bytes }, Entries { rest: &new, id_bytes });
        left.skip_common(&mut right)?;
        let (mut old, mut new) = (left.next()?, right.next()?);
        loop {
            budget.spend_entry()?;
            let order = match (&old, &new) {
                (Some(a), Some(b)) => a.order(b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return Ok(()),
            };
            let gone = if order.is_le() { std::mem::replace(&mut old, left.next()?) } else { None };
            let come = if order.is_ge() { std::mem::replace(&mut new, right.next()?) } else { None };
            if let (Some(a), Some(b)) = (&gone, &come)
                && (a.id == b.id || a.kind()? != Some(EntryKind::Directory) || b.kind()? != a.kind()?)
            {
                if a.id != b.id
                    && let Some(changed) = &mut on_new.changed
                    && b.entry()?.is_some()
                {
                    budget.spend_path(prefix.len() + b.name.len())?;
                    changed.extend(joined(prefix, b.name));
                }
                continue;
            }
            match (gone.map(|raw| raw.entry()).transpose()?.flatten(), come) {
                (Some(a), Some(b)) => {
                    let b = ObjectId::from_bytes(b.id).ok_or_else(|| fault::damaged("a tree"))?;
                    if let Some(path) = joined(prefix, a.name) {
                        self.compare(&a.id, &b, &path, depth + 1, (on_old, on_new), budget)?;
                    }
                    if old == new {
                        left.skip_common(&mut right)?;
                    }
                }
                (Some(a), None) => self.take(&a, prefix, depth, on_old, budget)?,
                (None, Some(b)) => {
                    if let Some(b) = b.entry()? {
                        self.take(&b, prefix, depth, on_new, budget)?;
                    }
                }
                (None, None) => {}
            }
        }
    }
}

/// Returns the number of valid entries of a tree.
pub(crate) fn count_entries(tree: &[u8]) -> CodeResult<usize> {
    let mut entries = Entries { rest: tree, id_bytes: 20 };
    let mut count = 0;
    while let Some(raw) = entries.next()? {
        count += usize::from(raw.entry()?.is_some());
    }
    Ok(count)
}

fn holds(files: &[CodeFile], path: &str) -> bool {
    files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok()
}

/// Returns the joined path; `None` for names that are not UTF-8, and for paths that are too long.
fn joined(prefix: &str, name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).ok()?;
    if prefix.len() + name.len() >= PATH_BYTES_MAX {
        return None;
    }
    Some(if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") })
}

/// Returns a path for display, for entries rejected by [`joined`].
pub(crate) fn unlisted(prefix: &str, name: &[u8], is_directory: bool) -> String {
    let between = if prefix.is_empty() { "" } else { "/" };
    let end = if is_directory { "/" } else { "" };
    format!("{prefix}{between}{}{end}", String::from_utf8_lossy(name))
}

fn find(tree: &[u8], id_bytes: usize, wanted: &[u8]) -> CodeResult<Option<(EntryKind, ObjectId)>> {
    let mut all = Entries { rest: tree, id_bytes };
    while let Some(raw) = all.next()? {
        if raw.name == wanted {
            return Ok(raw.entry()?.map(|entry| (entry.kind, entry.id)));
        }
    }
    Ok(None)
}

/// An unparsed entry: most are skipped without parsing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RawTreeEntry<'a> {
    mode: &'a [u8],
    name: &'a [u8],
    id: &'a [u8],
}

impl<'a> RawTreeEntry<'a> {
    /// Compares entries in the order of a tree: bytewise, directories as if a slash followed. An
    /// unsorted tree only makes the difference too large.
    fn order(&self, other: &Self) -> Ordering {
        let shorter = self.name.len().min(other.name.len());
        let (mine, theirs) = (self.name.split_at(shorter), other.name.split_at(shorter));
        let next = |rest: &[u8], raw: &Self| rest.first().copied().unwrap_or(raw.end());
        mine.0.cmp(theirs.0).then_with(|| next(mine.1, self).cmp(&next(theirs.1, other)))
    }

    /// Returns the byte after the name for the comparison.
    fn end(&self) -> u8 {
        if matches!(self.mode, b"40000" | b"040000") { b'/' } else { 0 }
    }

    /// Returns `None` for an entry that git does not write.
    fn kind(&self) -> CodeResult<Option<EntryKind>> {
        let mode = std::str::from_utf8(self.mode).ok().and_then(|mode| u32::from_str_radix(mode, 8).ok());
        mode.map(kind_of).ok_or_else(|| fault::damaged("a tree"))
    }

    /// Returns `None` for an entry that is not served.
    fn entry(&self) -> CodeResult<Option<TreeEntry<'a>>> {
        let Some(kind) = self.kind()?.filter(|_| paths::is_component(self.name)) else { return Ok(None) };
        let id = ObjectId::from_bytes(self.id).ok_or_else(|| fault::damaged("a tree"))?;
        Ok(Some(TreeEntry { name: self.name, kind, id }))
    }
}

struct Entries<'a> {
    rest: &'a [u8],
    id_bytes: usize,
}

impl<'a> Entries<'a> {
    /// Skips the common entries at the current positions, which are nearly all of two related
    /// trees.
    fn skip_common(&mut self, other: &mut Self) -> CodeResult<()> {
        const STRIDE: usize = 128;
        let strides = self.rest.chunks(STRIDE).zip(other.rest.chunks(STRIDE));
        let common = strides.take_while(|(a, b)| a == b).map(|(a, _)| a.len()).sum::<usize>();
        let end = self.rest.len().saturating_sub(common);
        let mut reached = Self { rest: self.rest, id_bytes: self.id_bytes };
        while reached.rest.len() > end {
            let before = reached.rest.len();
            reached.next()?;
            if reached.rest.len() < end {
                break;
            }
            let passed = before - reached.rest.len();
            self.rest = reached.rest;
            other.rest = other.rest.get(passed..).unwrap_or_default();
        }
        Ok(())
    }

    fn next(&mut self) -> CodeResult<Option<RawTreeEntry<'a>>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        self.split().map(Some).ok_or_else(|| fault::damaged("a tree"))
    }

    fn split(&mut self) -> Option<RawTreeEntry<'a>> {
        let space = self.rest.iter().take(8).position(|byte| *byte == b' ')?;
        let (mode, rest) = self.rest.split_at_checked(space)?;
        let rest = rest.get(1..)?;
        let (name, rest) = rest.split_at_checked(rest.iter().position(|byte| *byte == 0)?)?;
        let (id, rest) = rest.get(1..)?.split_at_checked(self.id_bytes)?;
        self.rest = rest;
        Some(RawTreeEntry { mode, name, id })
    }
}

fn kind_of(mode: u32) -> Option<EntryKind> {
    match mode >> 12 {
        0o04 => Some(EntryKind::Directory),
        0o10 => Some(EntryKind::File),
        0o12 => Some(EntryKind::Symlink),
        0o16 => Some(EntryKind::Submodule),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_ordered_with_a_slash_behind_directories() {
        let raw = |mode: &'static str, name: &'static str| RawTreeEntry {
            mode: mode.as_bytes(),
            name: name.as_bytes(),
            id: b"",
        };
        for (a, b, expect) in [
            (raw("100644", "a"), raw("100644", "b"), Ordering::Less),
            (raw("100644", "a"), raw("100644", "a"), Ordering::Equal),
            (raw("100644", "a"), raw("120000", "a"), Ordering::Equal),
            (raw("40000", "a"), raw("100644", "a.b"), Ordering::Greater),
            (raw("40000", "a"), raw("100644", "a"), Ordering::Greater),
            (raw("40000", "a"), raw("100644", "a0"), Ordering::Less),
            (raw("40000", "a"), raw("40000", "a"), Ordering::Equal),
            (raw("100644", "a"), raw("100644", "ab"), Ordering::Less),
        ] {
            assert_eq!(a.order(&b), expect, "{a:?} {b:?}");
            assert_eq!(b.order(&a), expect.reverse(), "{a:?} {b:?}");
        }
    }
}
