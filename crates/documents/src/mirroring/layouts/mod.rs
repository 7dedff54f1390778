//! The three ways in which a tree lies in a mirror. Pure: what files there are to be for these
//! documents, and what a file that somebody wrote or changed means for them. Which side of a file
//! is right is [`sync_plan`](super::sync_plan)'s matter.
//!
//! A layout is one file here and one line in [`Layout`].

mod claude_memory;
mod headings;
mod names;
mod native;
mod strands_flat;

use std::collections::{BTreeMap, BTreeSet};

use loci_engine::document_text::{DocumentContent, DocumentPath};
use loci_model::RecordId;
use loci_model::record::RecordKind;
use serde::{Deserialize, Serialize};

/// How a mirror's files are laid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// The paths of the tree, with frontmatter.
    #[default]
    Native,
    /// Files of a stock Strands file store.
    StrandsFlat,
    /// Files of a coding agent's own memory.
    ClaudeMemory,
}

/// A document of the tree.
#[derive(Debug, Clone)]
pub struct LaidDocument {
    /// Where it lies in the tree.
    pub path: DocumentPath,
    /// Its record: stable, whatever its path.
    pub record: RecordId,
    /// What the record is.
    pub kind: RecordKind,
    /// What it says.
    pub content: DocumentContent,
    /// How often it was read.
    pub reads: u64,
}

/// A file as it is to lie in the mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaidFile {
    /// Where, from the mirror's root.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whose it is; `None`: it is made of several, and nobody's.
    pub record: Option<RecordId>,
}

/// What a layout remembers between syncs: names that were given, so that they stay, and what people wrote that is no document's.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LaidState {
    /// The file of each record that got one.
    pub names: BTreeMap<RecordId, String>,
    /// Text above what is generated in an index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preface: Option<String>,
}

/// What lies around a file that is read.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// The documents of the tree.
    pub documents: &'a [LaidDocument],
    /// What the layout remembers.
    pub state: &'a LaidState,
    /// The files of the mirror.
    pub files: &'a BTreeSet<String>,
}

impl Around<'static> {
    /// A file by itself.
    pub fn nothing() -> Self {
        static STATE: LaidState = LaidState { names: BTreeMap::new(), preface: None };
        static FILES: BTreeSet<String> = BTreeSet::new();
        Self { documents: &[], state: &STATE, files: &FILES }
    }
}

/// What a file that somebody wrote or changed means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileMeaning {
    /// It is a document's.
    Document {
        /// Where that lies in the tree: the one whose file it is, or the one that is to be made.
        path: DocumentPath,
        /// What it says.
        content: Box<DocumentContent>,
        /// What was odd about it: it is kept all the same.
        warnings: Vec<String>,
    },
    /// Its lines belong to a document that lies elsewhere; the file goes when they are there.
    Lines {
        /// Where that document lies in the tree.
        into: DocumentPath,
        /// Lines that it may have already.
        lines: Vec<String>,
    },
    /// It is generated: what is in it of new documents, and the text that is kept above.
    Index {
        /// Documents to be made.
        new: Vec<(DocumentPath, DocumentContent)>,
        /// Text above what is generated.
        preface: Option<String>,
    },
    /// It may not be written here: it is restored, or left where it never was ours.
    Refused {
        /// The rule, and what to do instead.
        why: String,
    },
}

impl Layout {
    /// The word for it in configurations.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::StrandsFlat => "strands-flat",
            Self::ClaudeMemory => "claude-memory",
        }
    }

    /// Returns the layout of a word; `None` where no layout has it.
    pub fn named(word: &str) -> Option<Self> {
        Self::all().iter().copied().find(|layout| layout.as_str() == word)
    }

    /// All of them.
    pub const fn all() -> &'static [Self] {
        &[Self::Native, Self::StrandsFlat, Self::ClaudeMemory]
    }

    /// True for a file that is made of others: it is read behind them.
    pub fn is_index(self, path: &str) -> bool {
        match self {
            Self::Native | Self::StrandsFlat => false,
            Self::ClaudeMemory => path == claude_memory::INDEX,
        }
    }

    /// Every file of the mirror, by path, and the state to remember with them. The same documents and state give the same bytes for ever.
    pub fn render(self, documents: &[LaidDocument], state: &LaidState) -> (Vec<LaidFile>, LaidState) {
        match self {
            Self::Native => native::render(documents),
            Self::StrandsFlat => strands_flat::render(documents, state),
            Self::ClaudeMemory => claude_memory::render(documents, state),
        }
    }

    /// The bytes of one document's file.
    pub fn file_of(self, document: &LaidDocument) -> Vec<u8> {
        let file = match self {
            Self::Native => document.content.file(),
            Self::StrandsFlat => headings::headed(&document.content),
            Self::ClaudeMemory => claude_memory::file_of(document),
        };
        file.into_bytes()
    }

    /// What a file means that lies in the mirror and that the tree does not have so.
    ///
    /// `file` is valid UTF-8 already; `known` is the document whose file it is.
    pub fn read(
        self,
        path: &str,
        file: &str,
        known: Option<&LaidDocument>,
        around: &Around<'_>,
    ) -> FileMeaning {
        match self {
            Self::Native => native::read(path, file, known),
            Self::StrandsFlat => strands_flat::read(path, file, known, around.documents),
            Self::ClaudeMemory => claude_memory::read(path, file, known, around),
        }
    }
}
