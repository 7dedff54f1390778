//! Parts of a listing, and the rule that the paths of its pages ascend.

use serde::{Deserialize, Serialize};

use super::path_rules::below;
use super::storage_error::{StorageError, StorageErrorKind};
use super::stored_file::BackendEntry;

/// The maximum number of files in a listing of several pages.
const FILES_MAX: usize = 1_000_000;

/// A part of a listing of files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ListingPart {
    /// The files, sorted by the bytes of their full paths.
    pub files: Vec<BackendEntry>,
    /// The files in this part that the backend has and cannot list, sorted by path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<RefusedFile>,
    /// The path after which the next part begins. `None` for the last part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A file that a listing or a copy left out, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedFile {
    /// The path of the file at the source.
    pub path: String,
    /// The code of the error's [`StorageErrorKind`](super::StorageErrorKind).
    pub code: String,
    /// The message for people.
    pub message: String,
}

impl RefusedFile {
    pub(super) fn new(path: String, error: &StorageError) -> Self {
        Self { path, code: error.kind.code().to_owned(), message: error.to_string() }
    }
}

impl ListingPart {
    /// Returns the part of a sorted listing that begins after a path and has at most `limit` files.
    pub(super) fn of_listing(entries: Vec<BackendEntry>, after: Option<&str>, limit: usize) -> Self {
        let mut rest =
            entries.into_iter().filter(|entry| after.is_none_or(|after| entry.path.as_str() > after));
        let files: Vec<_> = rest.by_ref().take(limit.max(1)).collect();
        let next = rest.next().and(files.last()).map(|last| last.path.clone());
        Self { files, skipped: Vec::new(), next }
    }

    /// Returns the part below a prefix, with relative paths.
    pub(super) fn below(self, prefix: &str) -> Self {
        let relative = |path: &str| below(path, prefix).map(str::to_owned);
        let files = self.files.into_iter().filter_map(|entry| {
            let path = relative(&entry.path)?;
            Some(BackendEntry { path, ..entry })
        });
        let skipped = self.skipped.into_iter().filter_map(|file| {
            let path = relative(&file.path)?;
            Some(RefusedFile { path, ..file })
        });
        let next = self.next.as_deref().and_then(relative);
        Self { files: files.collect(), skipped: skipped.collect(), next }
    }
}

/// The files of a listing that a service returns in pages, whose paths must ascend.
#[derive(Debug, Default)]
pub(super) struct RisingPages {
    pub(super) files: Vec<BackendEntry>,
    /// The last path on the pages so far.
    last: Option<String>,
}

impl RisingPages {
    /// Adds a page.
    ///
    /// # Errors
    /// `Broken` if a path does not sort after those of earlier pages, or if there are too many
    /// files: such a listing might never end.
    pub(super) fn add(&mut self, page: Vec<BackendEntry>) -> Result<(), StorageError> {
        let broken = |rule: String| Err(StorageError::new(StorageErrorKind::Broken, rule));
        if let Some(last) = &self.last
            && let Some(entry) = page.iter().find(|entry| entry.path <= *last)
        {
            let path = &entry.path;
            return broken(format!("a page of the listing has {path} after {last}: sort the whole listing"));
        }
        if self.files.len() + page.len() > FILES_MAX {
            return broken(format!("the listing has more than {FILES_MAX} files: list a prefix"));
        }
        self.last = page.iter().map(|entry| &entry.path).max().cloned().or_else(|| self.last.take());
        self.files.extend(page);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(paths: &[&str]) -> Vec<BackendEntry> {
        let entry = |path: &&str| BackendEntry { path: (*path).to_owned(), size: 1, sha256: None };
        paths.iter().map(entry).collect()
    }

    #[test]
    fn pages_rise() {
        let check = |pages: &[&[&str]], expect: bool| {
            let mut rising = RisingPages::default();
            let done = pages.iter().try_for_each(|page| rising.add(entries(page)));
            assert_eq!(done.is_ok(), expect, "{pages:?}");
        };
        check(&[&["a", "b"], &["c"], &[], &["d"]], true);
        // The conformance suite checks the order within a page.
        check(&[&["b", "a"], &["c"]], true);
        check(&[&["a", "b"], &["b"]], false);
        check(&[&["b", "a"], &["b"]], false);
        check(&[&["a"], &["b"], &["a"]], false);
        check(&[&["b"], &[], &["a"]], false);
    }

    #[test]
    fn parts_of_a_listing() {
        let part = |after: Option<&str>, limit: usize| {
            let part = ListingPart::of_listing(entries(&["a", "b", "c"]), after, limit);
            (part.files.into_iter().map(|entry| entry.path).collect::<Vec<_>>().concat(), part.next)
        };
        assert_eq!(part(None, 2), ("ab".to_owned(), Some("b".to_owned())));
        assert_eq!(part(Some("b"), 2), ("c".to_owned(), None));
        assert_eq!(part(None, 3), ("abc".to_owned(), None));
        assert_eq!(part(Some("c"), 1), (String::new(), None));
    }
}
