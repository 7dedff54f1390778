//! Citations of code: places, and the anchors that locate them again. This module reads no files.

use serde::{Deserialize, Serialize};

use crate::facts::code::ObjectId;

/// A line range of a file: 1-based, both ends included.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct LineRange {
    /// Path from the root, `/` between segments.
    pub path: String,
    /// Number of the first line, from 1.
    pub line_start: u32,
    /// Number of the last line, which is included; not less than `line_start`.
    pub line_end: u32,
}

/// A citation from a caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitationInput {
    /// The path and the line numbers of the cited lines.
    pub place: LineRange,
    /// The id of the commit at which the caller read the cited lines: 7 to 64 hex digits.
    pub sha: Option<String>,
    /// The digest of the cited lines that the caller computed or received earlier.
    pub snippet_hash: Option<String>,
}

/// The stored properties of cited lines, for finding them again. Computed from the code when the
/// citation is stored, and never changed.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    /// The path and the line numbers as cited.
    pub place: LineRange,
    /// The commit that was read; `None` for a worktree without a commit.
    pub commit: Option<ObjectId>,
    /// True if the lines were read from a worktree whose file differs from that of the commit, so
    /// the commit does not contain them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_uncommitted: bool,
    /// The blob of the file at that commit.
    pub blob: ObjectId,
    /// The digest of the cited lines: `vm1:` and 32 hex digits.
    pub snippet_hash: String,
    /// The normalised lines without blank ones; empty if only hashes are stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// A 64-bit hash of each normalised line.
    pub line_hashes: Vec<u64>,
    /// Hashes of up to three normalised lines before, nearest last.
    pub context_before: Vec<u64>,
    /// Hashes of up to three normalised lines after, nearest first.
    pub context_after: Vec<u64>,
    /// The hash of the block's text without white space, and its length in bytes. It identifies
    /// re-wrapped lines.
    pub packed: (u64, u32),
    /// Number of identifier-like words in the block.
    pub info: u32,
    /// Hash of the relative indents of the lines.
    pub indent_profile: u64,
    /// The name of the definition (function, type) that encloses the cited lines, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Words of the fact that occur in the block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grounded: Vec<String>,
}

impl std::fmt::Debug for Anchor {
    /// Code is sensitive, so only the identifying fields are shown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Anchor")
            .field("place", &self.place)
            .field("commit", &self.commit)
            .field("snippet_hash", &self.snippet_hash)
            .finish_non_exhaustive()
    }
}

/// A stored citation: its anchor, and the later places of the code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Citation {
    /// The anchor of the cited lines.
    pub anchor: Anchor,
    /// The current lines on the default branch and the commit at which they were found; `None` if
    /// the code did not move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<(LineRange, ObjectId)>,
    /// Other paths that the code had in between.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_paths: Vec<String>,
}
