//! The port through which the memory tool reads and writes the documents of a mount. `mounts`
//! implements it within a transaction, and `scratch` in process memory.

use loci_engine::document_text::path::DocumentPath;
use loci_engine::document_text::path_rule::PathRule;
use loci_model::Result;

/// A document as the memory tool sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolEntry {
    /// The path relative to the root of the mount, in its stored spelling.
    pub path: DocumentPath,
    /// The size of the body, in bytes.
    pub bytes: u64,
    /// The description that a writer gave. `None` if there is none; it is never derived from the
    /// body.
    pub description: Option<String>,
}

/// The documents of a mount. Paths are relative to its root: `/memories/facts/x.md` is
/// `facts/x.md`.
pub trait ToolTree {
    /// Returns the document at a path, by its exact spelling, else by its key (without regard to
    /// case). `None` if there is none.
    ///
    /// # Errors
    /// The errors of the store.
    fn find(&self, path: &DocumentPath) -> Result<Option<ToolEntry>>;

    /// Returns all documents below a directory, given by its path, in any order. `None` means all
    /// documents of the mount.
    ///
    /// # Errors
    /// The errors of the store.
    fn below(&self, directory: Option<&DocumentPath>) -> Result<Vec<ToolEntry>>;

    /// Returns the body of the existing document at a path.
    ///
    /// # Errors
    /// The errors of the store.
    fn body(&self, path: &DocumentPath) -> Result<String>;

    /// Creates a document at a path that has none.
    ///
    /// # Errors
    /// The errors of writing a document, and those of the store.
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

    /// Moves existing documents. Each new path has no document, or is another spelling of the same
    /// document's path.
    ///
    /// # Errors
    /// The errors of [`ToolTree::create`].
    fn rename(&mut self, moves: &[(DocumentPath, DocumentPath)]) -> Result<()>;

    /// Returns true if this caller may not write the document or directory at the path.
    fn is_read_only(&self, path: &DocumentPath) -> bool;

    /// Returns the rule that the path would break in the tree, where it is longer than in the
    /// mount. `None` if it breaks none.
    fn broken_by(&self, path: &DocumentPath) -> Option<PathRule> {
        let _ = path;
        None
    }
}
