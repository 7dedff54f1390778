//! Documents of a tree: records seen as files. What is asked about the tree as a whole is `tree`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Which tree, and how a document is read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DocumentAsk {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// `1` or `true`: the bytes of the file, with what stands in its head.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
}

/// Which tree, and under which circumstances a document is changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DocumentChange {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// `1` or `true`: whatever is there, in place of `If-Match` or `If-None-Match: *`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<String>,
    /// `1` or `true`: a body that is no JSON is the text as it is, even where it begins with a head.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// Why; at most 500 characters, kept with the version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A document in parts. A body of another content type than JSON is the file itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentPut {
    /// The text.
    pub body: String,
    /// A title, of at most 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A description in one line, of at most 160 characters; made of the text where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// To what it applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Kept and shown before others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// The greater is shown first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i64>,
    /// Why; at most 500 characters, kept with the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A document without a path: it gets one by its title, or comes to the document of the same title.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentAdd {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The text.
    pub body: String,
    /// A title, of at most 200 characters; else the first heading of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A description in one line, of at most 160 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// To what it applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Why; at most 500 characters, kept with the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FileDocument {
    /// Where it lies.
    pub path: String,
    /// The path that was asked for, where the document lies elsewhere by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirected_from: Option<String>,
    /// The record.
    pub record: String,
    /// What the record is.
    pub kind: String,
    /// Its version.
    pub version: u32,
    /// `given`, or `derived` where the path was made of title and text.
    pub path_origin: String,
    /// Its title, where it was given one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What a listing says of it.
    pub description: String,
    /// Somebody wrote the description: it is not made of the text.
    pub described: bool,
    /// To what it applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Its text.
    pub body: String,
    /// The file is the text: it has no head.
    pub raw: bool,
    /// Kept and shown before others.
    pub pinned: bool,
    /// The greater is shown first.
    pub priority: i64,
    /// Entity tag of the file, quoted, for `If-Match`.
    pub etag: String,
    /// SHA-256 of the text.
    pub content_sha256: String,
    /// Bytes of the text.
    pub bytes: u64,
    /// How far it is trusted.
    pub trust: String,
    /// When it vanishes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// When it was made.
    pub created_at: String,
    /// When it changed last.
    pub updated_at: String,
}

/// What became of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DocumentWritten {
    /// Where it lies; absent where it lies in the tree no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The record.
    pub record: String,
    /// Its version.
    pub version: u32,
    /// What was done; absent where it said the same before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Entity tag of the file, quoted; absent where it lies in the tree no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// SHA-256 of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_sha256: Option<String>,
    /// Bytes of the text.
    pub bytes: u64,
    /// Where the record stands: what looks like instructions may be held back.
    pub state: String,
    /// Lines that were added, where lines were to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<u64>,
    /// When it changed last.
    pub updated_at: String,
    /// What is to be known beside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Lines to be added to a document; those that it has already are not added again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentAppend {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The document's path; this or `title`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The document's title; this or `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The lines.
    pub lines: Vec<String>,
    /// Where there is none, one is made; so it is where the member is absent.
    #[serde(default = "yes")]
    pub if_absent_create: bool,
    /// Only to the file with this entity tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_match: Option<String>,
    /// Why; at most 500 characters, kept with the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

fn yes() -> bool {
    true
}

/// An edit of a document, told by what is there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentEdit {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The document.
    pub path: String,
    /// `append`, `prepend`, `replace`, `insert`, `replace_section`, `insert_before_section` or `insert_after_section`.
    pub op: String,
    /// What comes: of every operation but `replace`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What goes, of `replace`: it must stand in the document once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// What comes in its place, of `replace`; nothing where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// Lines before it, of `insert`; 0: at the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The heading, of operations on sections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// Only of the file with this entity tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_match: Option<String>,
    /// Why; at most 500 characters, kept with the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A document to be moved; its old path leads to it until another takes that.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentMove {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Where it lies.
    pub from: String,
    /// Where it shall lie.
    pub to: String,
    /// Only the file with this entity tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_match: Option<String>,
    /// Why; at most 500 characters, kept with the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Versions of a record to be taken out: `versions`, or all that hold `match`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RedactionAsk {
    /// The record.
    pub record: String,
    /// These versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<u32>,
    /// Every version that holds this text, of at least 4 characters.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matching: Option<String>,
    /// Why; it stays on record, 1 to 500 characters.
    pub reason: String,
}

/// What was taken out, and what could not be reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Redaction {
    /// The record.
    pub record: String,
    /// The versions that say nothing any more.
    pub versions: Vec<u32>,
    /// The version that took the current one's place, where that was among them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_version: Option<u32>,
    /// Places that were cleaned.
    pub places: Vec<String>,
    /// Places that cannot be reached from here.
    pub unreachable: Vec<String>,
}
