//! Looking at a directory without following a link: the kind of what lies at a path, and all files
//! below a prefix.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::place::failed;
use crate::backend::path_rules::clean_path;
use crate::backend::storage_error::{StorageError, StorageErrorKind};
use crate::backend::stored_file::BackendEntry;

/// Directories inside each other.
const DEPTH_MAX: usize = 32;

/// True for names that a directory does not show: what is hidden, and files that editors and stores
/// leave while they write.
pub(super) fn is_invisible(name: &str) -> bool {
    let is_unfinished = [".swp", ".tmp", "~"].iter().any(|end| name.ends_with(end));
    name.starts_with('.') || is_unfinished || name.contains(".__strands_tmp_")
}

/// Returns what lies at a path below the root; `None` where nothing does.
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

/// The error for something that has the place of a path.
pub(super) fn conflict(root: &Path, place: &Path, lies: &str) -> StorageError {
    let shown = place.strip_prefix(root).unwrap_or(place).display();
    let message = format!("{shown} {lies}: move it away, or choose another path");
    StorageError::new(StorageErrorKind::PathConflict, message)
}

/// Returns the metadata of a place itself, a link not followed.
fn metadata(place: &Path) -> Result<Option<Metadata>, StorageError> {
    match fs::symlink_metadata(place) {
        Ok(about) => Ok(Some(about)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

/// Adds the files below a directory whose path is `above` to `out`.
pub(super) fn walk(
    directory: &Path,
    above: &str,
    depth: usize,
    out: &mut Vec<BackendEntry>,
) -> Result<(), StorageError> {
    if depth > DEPTH_MAX {
        let message = format!("{above} has more than {DEPTH_MAX} directories inside each other: flatten it");
        return Err(StorageError::new(StorageErrorKind::InvalidContent, message));
    }
    let found = match fs::read_dir(directory) {
        Ok(found) => found,
        // It was removed since its parent was read.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    for entry in found {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| !is_invisible(name)) else { continue };
        let path = if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") };
        let Some(about) = metadata(&entry.path())? else { continue };
        if about.is_dir() {
            walk(&entry.path(), &path, depth + 1, out)?;
        } else if about.is_file() {
            match clean_path(&path) {
                Ok(path) => out.push(BackendEntry { path, size: about.len(), sha256: None }),
                Err(error) => tracing::warn!("{error}: the file is left out of the listing"),
            }
        }
    }
    Ok(())
}
