//! A tree of the memory tool in process memory, for tests and comparisons with other
//! implementations. It keeps no versions and uses no store.

use std::collections::BTreeMap;

use loci_engine::document_text::path::DocumentPath;
use loci_model::{Error, Result};

use super::{ToolEntry, ToolTree};

/// Documents by path, and the directories that are read-only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScratchTree {
    documents: BTreeMap<DocumentPath, (String, Option<String>)>,
    read_only: Vec<String>,
}

impl ScratchTree {
    /// Creates an empty tree with these read-only directories.
    #[must_use]
    pub fn with_read_only(directories: &[&str]) -> Self {
        Self { read_only: directories.iter().map(|&name| name.to_owned()).collect(), ..Self::default() }
    }

    /// Adds a document with a body and an optional description.
    pub fn put(&mut self, path: DocumentPath, body: &str, description: Option<&str>) {
        self.documents.insert(path, (body.to_owned(), description.map(str::to_owned)));
    }

    /// Returns the paths and bodies, sorted by path.
    pub fn documents(&self) -> impl Iterator<Item = (&str, &str)> {
        self.documents.iter().map(|(path, (body, _))| (path.as_str(), body.as_str()))
    }

    fn entry(path: &DocumentPath, document: &(String, Option<String>)) -> ToolEntry {
        ToolEntry { path: path.clone(), bytes: document.0.len() as u64, description: document.1.clone() }
    }

    fn existing(&mut self, path: &DocumentPath) -> Result<&mut (String, Option<String>)> {
        self.documents.get_mut(path).ok_or_else(|| Error::not_found(format!("{path} is not there")))
    }
}

impl ToolTree for ScratchTree {
    fn find(&self, path: &DocumentPath) -> Result<Option<ToolEntry>> {
        let exact = self.documents.get_key_value(path);
        let found = exact.or_else(|| {
            let key = path.key();
            self.documents.iter().find(|(other, _)| other.key() == key)
        });
        Ok(found.map(|(path, document)| Self::entry(path, document)))
    }

    fn below(&self, directory: Option<&DocumentPath>) -> Result<Vec<ToolEntry>> {
        let directory = directory.map_or("", DocumentPath::as_str);
        let below = self.documents.iter().filter(|(path, _)| path.is_below(directory));
        Ok(below.map(|(path, document)| Self::entry(path, document)).collect())
    }

    fn body(&self, path: &DocumentPath) -> Result<String> {
        let document = self.documents.get(path);
        document.map(|(body, _)| body.clone()).ok_or_else(|| Error::not_found(format!("{path} is not there")))
    }

    fn create(&mut self, path: &DocumentPath, body: &str) -> Result<()> {
        if self.find(path)?.is_some() {
            return Err(Error::conflict(format!("{path} is there")));
        }
        self.put(path.clone(), body, None);
        Ok(())
    }

    fn replace(&mut self, path: &DocumentPath, body: &str) -> Result<()> {
        body.clone_into(&mut self.existing(path)?.0);
        Ok(())
    }

    fn delete(&mut self, paths: &[DocumentPath]) -> Result<()> {
        for path in paths {
            self.existing(path)?;
            self.documents.remove(path);
        }
        Ok(())
    }

    fn rename(&mut self, moves: &[(DocumentPath, DocumentPath)]) -> Result<()> {
        let mut moved = Vec::with_capacity(moves.len());
        for (old, new) in moves {
            let document = self.documents.remove(old);
            moved.push((
                new.clone(),
                document.ok_or_else(|| Error::not_found(format!("{old} is not there")))?,
            ));
        }
        self.documents.extend(moved);
        Ok(())
    }

    fn is_read_only(&self, path: &DocumentPath) -> bool {
        self.read_only.iter().any(|directory| path.is_below(directory) || path.key().as_str() == directory)
    }
}
