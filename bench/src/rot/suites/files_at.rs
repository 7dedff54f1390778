//! Texts of a revision by path, for oracles.

use std::collections::BTreeMap;

use anyhow::Result;

use super::super::git::Repository;

/// The maximum size of a file in bytes. Larger files are not written by people.
const BYTES_MAX: u64 = 400_000;

/// Paths of all files, and texts of those with one of the endings.
pub(super) struct FilesAt {
    pub(super) texts: BTreeMap<String, String>,
    pub(super) paths: Vec<String>,
}

impl FilesAt {
    pub(super) fn read(repository: &mut Repository, commit: &str, endings: &[&str]) -> Result<Self> {
        let tree = repository.tree(commit)?;
        let mut texts = BTreeMap::new();
        for (path, file) in &tree {
            if file.bytes > BYTES_MAX || !endings.iter().any(|ending| path.ends_with(ending)) {
                continue;
            }
            if let Some(text) = repository.read(&file.id)?.and_then(|bytes| String::from_utf8(bytes).ok()) {
                texts.insert(path.clone(), text);
            }
        }
        Ok(Self { texts, paths: tree.into_keys().collect() })
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.paths.binary_search_by(|there| there.as_str().cmp(path)).is_ok()
    }

    /// Returns the first line, from 1, that contains all the parts.
    pub(super) fn line_with(&self, path: &str, parts: &[&str]) -> Option<u32> {
        let mut lines = (1u32..).zip(self.texts.get(path)?.lines());
        lines.find(|(_, line)| parts.iter().all(|part| line.contains(part))).map(|(at, _)| at)
    }
}
