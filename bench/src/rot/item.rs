//! The types of items and labels. Items are blocks of lines at the first revision; the tracer gives
//! them their classes.

use serde::Serialize;

/// A block of lines at the first revision.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) path: String,
    /// The first line, 1-based.
    pub(super) start: u32,
    /// The bytes of each line, without line feeds.
    pub(super) lines: Vec<Vec<u8>>,
    /// The number of words in the block.
    pub(super) words: usize,
    pub(super) stratum: Stratum,
}

impl Item {
    /// Returns the last line, 1-based.
    pub(super) fn end(&self) -> u32 {
        self.start + u32::try_from(self.lines.len()).unwrap_or(1).saturating_sub(1)
    }
}

/// The kind of text of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stratum {
    /// Fewer than four words.
    LowInformation,
    Tests,
    ConfigAndDocs,
    /// The first line defines something.
    Definitions,
    Code,
}

impl Stratum {
    pub(super) const ALL: [Self; 5] =
        [Self::Code, Self::Definitions, Self::ConfigAndDocs, Self::LowInformation, Self::Tests];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::LowInformation => "low information",
            Self::Tests => "tests",
            Self::ConfigAndDocs => "config and docs",
            Self::Definitions => "definition lines",
            Self::Code => "code",
        }
    }
}

/// The fate of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum Class {
    Unchanged,
    Shifted,
    Renamed,
    Reformatted,
    Relocated,
    Edited,
    Rewritten,
    Deleted,
    FileDeleted,
    Split,
    ShortCopy,
    Trackerr,
}

impl Class {
    pub(super) const ALL: [Self; 12] = [
        Self::Unchanged,
        Self::Shifted,
        Self::Renamed,
        Self::Reformatted,
        Self::Relocated,
        Self::Edited,
        Self::Rewritten,
        Self::Deleted,
        Self::FileDeleted,
        Self::Split,
        Self::ShortCopy,
        Self::Trackerr,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Unchanged => "UNCHANGED",
            Self::Shifted => "SHIFTED",
            Self::Renamed => "RENAMED",
            Self::Reformatted => "REFORMATTED",
            Self::Relocated => "RELOCATED",
            Self::Edited => "EDITED",
            Self::Rewritten => "REWRITTEN",
            Self::Deleted => "DELETED",
            Self::FileDeleted => "FILE_DELETED",
            Self::Split => "SPLIT",
            Self::ShortCopy => "SHORT_COPY",
            Self::Trackerr => "TRACKERR",
        }
    }

    /// Returns true if the block is present at the second revision, and `None` for classes that are
    /// scored separately or dropped.
    pub(super) fn present(self) -> Option<bool> {
        match self {
            Self::Unchanged | Self::Shifted | Self::Renamed | Self::Reformatted | Self::Relocated => {
                Some(true)
            }
            Self::Edited | Self::Rewritten | Self::Deleted | Self::FileDeleted => Some(false),
            Self::Split | Self::ShortCopy | Self::Trackerr => None,
        }
    }
}

/// The tracer's result for an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) class: Class,
    /// True if its file has another path now.
    pub(super) renamed: bool,
    /// True if every line exists byte for byte. The second opinion checks this.
    pub(super) all_alive: bool,
    /// The current path, first line and last line, if it exists.
    pub(super) at: Option<(String, u32, u32)>,
}
