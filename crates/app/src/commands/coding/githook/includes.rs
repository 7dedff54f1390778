//! The sections of git's configuration that point to Loci's hook folder. Each is a conditional
//! include in a section of its own that applies only to the current location of the clone. Existing
//! settings stay unchanged, at every level. In a copied or moved clone only those settings apply.
//! Removing the section leaves no trace.
//!
//! This module reads and changes these sections. The included file is written elsewhere.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::git::{Git, WorkingTree};

/// The included file, relative to the directory that all working trees share.
pub(super) const INCLUDED: &str = "loci/githook.gitconfig";
/// The prefix of a section's name.
const SECTION: &str = "includeIf.gitdir:";
/// Special characters of a pattern. `?` replaces each of them, which matches any character.
const SPECIAL: &[u8] = b"*?[]\\";

/// A configuration file, and the sections of Loci that belong in it.
#[derive(Debug, Clone)]
pub(super) struct Includes {
    /// The configuration file.
    pub(super) file: PathBuf,
    /// The value of the sections: the path of the included file relative to the configuration file.
    value: &'static str,
    /// The names of the sections.
    wanted: Vec<OsString>,
}

impl Includes {
    /// Returns the includes for all working trees of a clone.
    pub(super) fn of_clone(tree: &WorkingTree) -> Self {
        let file = tree.common.join("config");
        let wanted = vec![section(&tree.common), section(&tree.common.join("worktrees").join(""))];
        Self { file, value: INCLUDED, wanted }
    }

    /// Returns the includes for one working tree. They apply only if git keeps settings per working
    /// tree.
    pub(super) fn of_tree(own: &Path, common: &Path) -> Self {
        let value = if own == common { INCLUDED } else { "../../loci/githook.gitconfig" };
        Self { file: own.join("config.worktree"), value, wanted: vec![section(own)] }
    }

    /// Returns Loci's sections in the file, including those for a former location of the clone.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) async fn found(&self, git: &Git) -> Result<Vec<OsString>> {
        let asked = self.arguments(&["--null", "--get-regexp", r"^includeif\.gitdir:.*\.path$"]);
        let Some(said) = git.answer_bytes(&asked).await? else { return Ok(Vec::new()) };
        let entries = said.split(|byte| *byte == 0).filter_map(|entry| {
            let end = entry.iter().position(|byte| *byte == b'\n')?;
            let (key, value) = (entry.get(..end)?, entry.get(end + 1..)?);
            let name = key.strip_suffix(b".path")?.get(SECTION.len()..)?;
            (value == self.value.as_bytes()).then(|| named(name))
        });
        Ok(entries.collect())
    }

    /// True if all wanted sections are present, and none for another location.
    pub(super) fn are(&self, found: &[OsString]) -> bool {
        found.len() == self.wanted.len() && self.wanted.iter().all(|section| found.contains(section))
    }

    /// Appends the sections to the file, where they take precedence over earlier settings.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) async fn put(&self, git: &Git) -> Result<()> {
        self.take_away(git).await?;
        for section in &self.wanted {
            let mut key = section.clone();
            key.push(".path");
            let mut arguments = self.arguments(&["--add"]);
            arguments.extend([key, OsString::from(self.value)]);
            git.output(&arguments).await.with_context(|| format!("writing {}", self.file.display()))?;
        }
        Ok(())
    }

    /// Removes all sections of Loci.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) async fn take_away(&self, git: &Git) -> Result<()> {
        for section in self.found(git).await? {
            let mut arguments = self.arguments(&["--remove-section"]);
            arguments.push(section);
            git.output(&arguments).await.with_context(|| format!("writing {}", self.file.display()))?;
        }
        Ok(())
    }

    fn arguments(&self, more: &[&str]) -> Vec<OsString> {
        let mut all = vec![OsString::from("config"), OsString::from("--file"), self.file.clone().into()];
        all.extend(more.iter().map(OsString::from));
        all
    }
}

/// Returns the name of the section for a path.
fn section(place: &Path) -> OsString {
    let pattern: Vec<u8> = place.as_os_str().as_bytes().iter().map(plain).collect();
    named(&pattern)
}

fn named(pattern: &[u8]) -> OsString {
    let mut name = OsString::from(SECTION);
    name.push(OsStr::from_bytes(pattern));
    name
}

fn plain(byte: &u8) -> u8 {
    if SPECIAL.contains(byte) { b'?' } else { *byte }
}

/// Returns the included file: the hook folder as a value of git's configuration.
pub(super) fn included(folder: &Path) -> Vec<u8> {
    let escaped = |byte: &u8| match byte {
        b'"' | b'\\' => vec![b'\\', *byte],
        b'\n' => b"\\n".to_vec(),
        byte => vec![*byte],
    };
    let mut text = OsString::from("[core]\n\thooksPath = \"").into_vec();
    text.extend(folder.as_os_str().as_bytes().iter().flat_map(escaped));
    text.extend(b"\"\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_pattern_of_itself() {
        let check = |place: &str, expect: &str| assert_eq!(section(Path::new(place)), OsStr::new(expect));
        check("/a b/.git", "includeIf.gitdir:/a b/.git");
        check("/a/.git/worktrees/", "includeIf.gitdir:/a/.git/worktrees/");
        check(r"/[x]*\?/.git", "includeIf.gitdir:/?x????/.git");
    }

    #[test]
    fn a_folder_is_one_value() {
        let text = included(Path::new("/a \"b\"\\c/hooks"));
        assert_eq!(String::from_utf8(text).unwrap(), "[core]\n\thooksPath = \"/a \\\"b\\\"\\\\c/hooks\"\n");
    }
}
