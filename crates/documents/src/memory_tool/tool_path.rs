//! Paths of the memory tool: their rules and error texts, and the content that they name.

use loci_engine::document_text::path::DocumentPath;
use loci_engine::document_text::path_rule::PathRule;
use loci_model::Result;

use super::{MemoryToolSettings, ROOT, ToolEntry, ToolTree};

/// The tree of the memory tool, with the tool's settings.
pub(super) struct Mounted<'a> {
    pub(super) tree: &'a mut dyn ToolTree,
    pub(super) settings: &'a MemoryToolSettings,
}

/// A path of the tool. `None` is the root, other paths are relative to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToolPath(Option<DocumentPath>);

/// The content at a path of the tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathContent {
    /// A document.
    File(ToolEntry),
    /// A directory, with all documents below it. Only the root may be empty.
    Directory(Vec<ToolEntry>),
    /// Neither a document nor a directory.
    Nothing,
}

impl ToolPath {
    /// The root directory, `/memories`.
    pub(super) const ROOT: Self = Self(None);

    /// Returns the path relative to the root. `None` for the root itself.
    pub(super) fn below_root(&self) -> Option<&DocumentPath> {
        self.0.as_ref()
    }

    /// Returns the path as the model sees it: below `/memories`, without repeated or trailing
    /// slashes.
    pub(super) fn shown(&self) -> String {
        self.0.as_ref().map_or_else(|| ROOT.to_owned(), shown)
    }
}

/// Returns a path of the tree as the model sees it, below `/memories`.
pub(super) fn shown(path: &DocumentPath) -> String {
    format!("{ROOT}/{path}")
}

impl Mounted<'_> {
    /// Parses a path of a command. Returns the error text for the model if it is invalid.
    pub(super) fn path(&self, input: &str) -> Result<ToolPath, String> {
        let Some(rest) = input.strip_prefix(ROOT).filter(|rest| rest.is_empty() || rest.starts_with('/'))
        else {
            return Err(format!("Path must start with {ROOT}, got: {input}"));
        };
        let path = match DocumentPath::check(rest) {
            Ok(path) => path,
            Err(PathRule::Empty) => return Ok(ToolPath::ROOT),
            Err(rule) => return Err(refused(input, rule)),
        };
        match self.tree.broken_by(&path) {
            Some(rule) => Err(refused(input, rule)),
            None => Ok(ToolPath(Some(path))),
        }
    }

    /// Returns the content at a path. A path with the exact spelling takes precedence over one that
    /// has the same key.
    pub(super) fn at(&self, path: &ToolPath) -> Result<PathContent> {
        let Some(below_root) = path.below_root() else {
            return Ok(PathContent::Directory(self.tree.below(None)?));
        };
        if let Some(entry) = self.tree.find(below_root)? {
            return Ok(PathContent::File(entry));
        }
        let entries = self.tree.below(Some(below_root))?;
        if entries.is_empty() {
            return Ok(PathContent::Nothing);
        }
        let prefix = format!("{below_root}/");
        let exact: Vec<ToolEntry> =
            entries.iter().filter(|entry| entry.path.as_str().starts_with(&prefix)).cloned().collect();
        Ok(PathContent::Directory(if exact.is_empty() { entries } else { exact }))
    }

    /// Returns the path of the document that a path has as one of its directories, if there is one.
    /// Nothing can be below a document.
    pub(super) fn file_above(&self, path: &DocumentPath) -> Result<Option<DocumentPath>> {
        let mut directory = path.directory();
        while !directory.is_empty() {
            let Ok(above) = DocumentPath::check(directory) else { return Ok(None) };
            if self.tree.find(&above)?.is_some() {
                return Ok(Some(above));
            }
            directory = directory.rsplit_once('/').map_or("", |(higher, _)| higher);
        }
        Ok(None)
    }
}

/// Returns the error text for the model for a path that breaks a rule.
pub(super) fn refused(path: &str, rule: PathRule) -> String {
    if rule.escapes() {
        return format!("Path {path} would escape {ROOT} directory");
    }
    format!("Path {path} is not allowed: {}", rule.words())
}

/// Returns the error text for the model for a read-only path.
pub(super) fn read_only(path: &str) -> String {
    format!("The path {path} is read-only.")
}

/// Returns the error text for the model for a path without content.
pub(super) fn missing(path: &ToolPath) -> String {
    format!("The path {} does not exist. Please provide a valid path.", path.shown())
}
