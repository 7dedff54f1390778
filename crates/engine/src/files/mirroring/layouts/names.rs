//! Names that are still free: of files in a layout without directories, and of documents in the tree.

use std::collections::BTreeSet;

use loci_model::Result;

use super::LaidDocument;
use crate::files::DocumentPath;
use crate::files::folding::folded;
use crate::files::slug::free_path;

/// The first of `stem.md`, `stem-2.md`, `stem-3.md` … that no file has.
pub(super) fn free_name(stem: &str, ending: &str, taken: &BTreeSet<String>) -> String {
    let numbered = (2_u64..).map(|number| format!("{stem}-{number}{ending}"));
    let mut names = std::iter::once(format!("{stem}{ending}")).chain(numbered);
    // There is always one: there are fewer files than numbers.
    names.find(|name| !taken.contains(name)).unwrap_or_default()
}

/// A path in a directory of the tree that no document has, in any spelling.
///
/// # Errors
/// Those of the rules of paths.
pub(super) fn free_tree_path(
    directory: &str,
    stem: &str,
    documents: &[LaidDocument],
) -> Result<DocumentPath> {
    free_path_beside(directory, stem, &taken_below(directory, documents))
}

/// The paths of a directory that documents have, as no file system tells them apart.
pub(super) fn taken_below(directory: &str, documents: &[LaidDocument]) -> BTreeSet<String> {
    let prefix = folded(directory);
    let keys = documents.iter().map(|document| document.path.key().to_string());
    keys.filter(|key| key.starts_with(&prefix)).collect()
}

/// A path in a directory of the tree that is none of these.
///
/// # Errors
/// Those of the rules of paths.
pub(super) fn free_path_beside(
    directory: &str,
    stem: &str,
    taken: &BTreeSet<String>,
) -> Result<DocumentPath> {
    free_path(directory, stem, |_, key| Ok(taken.contains(&key.to_string())))
}
