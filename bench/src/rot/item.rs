//! Items: blocks of lines at the first revision, and the classes that the tracer gives them. Shapes only.

use serde::Serialize;

/// A block of lines as it stood at the first revision.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) path: String,
    /// 1-based.
    pub(super) start: u32,
    /// Bytes of each line, without line feeds.
    pub(super) lines: Vec<Vec<u8>>,
    /// Words in it.
    pub(super) words: usize,
    pub(super) stratum: Stratum,
}

impl Item {
    /// The last line, 1-based.
    pub(super) fn end(&self) -> u32 {
        self.start + u32::try_from(self.lines.len()).unwrap_or(1).saturating_sub(1)
    }
}

/// What kind of text a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stratum {
    /// Fewer than four words.
    LowInformation,
    Tests,
    ConfigAndDocs,
    /// Its first line defines something.
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

/// What became of a block.
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

    /// Whether the block is there; `None` for what is scored apart or dropped.
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

/// What the tracer says of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) class: Class,
    /// Its file has another path now.
    pub(super) renamed: bool,
    /// Every line is there byte for byte: what a second opinion can be asked about.
    pub(super) all_alive: bool,
    /// Where it is now, if anywhere.
    pub(super) at: Option<(String, u32, u32)>,
}
