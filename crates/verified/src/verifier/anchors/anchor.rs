//! Creates the anchor of a cited place: the data stored to find its lines again. An error states
//! why a place cannot be cited. `information` decides if the lines have enough information to be
//! stored.

use std::sync::Arc;

use loci_model::facts::citation::{Anchor, LineRange};
use loci_model::facts::code::{CodeEntry, EntryKind, ObjectId};
use loci_model::ports::code::CodeError;
use loci_text::code_path::{PathRejected, check_path};

use super::grounding::grounded;
use crate::verifier::lines::block::Block;
use crate::verifier::lines::file_lines::FileLines;
use crate::verifier::session::verifier::Verifier;
use crate::verifier::thresholds::{CONTEXT_LINES, SNIPPET_BYTES_MAX, SNIPPET_LINES_MAX, SPAN_LINES_MAX};

/// An anchor with the properties that the store operation reports.
#[derive(Clone)]
pub struct MadeAnchor {
    /// The anchor.
    pub anchor: Anchor,
    /// The cited lines as in the file, with LF line ends, for the secret scan and the answer.
    /// Untrusted text.
    pub content: String,
    /// The number of lines in the file, including blank ones.
    pub lines_total: u32,
    /// True if the file is a symbolic link; the lines are then its target.
    pub symlink: bool,
    /// True if the lines are a pointer to a large file stored elsewhere.
    pub lfs: bool,
    /// True for a generated or vendored file.
    pub generated: bool,
}

/// The reason why a place cannot be cited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnchorError {
    /// The path is not allowed: `PATH_REJECTED`.
    Path(PathRejected),
    /// Zero or reversed lines: `INVALID_ARGUMENT`.
    Range,
    /// More than 400 lines: `TOO_LARGE` as a range, `INVALID_ARGUMENT` by the schema.
    Span,
    /// The file does not exist: `CITATION_UNREADABLE`.
    Missing,
    /// The file has fewer lines: `CITATION_UNREADABLE`.
    OutOfRange {
        /// The number of lines in the file.
        lines_total: u32,
    },
    /// All lines are blank: `CITATION_LOW_INFORMATION`.
    Blank,
    /// A symbolic link of a working tree points out of it: `SYMLINK_ESCAPE`.
    SymlinkEscape,
    /// The file could not be read, or is not text. `why` is the reason: `too_large` and `minified`
    /// are `TOO_LARGE`, `binary` is `BINARY_FILE`, `submodule` is `SUBMODULE`, all others
    /// `UNVERIFIABLE`.
    Unreadable(CodeError),
}

impl Verifier<'_> {
    /// Reads a place at this revision and creates its anchor. `fact` is the statement that the
    /// citation must support. `store_snippet` keeps the text of the lines (up to 8 KiB and 200
    /// lines); otherwise only hashes are kept.
    ///
    /// # Errors
    /// An error if the place cannot be cited.
    pub fn anchor(
        &self,
        place: &LineRange,
        fact: &str,
        store_snippet: bool,
    ) -> Result<MadeAnchor, AnchorError> {
        check_place(place)?;
        let (entry, file) = self.readable(place)?;
        let is_uncommitted = self.is_uncommitted(&place.path, &entry);
        self.anchor_of(place, &entry, &file, (self.at.commit(), is_uncommitted), (fact, store_snippet))
    }

    /// Creates the anchor of a place in a given content of its file that no revision is known to
    /// have. It names no commit.
    ///
    /// # Errors
    /// Errors if the place cannot be cited, or the content cannot be read.
    pub fn anchor_in(&self, blob: ObjectId, place: &LineRange) -> Result<MadeAnchor, AnchorError> {
        check_place(place)?;
        let entry = CodeEntry { kind: EntryKind::File, id: blob, bytes: None };
        let file = self.blob(blob).map_err(AnchorError::Unreadable)?;
        self.anchor_of(place, &entry, &file, (None, false), ("", true))
    }

    /// Returns the object at a path of this revision; `None` if there is none, or if it cannot be
    /// read.
    pub fn blob_at(&self, path: &str) -> Option<ObjectId> {
        self.entry(path).ok().flatten().map(|entry| entry.id)
    }

    fn anchor_of(
        &self,
        place: &LineRange,
        entry: &CodeEntry,
        file: &FileLines,
        (commit, is_uncommitted): (Option<ObjectId>, bool),
        (fact, store_snippet): (&str, bool),
    ) -> Result<MadeAnchor, AnchorError> {
        if place.line_end > file.total() {
            return Err(AnchorError::OutOfRange { lines_total: file.total() });
        }
        let range = file.between(place.line_start, place.line_end);
        if range.is_empty() {
            return Err(AnchorError::Blank);
        }
        let block = Block::new(file, range.start, range.end);
        let anchor = Anchor {
            place: place.clone(),
            commit,
            is_uncommitted,
            blob: entry.id,
            snippet_hash: block.snippet_hash(),
            lines: if store_snippet { kept_lines(block) } else { Vec::new() },
            line_hashes: file.hashes().get(range.clone()).unwrap_or_default().to_vec(),
            context_before: context_before(file, range.start).to_vec(),
            context_after: context_after(file, range.end).to_vec(),
            packed: block.packed(),
            info: block.info(),
            indent_profile: block.indent_profile(),
            symbol: crate::verifier::code_structure::definitions::enclosing(&place.path, file, range.start),
            grounded: grounded(fact, block.lines()),
        };
        Ok(MadeAnchor {
            content: file.raw(place.line_start, place.line_end).to_owned(),
            lines_total: file.total(),
            symlink: entry.kind == EntryKind::Symlink,
            lfs: file.line(0).starts_with("version https://git-lfs.github.com/spec/"),
            generated: self.attributes().is_generated(&place.path),
            anchor,
        })
    }

    /// Returns true if a file exists in the working tree alone, or differs from the checked-out
    /// commit. An unreadable file yields false.
    fn is_uncommitted(&self, path: &str, entry: &CodeEntry) -> bool {
        if !self.at.is_dirty() {
            return false;
        }
        // Before the first commit every file exists in the working tree alone.
        let Some(commit) = self.at.commit() else { return true };
        let before = self.old_entry(commit, path);
        before.is_ok_and(|before| before.is_none_or(|before| before.id != entry.id))
    }

    fn readable(&self, place: &LineRange) -> Result<(CodeEntry, Arc<FileLines>), AnchorError> {
        let entry = self.entry(&place.path).map_err(AnchorError::Unreadable)?;
        if entry.is_none() {
            self.outside_submodules(&place.path).map_err(AnchorError::Unreadable)?;
        }
        let entry = entry.ok_or(AnchorError::Missing)?;
        if entry.kind == EntryKind::Directory {
            return Err(AnchorError::Missing);
        }
        let file = self.lines(&entry).map_err(AnchorError::Unreadable)?;
        if entry.kind == EntryKind::Symlink && self.at.is_dirty() && leaves_root(&place.path, file.line(0)) {
            return Err(AnchorError::SymlinkEscape);
        }
        Ok((entry, file))
    }
}

/// Checks a place without reading anything.
///
/// # Errors
/// An error for a path or range that no file can have.
pub fn check_place(place: &LineRange) -> Result<(), AnchorError> {
    check_path(&place.path).map_err(AnchorError::Path)?;
    if place.line_start == 0 || place.line_end < place.line_start {
        return Err(AnchorError::Range);
    }
    if place.line_end - place.line_start >= SPAN_LINES_MAX {
        return Err(AnchorError::Span);
    }
    Ok(())
}

/// Returns the hashes of up to three lines before, nearest last.
pub(in crate::verifier) fn context_before(file: &FileLines, from: usize) -> &[u64] {
    file.hashes().get(from.saturating_sub(CONTEXT_LINES)..from).unwrap_or_default()
}

/// Returns the hashes of up to three lines after, nearest first.
pub(in crate::verifier) fn context_after(file: &FileLines, to: usize) -> &[u64] {
    file.hashes().get(to..(to + CONTEXT_LINES).min(file.len())).unwrap_or_default()
}

fn kept_lines(block: Block<'_>) -> Vec<String> {
    let bytes: usize = block.lines().map(|line| line.len() + 1).sum();
    if bytes > SNIPPET_BYTES_MAX || block.to - block.from > SNIPPET_LINES_MAX {
        return Vec::new();
    }
    block.lines().map(str::to_owned).collect()
}

/// Returns true if a link at `path` with this target points out of the root.
fn leaves_root(path: &str, target: &str) -> bool {
    let mut depth = path.matches('/').count();
    target.starts_with('/')
        || target.contains(['\\', ':'])
        || target.split('/').any(|part| match part {
            ".." => match depth.checked_sub(1) {
                Some(outer) => {
                    depth = outer;
                    false
                }
                None => true,
            },
            "" | "." => false,
            _ => {
                depth += 1;
                false
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_in_mind_only() {
        for (path, target, expect) in [
            ("a", "b/c", false),
            ("x/y/a", "../../b", false),
            ("a", "../b", true),
            ("x/a", "../../b", true),
            ("x/a", "b/../../../c", true),
            ("a", "/etc/passwd", true),
            ("a", "C:\\x", true),
        ] {
            assert_eq!(leaves_root(path, target), expect, "{path} -> {target}");
        }
    }

    #[test]
    fn impossible_places_are_refused_unread() {
        let place =
            |path: &str, line_start, line_end| LineRange { path: path.to_owned(), line_start, line_end };
        for (place, expect) in [
            (place("a", 1, 1), Ok(())),
            (place("a", 1, 400), Ok(())),
            (place("a", 1, 401), Err(AnchorError::Span)),
            (place("a", 0, 1), Err(AnchorError::Range)),
            (place("a", 2, 1), Err(AnchorError::Range)),
            (place("a", 1, u32::MAX), Err(AnchorError::Span)),
        ] {
            assert_eq!(check_place(&place), expect, "{place:?}");
        }
        assert!(matches!(check_place(&place("../a", 1, 1)), Err(AnchorError::Path(_))));
    }
}
