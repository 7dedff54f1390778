//! Citations of code: places, and the anchors by which they are found again. No file is read here.

use serde::{Deserialize, Serialize};

use crate::facts::code::ObjectId;

/// Lines of a file: 1-based, both ends included.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Place {
    /// Path from the root, `/` between segments.
    pub path: String,
    /// First line.
    pub line_start: u32,
    /// Last line, not before the first.
    pub line_end: u32,
}

/// A citation as a caller gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitationInput {
    /// Where.
    pub place: Place,
    /// The commit at which the caller read it: 7 to 64 hex digits.
    pub sha: Option<String>,
    /// The caller's hash of the lines.
    pub snippet_hash: Option<String>,
}

/// What is kept of cited lines, to find them again. Made from the code itself when the citation is stored; never changed.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    /// As cited.
    pub place: Place,
    /// The commit that was read; `None` for what was read from a worktree that stands on none.
    pub commit: Option<ObjectId>,
    /// The lines were read from a worktree whose file is not that of the commit: nobody finds them there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_uncommitted: bool,
    /// The file's object there.
    pub blob: ObjectId,
    /// `vm1:` and 32 hex digits.
    pub snippet_hash: String,
    /// The normalised lines, blank ones left out; empty where only hashes are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// A 64-bit hash of each normalised line.
    pub line_hashes: Vec<u64>,
    /// Hashes of up to three normalised lines before, nearest last.
    pub context_before: Vec<u64>,
    /// Hashes of up to three normalised lines after, nearest first.
    pub context_after: Vec<u64>,
    /// Hash of the block's text without white space, and its length in bytes: re-wrapped lines are told by it.
    pub packed: (u64, u32),
    /// Identifier-like words in the block.
    pub info: u32,
    /// Hash of relative indents per line.
    pub indent_profile: u64,
    /// The definition around it, where one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Words of the fact that occur in the block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grounded: Vec<String>,
}

impl std::fmt::Debug for Anchor {
    /// Code is sensitive: only what identifies it is shown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Anchor")
            .field("place", &self.place)
            .field("commit", &self.commit)
            .field("snippet_hash", &self.snippet_hash)
            .finish_non_exhaustive()
    }
}

/// A citation as it is kept: its anchor, and where the code has gone since.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Citation {
    /// What was cited.
    pub anchor: Anchor,
    /// Where it is now on the default branch, if elsewhere, and at which commit that was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<(Place, ObjectId)>,
    /// Other paths it had in between.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_paths: Vec<String>,
}
