//! Files that a text names without lines: their identity, and the check that they still exist under
//! any path. A path alone states that a file exists, but nothing of its content, so it cites no
//! line.

use loci_model::facts::code::{CodeFile, EntryKind, ObjectId};
use loci_model::ports::code::CodeResult;
use loci_text::code_mentions::{Mention, mentions};
use serde::{Deserialize, Serialize};

use crate::verifier::session::verifier::Verifier;

/// The maximum number of files of one text.
pub const PATH_REFS_MAX: usize = 20;

/// A file that a text names, in its state at a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathRef {
    /// The path of the file.
    pub path: String,
    /// The content of the file.
    pub blob: ObjectId,
    /// The commit at which the file had that content.
    pub commit: ObjectId,
}

/// Returns the files that a text names by their paths alone, in order. A name is the whole path, or
/// a suffix of exactly one path. Pure.
pub fn path_refs(text: &str, files: &[CodeFile], commit: ObjectId) -> Vec<PathRef> {
    let mut found: Vec<PathRef> = Vec::new();
    for mention in mentions(text) {
        let Mention::File { path, lines: None } = mention else { continue };
        let Some(file) = named(&path, files) else { continue };
        if found.len() < PATH_REFS_MAX && found.iter().all(|known| known.path != file.path) {
            found.push(PathRef { path: file.path.clone(), blob: file.entry.id, commit });
        }
    }
    found
}

fn named<'f>(path: &str, files: &'f [CodeFile]) -> Option<&'f CodeFile> {
    let is_end = |file: &&CodeFile| {
        let before = file.path.strip_suffix(path);
        file.entry.kind == EntryKind::File
            && before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    let mut ends = files.iter().filter(is_end);
    let exact = path.contains('/').then(|| files.iter().filter(is_end).find(|file| file.path == path));
    match (exact.flatten(), ends.next(), ends.next()) {
        (Some(exact), _, _) => Some(exact),
        (None, Some(only), None) => Some(only),
        _ => None,
    }
}

impl Verifier<'_> {
    /// Returns true if a file is gone: it is neither at its path nor, by content, renames or
    /// history, under another path. If renames may be missing from the comparison, the file does
    /// not count as gone.
    ///
    /// # Errors
    /// An error if the code cannot be read.
    pub fn is_path_gone(&self, named: &PathRef) -> CodeResult<bool> {
        let PathRef { path, blob, commit } = named;
        if self.is_file(path)? {
            return Ok(false);
        }
        for file in self.tree(None)?.iter().filter(|file| file.entry.id == *blob) {
            // A copy that was there before is not the file that moved.
            if self.old_entry(*commit, &file.path)?.is_none_or(|before| before.id != *blob) {
                return Ok(false);
            }
        }
        if self.renames(*commit)?.0.contains_key(path) {
            return Ok(false);
        }
        if let Some(now) = self.follow(path, *commit)?
            && self.is_file(&now)?
        {
            return Ok(false);
        }
        Ok(!self.may_lack_renames(*commit)?)
    }

    fn is_file(&self, path: &str) -> CodeResult<bool> {
        Ok(self.entry(path)?.is_some_and(|entry| entry.kind != EntryKind::Directory))
    }
}

#[cfg(test)]
mod tests {
    use loci_model::facts::code::{CodeEntry, Revision};
    use loci_testkit_ports::{CodeHistory, ManualClock};

    use super::*;
    use crate::verifier::{LineCache, VerifierLimits};

    fn commit(history: &CodeHistory) -> ObjectId {
        history.tip().commit().unwrap()
    }

    #[test]
    fn which_files_a_text_names() {
        let id = ObjectId::from_bytes(&[7; 20]).unwrap();
        let file =
            |path: &str, kind| CodeFile { path: path.to_owned(), entry: CodeEntry { kind, id, bytes: None } };
        let paths = ["Makefile", "docs/README.md", "README.md", "src/a/mod.rs", "src/b/mod.rs", "Cargo.lock"];
        let mut files: Vec<CodeFile> = paths.iter().map(|path| file(path, EntryKind::File)).collect();
        files.push(file("src/link.rs", EntryKind::Symlink));
        let check = |text: &str, expect: &[&str]| {
            let found = path_refs(text, &files, id);
            let found: Vec<&str> = found.iter().map(|one| one.path.as_str()).collect();
            assert_eq!(found, expect, "{text}");
        };
        check("Deployments start from the Makefile.", &["Makefile"]);
        check(
            "`src/a/mod.rs` and docs/README.md say how; src/a/mod.rs first.",
            &["src/a/mod.rs", "docs/README.md"],
        );
        check("Cargo.lock is checked in.", &["Cargo.lock"]);
        check("b/mod.rs is small", &["src/b/mod.rs"]);
        check("mod.rs holds modules", &[]);
        check("README.md comes first", &[]);
        check("src/a/mod.rs:3 is a line", &[]);
        check("src/link.rs and src/gone.rs", &[]);
        let many: Vec<CodeFile> =
            (0..=PATH_REFS_MAX).map(|n| file(&format!("src/f{n}.rs"), EntryKind::File)).collect();
        let text: Vec<&str> = many.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(path_refs(&text.join(" and "), &many, id).len(), PATH_REFS_MAX);
    }

    #[test]
    fn what_is_gone_and_what_only_moved() {
        let text = "#!/bin/sh\nset -eu\ncurl one\ncurl two\ncurl three\n";
        let edited = "#!/bin/sh\nset -eu\ncurl one\ncurl two\ncurl four\n";
        let check = |after: &[(&str, &str)], expect: bool| {
            let mut history = CodeHistory::new();
            history.commit(&[("deploy.sh", text), ("copy.sh", "exit 1\n")]);
            let named = PathRef {
                path: "deploy.sh".to_owned(),
                blob: CodeHistory::blob_id(text),
                commit: commit(&history),
            };
            history.commit(after);
            let (cache, clock) = (LineCache::new(1 << 20), ManualClock::default());
            let at = Revision::Commit(commit(&history));
            let verifier = Verifier::new(&history, at, &cache, "t", &clock, VerifierLimits::default());
            assert_eq!(verifier.is_path_gone(&named).unwrap(), expect, "{after:?}");
        };
        check(&[("deploy.sh", "something else\n")], false);
        check(&[("scripts/deploy.sh", text)], false);
        check(&[("release.sh", edited)], false);
        check(&[("copy.sh", "exit 1\n")], true);
        check(&[("deploy.sh/README", "a directory now\n")], true);
    }

    #[test]
    fn a_copy_that_was_there_before_is_not_the_file() {
        let mut history = CodeHistory::new();
        history.commit(&[("LICENSE", "same\n"), ("sub/LICENSE", "same\n")]);
        let named = PathRef {
            path: "LICENSE".to_owned(),
            blob: CodeHistory::blob_id("same\n"),
            commit: commit(&history),
        };
        history.commit(&[("sub/LICENSE", "same\n")]);
        let (cache, clock) = (LineCache::new(1 << 20), ManualClock::default());
        let verifier = Verifier::new(&history, history.tip(), &cache, "t", &clock, VerifierLimits::default());
        assert!(verifier.is_path_gone(&named).unwrap());
    }
}
