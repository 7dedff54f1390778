//! The three layouts of a tree in a mirror. Pure: a layout computes the files for documents, and
//! interprets a file that a person wrote or changed. [`sync_plan`](super::sync_plan) decides which
//! side of a file wins.
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
    /// Files at the paths of the tree, with frontmatter.
    #[default]
    Native,
    /// Files as Strands' file store writes them.
    StrandsFlat,
    /// Files as a coding agent's own memory has them.
    ClaudeMemory,
}

/// A document of the tree, as the input of a layout.
#[derive(Debug, Clone)]
pub struct LaidDocument {
    /// The path of the document in the tree.
    pub path: DocumentPath,
    /// The record of the document. It stays the same when the path changes.
    pub record: RecordId,
    /// The kind of the record.
    pub kind: RecordKind,
    /// The content of the document.
    pub content: DocumentContent,
    /// The number of times that the document was read.
    pub reads: u64,
}

/// A file that a layout makes for a mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaidFile {
    /// The path of the file from the root of the mirror.
    pub path: String,
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// The record of the file's document. `None` for a file generated from several documents.
    pub record: Option<RecordId>,
}

/// The state that a layout keeps between syncs: file names, so that they stay the same, and text of
/// people outside of documents.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LayoutState {
    /// The file name of each record, if the layout assigns names.
    pub names: BTreeMap<RecordId, String>,
    /// The text that a person wrote above the generated part of an index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preface: Option<String>,
}

/// The information that a layout needs to interpret a file.
#[derive(Debug, Clone, Copy)]
pub struct LayoutContext<'a> {
    /// The documents of the tree.
    pub documents: &'a [LaidDocument],
    /// The state of the layout.
    pub state: &'a LayoutState,
    /// The paths of all files in the mirror.
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

/// The interpretation of a file that a person wrote or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileMeaning {
    /// The file is that of a document.
    Document {
        /// The path of the document in the tree, existing or to be created.
        path: DocumentPath,
        /// The content of the document.
        content: Box<DocumentContent>,
        /// The warnings about the content, which is imported nevertheless.
        warnings: Vec<String>,
    },
    /// The file contains lines of a document at another path. The file is removed after they are
    /// added there.
    Lines {
        /// The path of that document in the tree.
        into: DocumentPath,
        /// The lines to add, unless the document already has them.
        lines: Vec<String>,
    },
    /// The file is generated from others. A person added documents or text to it.
    Index {
        /// The documents to create from added lines.
        new: Vec<(DocumentPath, DocumentContent)>,
        /// The text above the generated part, which is kept.
        preface: Option<String>,
    },
    /// The file is not permitted here. It is restored, or left alone if Loci never wrote it.
    Refused {
        /// The rule that forbids the file, and what a person can do.
        why: String,
    },
}

impl Layout {
    /// Returns the name of the layout in the configuration.
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
