//! The Unicode composition of file names in a mirror. Paths of a tree are composed (NFC), and a
//! disk may have decomposed names (NFD). This wrapper shows composed paths, and every file keeps
//! its name on the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use loci_model::Result;
use loci_model::ports::BoxFuture;
use loci_model::ports::files::{
    ChangeNote, FileBackend, FileBytes, FileCapabilities, FileChange, FileListing, FileSkipped, FileStep,
    FilesApplied, FilesCommit,
};
use unicode_normalization::UnicodeNormalization;

/// The reason for skipping a file whose name differs from another one only in its composition.
const SAME_NAME: &str = "same_name";

/// The files and directories that a place spells differently from the tree: the place's spelling,
/// by composed path.
pub(super) type Spellings = BTreeMap<String, String>;

/// A place with composed paths.
pub(super) struct ComposedFiles {
    place: Arc<dyn FileBackend>,
    /// The spellings of the last listing.
    names: Mutex<Spellings>,
}

impl ComposedFiles {
    pub(super) fn new(place: Arc<dyn FileBackend>) -> Self {
        Self { place, names: Mutex::default() }
    }

    fn names(&self) -> MutexGuard<'_, Spellings> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a path in the place's spelling: that of the file, else that of its existing
    /// directories.
    fn spelled(&self, path: &str) -> String {
        let names = self.names();
        let mut above = path;
        loop {
            if let Some(name) = names.get(above) {
                return format!("{name}{}", path.get(above.len()..).unwrap_or_default());
            }
            match above.rsplit_once('/') {
                Some((directory, _)) => above = directory,
                None => return path.to_owned(),
            }
        }
    }

    fn listed(&self, listing: FileListing) -> FileListing {
        let (listing, names) = composed_listing(listing);
        *self.names() = names;
        listing
    }

    async fn apply_spelled(&self, mut changes: Vec<FileChange>, note: ChangeNote) -> Result<FilesApplied> {
        let mut asked = BTreeMap::new();
        for change in &mut changes {
            change.like = change.like.take().map(|like| self.spelled(&like));
            let spelled = self.spelled(&change.path);
            asked.insert(spelled.clone(), std::mem::replace(&mut change.path, spelled));
        }
        let applied = self.place.apply(changes, note).await?;
        let back = |paths: Vec<String>| -> Vec<String> {
            paths.into_iter().map(|path| asked.get(&path).cloned().unwrap_or(path)).collect()
        };
        let FilesApplied { changed, refused, commit } = applied;
        Ok(FilesApplied { changed: back(changed), refused: back(refused), commit })
    }
}

/// Returns a path in the tree's spelling.
pub(super) fn composed(path: &str) -> String {
    if path.is_ascii() { path.to_owned() } else { path.nfc().collect() }
}

/// Returns a listing with composed paths, and the place's differing spellings. Of two files with
/// one name the composed one is used, else the first.
pub(super) fn composed_listing(listing: FileListing) -> (FileListing, Spellings) {
    let FileListing { has_root, marker, entries, skipped, passed_over } = listing;
    let (mut taken, mut others) = (BTreeMap::new(), Vec::new());
    for entry in entries {
        let path = composed(&entry.path);
        if path == entry.path { drop(taken.insert(path, entry)) } else { others.push((path, entry)) }
    }
    let plain: BTreeSet<String> = taken.keys().flat_map(|path| parts(path).map(ToOwned::to_owned)).collect();
    let mut names = BTreeMap::new();
    let shown = |one: FileSkipped| FileSkipped { path: composed(&one.path), ..one };
    let mut skipped: Vec<FileSkipped> = skipped.into_iter().map(shown).collect();
    for (path, mut entry) in others {
        let spelled = std::mem::replace(&mut entry.path, path.clone());
        if taken.contains_key(&path) {
            skipped.push(FileSkipped { path: spelled, why: SAME_NAME });
            continue;
        }
        for (part, spelled) in parts(&path).zip(parts(&spelled)) {
            let is_file = part == path;
            if part != spelled && (is_file || !plain.contains(part)) {
                names.entry(part.to_owned()).or_insert_with(|| spelled.to_owned());
            }
        }
        // A directory that exists in both spellings is not redirected.
        names.insert(path.clone(), spelled);
        taken.insert(path, entry);
    }
    let entries = taken.into_values().collect();
    (FileListing { has_root, marker, entries, skipped, passed_over }, names)
}

/// Returns a path, and each of its directories, the outermost first.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    ends.filter_map(|end| path.get(..end))
}

impl FileBackend for ComposedFiles {
    fn capabilities(&self) -> FileCapabilities {
        self.place.capabilities()
    }

    fn read<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Option<FileBytes>>> {
        Box::pin(async move { self.place.read(&self.spelled(path)).await })
    }

    fn list(&self) -> BoxFuture<'_, Result<FileListing>> {
        Box::pin(async { self.place.list().await.map(|listing| self.listed(listing)) })
    }

    fn apply(&self, changes: Vec<FileChange>, note: ChangeNote) -> BoxFuture<'_, Result<FilesApplied>> {
        Box::pin(self.apply_spelled(changes, note))
    }

    fn apply_all(&self, steps: Vec<FileStep>) -> BoxFuture<'_, Result<Vec<FilesApplied>>> {
        Box::pin(async move {
            let mut applied = Vec::with_capacity(steps.len());
            for step in steps {
                applied.push(self.apply_spelled(step.changes, step.note).await?);
            }
            Ok(applied)
        })
    }

    fn renew(&self) -> BoxFuture<'_, Result<()>> {
        self.place.renew()
    }

    fn list_at<'a>(&'a self, commit: &'a str) -> BoxFuture<'a, Result<Option<FileListing>>> {
        self.place.list_at(commit)
    }

    fn mark<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<()>> {
        self.place.mark(text)
    }

    fn begin(&self) -> BoxFuture<'_, Result<()>> {
        self.place.begin()
    }

    fn marker(&self) -> BoxFuture<'_, Result<Option<String>>> {
        self.place.marker()
    }

    fn newest(&self) -> BoxFuture<'_, Result<Option<FilesCommit>>> {
        self.place.newest()
    }
}

#[cfg(test)]
mod tests {
    use loci_model::ports::files::FileEntry;

    use super::*;

    #[test]
    fn names_are_composed_once() {
        let check = |paths: &[&str], expect: &[&str], names: &[(&str, &str)], skipped: usize| {
            let entry = |path: &&str| FileEntry {
                path: (*path).to_owned(),
                bytes: 0,
                sha256: [0; 32],
                executable: false,
            };
            let listing =
                FileListing { entries: paths.iter().map(entry).collect(), ..FileListing::default() };
            let (listing, found) = composed_listing(listing);
            let listed: Vec<&str> = listing.entries.iter().map(|entry| entry.path.as_str()).collect();
            let found: Vec<(&str, &str)> =
                found.iter().map(|(path, name)| (path.as_str(), name.as_str())).collect();
            assert_eq!((listed, found), (expect.to_vec(), names.to_vec()), "{paths:?}");
            assert_eq!(listing.skipped.len(), skipped, "{paths:?}");
        };
        let (nfc, nfd) = ("\u{e9}", "e\u{301}");
        check(&["a/b.md", nfc], &["a/b.md", nfc], &[], 0);
        check(&[nfd], &[nfc], &[(nfc, nfd)], 0);
        check(&[nfd, nfc], &[nfc], &[], 1);
        let (within, lies) = (format!("{nfc}/x"), format!("{nfd}/x"));
        check(&[&lies], &[&within], &[(nfc, nfd), (&within, &lies)], 0);
        // The directory exists in both spellings: new files go into the composed one.
        let other = format!("{nfc}/y");
        check(&[&lies, &other], &[&within, &other], &[(&within, &lies)], 0);
    }
}
