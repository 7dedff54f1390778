//! The tree of the tool: the documents of one mount, by paths below its root. `mounts` implements
//! it within one transaction, `scratch` in memory.

use loci_engine::document_text::path::DocumentPath;
use loci_engine::document_text::path_rule::PathRule;
use loci_model::Result;

/// A document of a mount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolEntry {
    /// Its path below the mount's root, as it is stored.
    pub path: DocumentPath,
    /// Bytes of its body.
    pub bytes: u64,
    /// What somebody said of it; not what was derived from its body.
    pub description: Option<String>,
}

/// The documents of a mount. Paths are those below its root: `/memories/facts/x.md` is `facts/x.md`.
pub trait ToolTree {
    /// The live document at a path: by its exact spelling, else by the path's key.
    ///
    /// # Errors
    /// Those of the store.
    fn find(&self, path: &DocumentPath) -> Result<Option<ToolEntry>>;

    /// The live documents below a directory, by the directory's key, in any order; all of the mount for `None`.
    ///
    /// # Errors
    /// Those of the store.
    fn below(&self, directory: Option<&DocumentPath>) -> Result<Vec<ToolEntry>>;

    /// The body of a document that was found.
    ///
    /// # Errors
    /// Those of the store.
    fn body(&self, path: &DocumentPath) -> Result<String>;

    /// Stores a document whose path is free.
    ///
    /// # Errors
    /// Errors of the tree, as for any writer, and of the store.
    fn create(&mut self, path: &DocumentPath, body: &str) -> Result<()>;

    /// Gives a document that was found another body.
    ///
    /// # Errors
    /// As [`ToolTree::create`].
    fn replace(&mut self, path: &DocumentPath, body: &str) -> Result<()>;

    /// Puts documents away that were found.
    ///
    /// # Errors
    /// As [`ToolTree::create`].
    fn delete(&mut self, paths: &[DocumentPath]) -> Result<()>;

    /// Gives documents that were found other paths, all of which are free or the document's own by another spelling.
    ///
    /// # Errors
    /// As [`ToolTree::create`].
    fn rename(&mut self, moves: &[(DocumentPath, DocumentPath)]) -> Result<()>;

    /// True where this caller may not write at the path, document or directory.
    fn is_read_only(&self, path: &DocumentPath) -> bool;

    /// The rule that a path breaks in the tree, where it lies deeper than in the mount.
    fn broken_by(&self, path: &DocumentPath) -> Option<PathRule> {
        let _ = path;
        None
    }
}
