//! Reads a directory without following links: the file type at a path, and the files below a
//! prefix.

use std::fs::{self, FileType, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::file_access::failed;
use crate::backend::listing_part::{ListingPart, RefusedFile};
use crate::backend::path_rules::{PATH_SEGMENTS_MAX, clean_path};
use crate::backend::storage_error::{StorageError, StorageErrorKind};
use crate::backend::stored_file::BackendEntry;

/// Returns true for names that a directory does not show: hidden ones, and unfinished files of
/// editors and stores.
pub(super) fn is_invisible(name: &str) -> bool {
    let is_unfinished = [".swp", ".tmp", "~"].iter().any(|end| name.ends_with(end));
    name.starts_with('.') || is_unfinished || name.contains(".__strands_tmp_")
}

/// Returns the metadata at a path below the root; `None` if nothing is there.
///
/// # Errors
/// `PathConflict` for a symbolic link on the way or at the end.
pub(super) fn look(root: &Path, path: &str) -> Result<Option<(PathBuf, Metadata)>, StorageError> {
    let mut place = root.to_owned();
    let mut names = path.split('/').filter(|name| !name.is_empty()).peekable();
    let mut about = metadata(&place)?;
    while let Some(name) = names.next() {
        place.push(name);
        about = metadata(&place)?;
        let Some(found) = &about else { return Ok(None) };
        if found.is_symlink() {
            return Err(conflict(root, &place, "is a symbolic link, which is not followed"));
        }
        // Nothing is below a file.
        if names.peek().is_some() && !found.is_dir() {
            return Ok(None);
        }
    }
    Ok(about.map(|about| (place, about)))
}

/// Returns the error of a path whose place something else has.
pub(super) fn conflict(root: &Path, place: &Path, lies: &str) -> StorageError {
    let shown = place.strip_prefix(root).unwrap_or(place).display();
    let message = format!("{shown} {lies}: move it away, or choose another path");
    StorageError::new(StorageErrorKind::PathConflict, message)
}

/// Returns the metadata of a place itself, without following a link.
fn metadata(place: &Path) -> Result<Option<Metadata>, StorageError> {
    match fs::symlink_metadata(place) {
        Ok(about) => Ok(Some(about)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

/// A walk in the order of full paths.
pub(super) struct Walk<'a> {
    /// The path after which the walk begins.
    after: Option<&'a str>,
    /// The maximum of files to find.
    limit: usize,
    part: ListingPart,
}

impl<'a> Walk<'a> {
    pub(super) fn new(after: Option<&'a str>, limit: usize) -> Self {
        Self { after, limit: limit.max(1), part: ListingPart::default() }
    }

    /// Returns the part of the listing that was found.
    pub(super) fn end(mut self) -> ListingPart {
        if let Some(next) = &self.part.next {
            // The next part contains them.
            self.part.skipped.retain(|file| file.path <= *next);
        }
        self.part
    }

    /// Adds the files below a directory whose path is `above`.
    pub(super) fn directory(&mut self, directory: &Path, above: &str) -> Result<(), StorageError> {
        let found = match fs::read_dir(directory) {
            Ok(found) => found,
            // The directory was removed since its parent was read.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(failed(error)),
        };
        let mut entries = Vec::new();
        for entry in found {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let shown = name.to_string_lossy();
            if is_invisible(&shown) {
                continue;
            }
            let kind = match entry.file_type() {
                Ok(kind) => kind,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(error)),
            };
            let mut path = if above.is_empty() { shown.into_owned() } else { format!("{above}/{shown}") };
            if kind.is_dir() {
                // The full paths of its files sort by these bytes.
                path.push('/');
            }
            entries.push((path, kind, entry.path(), name.to_str().is_some()));
        }
        entries.sort_by(|a, b| (&a.0, &a.2).cmp(&(&b.0, &b.2)));
        for (path, kind, place, is_text) in entries {
            if self.part.next.is_some() {
                return Ok(());
            }
            if self.is_before(&path) {
                continue;
            }
            self.entry(&place, path.trim_end_matches('/'), kind, is_text)?;
        }
        Ok(())
    }

    /// Returns true for a path before the start of the part, and for a directory, with its final
    /// `/`, whose files all are.
    fn is_before(&self, path: &str) -> bool {
        let is_above = |after: &str| path.ends_with('/') && after.starts_with(path);
        self.after.is_some_and(|after| path <= after && !is_above(after))
    }

    fn entry(&mut self, place: &Path, path: &str, kind: FileType, is_text: bool) -> Result<(), StorageError> {
        if !is_text {
            self.skip(path, &StorageError::invalid_path("the name is not UTF-8: rename it"));
        } else if kind.is_dir() && path.split('/').count() >= PATH_SEGMENTS_MAX {
            let rule = format!("a path has at most {PATH_SEGMENTS_MAX} segments: put the files higher up");
            self.skip(path, &StorageError::invalid_path(rule));
        } else if kind.is_dir() {
            self.directory(place, path)?;
        } else if !kind.is_file() {
            let rule = "links and special files are not followed or read: put a regular file there";
            self.skip(path, &StorageError::new(StorageErrorKind::PathConflict, rule));
        } else if let Err(error) = clean_path(path) {
            self.skip(path, &error);
        } else if let Some(about) = metadata(place)? {
            self.file(path, about.len());
        }
        Ok(())
    }

    /// Adds a file, or ends the part if it is full.
    pub(super) fn file(&mut self, path: &str, size: u64) {
        if self.is_before(path) {
            return;
        }
        if self.part.files.len() == self.limit {
            self.part.next = self.part.files.last().map(|last| last.path.clone());
        } else {
            self.part.files.push(BackendEntry { path: path.to_owned(), size, sha256: None });
        }
    }

    /// Adds a file that the backend does not list.
    pub(super) fn skip(&mut self, path: &str, error: &StorageError) {
        if !self.is_before(path) {
            self.part.skipped.push(RefusedFile::new(path.to_owned(), error));
        }
    }
}
