//! The documents of a repository: a learning that its instructions, its README or the configuration
//! of its linters already contain is not stored again.
//!
//! The comparison uses runs of five words, so it does not recognize a paraphrase.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use loci_engine::safety::invisible_markdown::visible;
use loci_model::facts::code::{CodeFile, EntryKind, ObjectId};
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::{CodeResult, CodeSource};
use loci_verified::Tip;
use sha2::{Digest, Sha256};

/// The number of words of a run.
const RUN: usize = 5;
/// The minimum share of a text's runs in the documents for a text that they already contain.
const SAID: f64 = 0.8;
/// The maximum number of files that are read, those nearest to the root first.
const FILES_MAX: usize = 64;
/// The maximum size of a file that is read, in bytes. Instructions are short, and dependency lists
/// are not instructions.
const FILE_BYTES_MAX: u64 = 256 * 1024;

/// File names of instructions, in lower case.
const NAMES: &[&str] = &[
    "claude.md",
    "agents.md",
    "gemini.md",
    "copilot-instructions.md",
    ".cursorrules",
    ".editorconfig",
    ".flake8",
    ".pylintrc",
    ".golangci.yml",
    ".golangci.yaml",
    ".rubocop.yml",
    "clippy.toml",
    ".clippy.toml",
    "rustfmt.toml",
    ".rustfmt.toml",
    "ruff.toml",
    ".ruff.toml",
    "biome.json",
    "tslint.json",
    "checkstyle.xml",
];
/// Prefixes of such names.
const BEGINNINGS: &[&str] =
    &["readme", "contributing", ".eslintrc", "eslint.config.", ".prettierrc", ".stylelintrc"];
/// Folders of such files.
const FOLDERS: &[&str] = &[".cursor/rules"];

/// The length of a SHA-256 in hexadecimal, in characters.
const SHA256_CHARS: usize = 64;

/// The content of named documents, and the digests without a document.
#[derive(Debug, Default)]
pub(crate) struct NamedDocs {
    pub(crate) docs: RepositoryDocs,
    pub(crate) missing: BTreeSet<String>,
}

/// The content of a repository's documents, as runs of words.
#[derive(Debug, Clone, Default)]
pub(crate) struct RepositoryDocs {
    runs: HashSet<Vec<String>>,
    /// Texts as one line of words each, for statements shorter than a run.
    lines: Vec<String>,
}

impl RepositoryDocs {
    /// Reads the documents of a repository at a revision. A file that is too large or not text is
    /// ignored.
    ///
    /// # Errors
    /// The reason why the repository could not be read.
    pub(super) fn read(source: &dyn CodeSource, tip: &Tip) -> CodeResult<Self> {
        let files = source.files(&tip.revision)?;
        let blobs = doc_blobs(&files);
        source.prefetch(&blobs, FILE_BYTES_MAX);
        let mut docs = Self::default();
        blobs.iter().try_for_each(|blob| docs.add_blob(source, blob))?;
        Ok(docs)
    }

    /// Reads the named documents of a revision: any file by the id of its blob, and documents also
    /// by their SHA-256.
    ///
    /// # Errors
    /// The reason why the repository could not be read.
    pub(crate) fn read_named(
        source: &dyn CodeSource,
        tip: &Tip,
        digests: &[String],
    ) -> CodeResult<NamedDocs> {
        let mut missing: BTreeSet<String> = digests.iter().map(|digest| digest.to_lowercase()).collect();
        let files = source.files(&tip.revision)?;
        let is_named = |file: &&CodeFile| missing.contains(&file.entry.id.to_string());
        let mut blobs: Vec<_> = files.iter().filter(is_named).map(|file| file.entry.id).collect();
        blobs.sort();
        blobs.dedup();
        let mut docs = Self::default();
        for blob in &blobs {
            docs.add_blob(source, blob)?;
            missing.remove(&blob.to_string());
        }
        if missing.iter().any(|digest| digest.len() == SHA256_CHARS) {
            for blob in doc_blobs(&files) {
                let Some(bytes) = text_of(source, &blob)? else { continue };
                if missing.remove(&hex::encode(Sha256::digest(&bytes))) {
                    docs.add(&String::from_utf8_lossy(&bytes));
                }
            }
        }
        Ok(NamedDocs { docs, missing })
    }

    fn add_blob(&mut self, source: &dyn CodeSource, blob: &ObjectId) -> CodeResult<()> {
        if let Some(bytes) = text_of(source, blob)? {
            self.add(&String::from_utf8_lossy(&bytes));
        }
        Ok(())
    }

    fn add(&mut self, text: &str) {
        // Readers of the page do not see comments in the markup, so comments make no learning
        // redundant.
        let words = words(&visible(text));
        self.runs.extend(words.windows(RUN).map(<[String]>::to_vec));
        self.lines.push(format!(" {} ", words.join(" ")));
    }

    /// True if the documents already contain a text.
    pub(crate) fn say(&self, text: &str) -> bool {
        let words = words(text);
        if words.is_empty() {
            return false;
        }
        if words.len() < RUN {
            let line = format!(" {} ", words.join(" "));
            return self.lines.iter().any(|said| said.contains(&line));
        }
        let runs = words.windows(RUN);
        let (all, known) = (runs.len(), runs.filter(|run| self.runs.contains(*run)).count());
        #[expect(clippy::cast_precision_loss, reason = "a text has fewer words than would matter")]
        let share = known as f64 / all as f64;
        share >= SAID
    }
}

/// Returns the documents among files, those nearest to the root first.
fn doc_blobs(files: &[CodeFile]) -> Vec<ObjectId> {
    let mut files: Vec<&CodeFile> = files.iter().filter(|file| is_doc(file)).collect();
    files.sort_by_key(|file| (file.path.matches('/').count(), file.path.as_str()));
    files.truncate(FILES_MAX);
    files.iter().map(|file| file.entry.id).collect()
}

/// Returns a file's bytes; `None` for one that is too large or not text.
fn text_of(source: &dyn CodeSource, blob: &ObjectId) -> CodeResult<Option<Arc<[u8]>>> {
    match source.read(blob, FILE_BYTES_MAX) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.why, Unverifiable::TooLarge | Unverifiable::Binary) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_doc(file: &CodeFile) -> bool {
    let path = file.path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let in_folder = |folder: &&str| path.strip_prefix(*folder).is_some_and(|rest| rest.starts_with('/'));
    file.entry.kind == EntryKind::File
        && (NAMES.contains(&name)
            || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
            || FOLDERS.contains(&path.as_str())
            || FOLDERS.iter().any(in_folder))
}

/// Returns the words of a text, regardless of the characters between them.
fn words(text: &str) -> Vec<String> {
    let folded = text.to_lowercase();
    folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::facts::code::CodeEntry;

    #[test]
    fn a35_what_is_said_already() {
        let mut docs = RepositoryDocs::default();
        docs.add("# Work here\n\n- Always run `make gen` before the tests, or they fail.\n- Use pnpm.\n");
        let check = |docs: &RepositoryDocs, text: &str, expect: bool| {
            assert_eq!(docs.say(text), expect, "{text}");
        };
        check(&docs, "Always run make gen before the tests, or they fail.", true);
        check(&docs, "**Always** run `make gen`\nbefore the tests or they FAIL!", true);
        check(&docs, "Always run make gen before the tests or they fail with code 3 in a way.", false);
        check(&docs, "The tests need a database on port 5432.", false);
        check(&docs, "use pnpm", true);
        check(&docs, "pnpm use", false);
        check(&docs, "se pnpm", false);
        check(&docs, "!", false);
        docs.add("[//]: # (Never ever run the slow tests before noon.)\n<!-- Always push to the main branch. -->\n");
        check(&docs, "Never ever run the slow tests before noon.", false);
        check(&docs, "Always push to the main branch.", false);
    }

    #[test]
    fn which_files_speak() {
        let id = ObjectId::from_bytes(&[1; 20]).unwrap();
        let check = |path: &str, expect: bool| {
            let entry = CodeEntry { kind: EntryKind::File, id, bytes: None };
            assert_eq!(is_doc(&CodeFile { path: path.to_owned(), entry }), expect, "{path}");
        };
        for path in
            ["CLAUDE.md", "web/AGENTS.md", "README.de.rst", ".github/CONTRIBUTING.md", ".cursor/rules/a.mdc"]
        {
            check(path, true);
        }
        for path in ["src/readers.md", "docs/guide.md", ".cursor/rulesets/a", "src/agents.md.rs"] {
            check(path, false);
        }
    }
}
