//! Free names: of files in a layout without directories, and of documents in the tree.

use std::collections::BTreeSet;

use loci_engine::document_text::DocumentPath;
use loci_engine::document_text::case_folding::folded;
use loci_engine::document_text::slug::{free_path, numbered};
use loci_model::Result;

use super::LaidDocument;

/// Returns the first of `stem.md`, `stem-2.md`, `stem-3.md` … that no file has.
pub(super) fn free_name(stem: &str, ending: &str, taken: &BTreeSet<String>) -> String {
    // There is always one, because there are fewer files than numbers.
    numbered(stem, ending).find(|name| !taken.contains(name)).unwrap_or_default()
}

/// Returns the first of `directory`, `directory-2`, `directory-3` … that no document has as its
/// path, in any spelling.
pub(super) fn open_directory(directory: &str, documents: &[LaidDocument]) -> String {
    let taken = taken_below(directory, documents);
    // There is always one, because there are fewer documents than numbers.
    numbered(directory, "").find(|name| !taken.contains(&folded(name))).unwrap_or_default()
}

/// Returns a path in a directory of the tree that no document has, in any spelling. If a document
/// has the directory's path, a numbered directory next to it is used.
///
/// # Errors
/// The errors of the rules of paths.
pub(super) fn free_tree_path(
    directory: &str,
    stem: &str,
    documents: &[LaidDocument],
) -> Result<DocumentPath> {
    let directory = open_directory(directory, documents);
    free_path_beside(&directory, stem, &taken_below(&directory, documents))
}

/// Returns the document paths of a directory, folded as file systems compare them.
pub(super) fn taken_below(directory: &str, documents: &[LaidDocument]) -> BTreeSet<String> {
    let prefix = folded(directory);
    let keys = documents.iter().map(|document| document.path.key().to_string());
    keys.filter(|key| key.starts_with(&prefix)).collect()
}

/// Returns a path in a directory of the tree that is none of these.
///
/// # Errors
/// The errors of the rules of paths.
pub(super) fn free_path_beside(
    directory: &str,
    stem: &str,
    taken: &BTreeSet<String>,
) -> Result<DocumentPath> {
    free_path(directory, stem, |_, key| Ok(taken.contains(&key.to_string())))
}

#[cfg(test)]
mod tests {
    use loci_model::RecordId;
    use loci_model::record::RecordKind;

    use super::*;
    use loci_engine::document_text::DocumentContent;

    #[test]
    fn a_directory_whose_place_a_document_has_is_passed_over() {
        let document = |path: &str| LaidDocument {
            path: DocumentPath::parse(path).unwrap(),
            record: RecordId::of_uuid(1),
            kind: RecordKind::Document,
            content: DocumentContent::raw("text\n".to_owned()),
            reads: 0,
        };
        let check = |paths: &[&str], expect: &str| {
            let documents: Vec<LaidDocument> = paths.iter().map(|path| document(path)).collect();
            let path = free_tree_path("knowledge/facts", "a", &documents).unwrap();
            assert_eq!(path.as_str(), expect, "{paths:?}");
        };
        check(&[], "knowledge/facts/a.md");
        check(&["knowledge/facts/a.md"], "knowledge/facts/a-2.md");
        check(&["knowledge/Facts"], "knowledge/facts-2/a.md");
        check(&["knowledge/facts", "knowledge/facts-2"], "knowledge/facts-3/a.md");
        check(&["knowledge/facts.md"], "knowledge/facts/a.md");
    }
}
