//! The list of a git tree's entries as a forge returns it: with or without all subdirectories.
//! Pure.

use std::sync::Arc;

use loci_model::facts::code::{CodeEntry, CodeFile, EntryKind, ObjectId};

/// The weight of an entry in a cache, in addition to the length of its path.
const ENTRY_WEIGHT: usize = 96;

/// The entries of a tree, by path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listing {
    files: Arc<Vec<CodeFile>>,
    directories: Vec<(String, ObjectId)>,
    whole: bool,
}

impl Listing {
    /// Creates a listing of entries in any order; `whole` is true if none is omitted.
    pub(crate) fn new(
        mut files: Vec<CodeFile>,
        mut directories: Vec<(String, ObjectId)>,
        whole: bool,
    ) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        directories.sort();
        Self { files: Arc::new(files), directories, whole }
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    pub(crate) fn files(&self) -> &Arc<Vec<CodeFile>> {
        &self.files
    }

    pub(crate) fn directories(&self) -> &[(String, ObjectId)] {
        &self.directories
    }

    /// Returns the entry at a path. `None` means that there is none only if the listing is
    /// complete.
    pub(crate) fn entry(&self, path: &str) -> Option<CodeEntry> {
        let file = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok();
        file.and_then(|at| self.files.get(at)).map(|file| file.entry).or_else(|| {
            let id = self.directory(path)?;
            Some(CodeEntry { kind: EntryKind::Directory, id, bytes: None })
        })
    }

    /// Returns the nearest listed directory above `path`, and the remainder of the path below it.
    pub(crate) fn nearest<'p>(&self, path: &'p str) -> Option<(ObjectId, &'p str)> {
        let slashes = path.rmatch_indices('/').map(|(at, _)| at);
        slashes
            .filter_map(|at| path.split_at_checked(at))
            .find_map(|(above, below)| Some((self.directory(above)?, below.strip_prefix('/')?)))
    }

    /// Returns the weight in a cache.
    pub(crate) fn weight(&self) -> usize {
        let paths =
            self.files.iter().map(|file| &file.path).chain(self.directories.iter().map(|(path, _)| path));
        paths.map(|path| path.len() + ENTRY_WEIGHT).sum()
    }

    fn directory(&self, path: &str) -> Option<ObjectId> {
        let at = self.directories.binary_search_by(|(known, _)| known.as_str().cmp(path)).ok()?;
        self.directories.get(at).map(|(_, id)| *id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_the_nearest_directory() {
        let id = |digit: &str| ObjectId::parse(&digit.repeat(40)).unwrap();
        let file = |path: &str, kind: EntryKind, digit: &str| CodeFile {
            path: path.to_owned(),
            entry: CodeEntry { kind, id: id(digit), bytes: Some(3) },
        };
        let files = vec![file("b/c.rs", EntryKind::File, "1"), file("a", EntryKind::Symlink, "2")];
        let directories = vec![("b/deep".to_owned(), id("4")), ("b".to_owned(), id("3"))];
        let listing = Listing::new(files, directories, false);
        let kind = |path: &str| listing.entry(path).map(|entry| (entry.kind, entry.id));
        assert_eq!(kind("a"), Some((EntryKind::Symlink, id("2"))));
        assert_eq!(kind("b/c.rs"), Some((EntryKind::File, id("1"))));
        assert_eq!(kind("b"), Some((EntryKind::Directory, id("3"))));
        for absent in ["", "b/", "/a", "b/x", "../a", "B/c.rs", "a/b"] {
            assert_eq!(kind(absent), None, "{absent}");
        }
        assert_eq!(listing.nearest("b/deep/er/x.rs"), Some((id("4"), "er/x.rs")));
        assert_eq!(listing.nearest("b/x.rs"), Some((id("3"), "x.rs")));
        assert_eq!(listing.nearest("c/x.rs"), None);
        assert_eq!(listing.nearest("x.rs"), None);
        let paths: Vec<_> = listing.files().iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["a", "b/c.rs"]);
    }
}
