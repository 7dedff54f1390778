//! Documents of a tree: records in the form of files. Requests about whole trees are in `tree`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request to read a document.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DocumentAsk {
    /// Namespace of the tree. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// `1` or `true` to return the bytes of the file, including its frontmatter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
}

/// Query parameters of a change to a document: its tree, and the preconditions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DocumentChange {
    /// Namespace of the tree. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// `1` or `true` to change the document regardless of its current version, in place of
    /// `If-Match` or `If-None-Match: *`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<String>,
    /// `1` or `true` to store a body that is not JSON as plain text, even if it begins with
    /// frontmatter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// Reason for the change, at most 500 characters; stored with the version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A document in parts. A body with a content type other than JSON is the file itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentPut {
    /// Text of the document.
    pub body: String,
    /// Title, at most 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Description in one line, at most 160 characters. Default: derived from the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Scope that the document applies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// True to keep the document and to list it before others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// Priority. A document with a greater value is listed first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i64>,
    /// Reason for the change, at most 500 characters; stored with the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A document without a path. The server derives the path from the title, or updates the document
/// with the same title.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentAdd {
    /// Namespace of the tree. Default: `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Text of the document.
    pub body: String,
    /// Title, at most 200 characters. Default: the first heading of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Description in one line, at most 160 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Scope that the document applies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Reason for the change, at most 500 characters; stored with the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FileDocument {
    /// Path of the document.
    pub path: String,
    /// Requested path, if the document has moved since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirected_from: Option<String>,
    /// Id of the record.
    pub record: String,
    /// Kind of the record.
    pub kind: String,
    /// Version of the record.
    pub version: u32,
    /// `given`, or `derived` if the path was derived from title and text.
    pub path_origin: String,
    /// Title, if it was specified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Description that listings show.
    pub description: String,
    /// True if the description was written by an author, not derived from the text.
    pub described: bool,
    /// Scope that the document applies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Text of the document.
    pub body: String,
    /// True if the file consists of the text only, without frontmatter.
    pub raw: bool,
    /// True if the document is kept and listed before others.
    pub pinned: bool,
    /// Priority. A document with a greater value is listed first.
    pub priority: i64,
    /// Entity tag of the file, quoted, for `If-Match`.
    pub etag: String,
    /// SHA-256 of the text.
    pub content_sha256: String,
    /// Size of the text in bytes.
    pub bytes: u64,
    /// Trust tier of the document.
    pub trust: String,
    /// Time at which the document expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Time of creation.
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
}

/// The result of writing a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DocumentWritten {
    /// Path of the document; absent if the document is no longer in the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Id of the record.
    pub record: String,
    /// Version of the record.
    pub version: u32,
    /// Operation that was performed; absent if the content did not change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Entity tag of the file, quoted; absent if the document is no longer in the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// SHA-256 of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_sha256: Option<String>,
    /// Size of the text in bytes.
    pub bytes: u64,
    /// State of the record. A text that looks like instructions may be quarantined.
    pub state: String,
    /// Number of added lines, for a request that adds lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<u64>,
    /// Time of the last change.
    pub updated_at: String,
    /// Warnings about the write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A request to append lines to a document. The server skips lines that the document already
/// contains.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentAppend {
    /// Namespace of the tree. Default: `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Path of the document. Either `path` or `title` is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Title of the document. Either `path` or `title` is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Lines to append.
    pub lines: Vec<String>,
    /// True to create the document if it does not exist. Default: true.
    #[serde(default = "yes")]
    pub if_absent_create: bool,
    /// Entity tag that the file must have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_match: Option<String>,
    /// Reason for the change, at most 500 characters; stored with the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

fn yes() -> bool {
    true
}

/// An edit of a document, relative to its current text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentEdit {
    /// Namespace of the tree. Default: `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Path of the document.
    pub path: String,
    /// Operation: `append`, `prepend`, `replace`, `insert`, `replace_section`,
    /// `insert_before_section` or `insert_after_section`.
    pub op: String,
    /// Text to insert, for every operation except `replace`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Text to replace, for `replace`. The document must contain it exactly once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// Replacement text, for `replace`. Default: an empty text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// Number of lines before the insertion, for `insert`. 0 means the top of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Heading of the section, for operations on sections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// Entity tag that the file must have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_match: Option<String>,
    /// Reason for the change, at most 500 characters; stored with the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A request to move a document. The old path leads to the document until another document takes
/// the path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentMove {
    /// Namespace of the tree. Default: `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Current path.
    pub from: String,
    /// New path.
    pub to: String,
    /// Entity tag that the file must have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_match: Option<String>,
    /// Reason for the change, at most 500 characters; stored with the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A request to redact versions of a record: either `versions`, or all versions that contain
/// `match`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RedactionAsk {
    /// Id of the record.
    pub record: String,
    /// Versions to redact.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<u32>,
    /// Text of at least 4 characters. The server redacts every version that contains it.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matching: Option<String>,
    /// Reason for the redaction, 1 to 500 characters; stored permanently.
    pub reason: String,
}

/// The result of a redaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Redaction {
    /// Id of the record.
    pub record: String,
    /// Redacted versions.
    pub versions: Vec<u32>,
    /// Version that replaced the current one, if the current one was redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_version: Option<u32>,
    /// Locations from which the content was removed.
    pub places: Vec<String>,
    /// Locations that the server cannot reach.
    pub unreachable: Vec<String>,
}
