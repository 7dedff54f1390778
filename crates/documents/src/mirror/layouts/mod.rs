//! The three layouts of a tree in a mirror. Pure: the files for these documents, and the meaning of
//! a file that a person wrote or changed. [`sync_plan`](super::sync_plan) decides which side of a
//! file is right.
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

/// The layout of a mirror's files.
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
    /// The path in the tree.
    pub path: DocumentPath,
    /// The record: it is stable, while the path may change.
    pub record: RecordId,
    /// The kind of the record.
    pub kind: RecordKind,
    /// The content.
    pub content: DocumentContent,
    /// The number of reads.
    pub reads: u64,
}

/// A file to write into the mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaidFile {
    /// The path from the mirror's root.
    pub path: String,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The record of the document; `None` for a file that is generated from several.
    pub record: Option<RecordId>,
}

/// The state that a layout keeps between syncs: assigned names, so that they stay, and people's
/// text outside of documents.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LayoutState {
    /// The file name of each record that has one.
    pub names: BTreeMap<RecordId, String>,
    /// The text above the generated part of an index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preface: Option<String>,
}

/// The environment of a file that is read.
#[derive(Debug, Clone, Copy)]
pub struct LayoutContext<'a> {
    /// The documents of the tree.
    pub documents: &'a [LaidDocument],
    /// The layout's state.
    pub state: &'a LayoutState,
    /// The files of the mirror.
    pub files: &'a BTreeSet<String>,
}

impl LayoutContext<'static> {
    /// Returns an empty environment.
    pub fn nothing() -> Self {
        static STATE: LayoutState = LayoutState { names: BTreeMap::new(), preface: None };
        static FILES: BTreeSet<String> = BTreeSet::new();
        Self { documents: &[], state: &STATE, files: &FILES }
    }
}

/// The meaning of a file that a person wrote or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileMeaning {
    /// The file of a document.
    Document {
        /// The path in the tree: of the file's document, or of the one to create.
        path: DocumentPath,
        /// The content.
        content: Box<DocumentContent>,
        /// The warnings about the content, which is kept nevertheless.
        warnings: Vec<String>,
    },
    /// Lines of a document at another path; the file is removed when they are added there.
    Lines {
        /// The path of that document in the tree.
        into: DocumentPath,
        /// The lines, which it may have already.
        lines: Vec<String>,
    },
    /// A generated file: its new documents, and the text that is kept above.
    Index {
        /// The documents to create.
        new: Vec<(DocumentPath, DocumentContent)>,
        /// The text above the generated part.
        preface: Option<String>,
    },
    /// The file may not be written here: it is restored, or left alone if it never was Loci's.
    Refused {
        /// The rule, and the remedy.
        why: String,
    },
}

impl Layout {
    /// Returns the name in configurations.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::StrandsFlat => "strands-flat",
            Self::ClaudeMemory => "claude-memory",
        }
    }

    /// Returns the layout with a name; `None` if there is none.
    pub fn named(word: &str) -> Option<Self> {
        Self::all().iter().copied().find(|layout| layout.as_str() == word)
    }

    /// Returns all layouts.
    pub const fn all() -> &'static [Self] {
        &[Self::Native, Self::StrandsFlat, Self::ClaudeMemory]
    }

    /// True for a file that is generated from others: it is read after them.
    pub fn is_index(self, path: &str) -> bool {
        match self {
            Self::Native | Self::StrandsFlat => false,
            Self::ClaudeMemory => path == claude_memory::INDEX,
        }
    }

    /// Returns every file of the mirror, by path, and the new state. Equal documents and state
    /// always give equal bytes.
    pub fn render(self, documents: &[LaidDocument], state: &LayoutState) -> (Vec<LaidFile>, LayoutState) {
        match self {
            Self::Native => native::render(documents),
            Self::StrandsFlat => strands_flat::render(documents, state),
            Self::ClaudeMemory => claude_memory::render(documents, state),
        }
    }

    /// Returns the bytes of one document's file.
    pub fn file_of(self, document: &LaidDocument) -> Vec<u8> {
        let file = match self {
            Self::Native => document.content.file(),
            Self::StrandsFlat => headings::headed(&document.content),
            Self::ClaudeMemory => claude_memory::file_of(document),
        };
        file.into_bytes()
    }

    /// Interprets a file of the mirror that differs from the tree.
    ///
    /// `file` is valid UTF-8; `known` is the document of the file.
    pub fn read(
        self,
        path: &str,
        file: &str,
        known: Option<&LaidDocument>,
        around: &LayoutContext<'_>,
    ) -> FileMeaning {
        match self {
            Self::Native => native::read(path, file, known),
            Self::StrandsFlat => strands_flat::read(path, file, known, around.documents),
            Self::ClaudeMemory => claude_memory::read(path, file, known, around),
        }
    }
}
