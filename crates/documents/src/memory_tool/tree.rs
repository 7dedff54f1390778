//! The tree of the tool: the documents of one mount, by paths below its root. `mounts` implements
//! it within one transaction, `scratch` in memory.

use loci_engine::document_text::path::DocumentPath;
use loci_engine::document_text::path_rule::PathRule;
use loci_model::Result;

/// A document of a mount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolEntry {
    /// The path below the mount's root, in its stored spelling.
    pub path: DocumentPath,
    /// The size of the body, in bytes.
    pub bytes: u64,
    /// The description that a writer gave; not one derived from the body.
    pub description: Option<String>,
}

/// The documents of a mount. Paths are relative to its root: `/memories/facts/x.md` is
/// `facts/x.md`.
pub trait ToolTree {
    /// Returns the live document at a path: by its exact spelling, else by the path's key.
    ///
    /// # Errors
    /// The errors of the store.
    fn find(&self, path: &DocumentPath) -> Result<Option<ToolEntry>>;

    /// Returns the live documents below a directory, by the directory's key, in any order; all of
    /// the mount for `None`.
    ///
    /// # Errors
    /// The errors of the store.
    fn below(&self, directory: Option<&DocumentPath>) -> Result<Vec<ToolEntry>>;

    /// Returns the body of an existing document.
    ///
    /// # Errors
    /// The errors of the store.
    fn body(&self, path: &DocumentPath) -> Result<String>;

    /// Stores a document whose path is free.
    ///
    /// # Errors
    /// Errors of the tree, as for any writer, and of the store.
    fn create(&mut self, path: &DocumentPath, body: &str) -> Result<()>;

    /// Replaces the body of an existing document.
    ///
    /// # Errors
    /// The errors of [`ToolTree::create`].
    fn replace(&mut self, path: &DocumentPath, body: &str) -> Result<()>;

    /// Archives existing documents.
    ///
    /// # Errors
    /// The errors of [`ToolTree::create`].
    fn delete(&mut self, paths: &[DocumentPath]) -> Result<()>;

    /// Moves existing documents to other paths, which are free or the document's own in another
    /// spelling.
    ///
    /// # Errors
    /// The errors of [`ToolTree::create`].
    fn rename(&mut self, moves: &[(DocumentPath, DocumentPath)]) -> Result<()>;

    /// True if this caller may not write at the path, a document or a directory.
    fn is_read_only(&self, path: &DocumentPath) -> bool;

    /// Returns the rule of the tree that a path breaks, because it is deeper there than in the
    /// mount.
    fn broken_by(&self, path: &DocumentPath) -> Option<PathRule> {
        let _ = path;
        None
    }
}
