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

/// Query parameters of a change to a document: the tree, and the preconditions.
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

/// The parts of a document to write, as JSON. A request body with another content type is the file
/// itself.
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
    /// Part of a project that the document applies to, such as a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// True to protect the document from pruning and to list it before others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// Priority. A document with a greater value is listed first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i64>,
    /// Reason for the change, at most 500 characters; stored with the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A document to write without a path. The server updates the document with the same title, or
/// creates one at a path derived from the title.
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
    /// Part of a project that the document applies to, such as a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Reason for the change, at most 500 characters; stored with the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A document of a tree, with its record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FileDocument {
    /// Path of the document.
    pub path: String,
    /// Path of the request, if the document has moved to `path` since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirected_from: Option<String>,
    /// Id of the record that contains the document.
    pub record: String,
    /// Kind of the record, such as `document` or `fact`.
    pub kind: String,
    /// Version of the record.
    pub version: u32,
    /// Origin of the path: `given` by the author, or `derived` from title and text.
    pub path_origin: String,
    /// Title of the document; absent if its author specified none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Description of the document in one line, for listings.
    pub description: String,
    /// True if an author wrote the description, false if the server derived it from the text.
    pub described: bool,
    /// Part of a project that the document applies to; absent if it applies to the whole project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Text of the document.
    pub body: String,
    /// True if the file consists of the text only, without frontmatter.
    pub raw: bool,
    /// True if the document is protected from pruning and listed before others.
    pub pinned: bool,
    /// Priority. A document with a greater value is listed first.
    pub priority: i64,
    /// Entity tag of the file, quoted, for `If-Match`.
    pub etag: String,
    /// SHA-256 digest of the text.
    pub content_sha256: String,
    /// Size of the text in bytes.
    pub bytes: u64,
    /// Trust tier of the document's source, such as `agent` or `confirmed`.
    pub trust: String,
    /// Time at which the document expires; absent if it does not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Time at which the document was created.
    pub created_at: String,
    /// Time of the last change of the document.
    pub updated_at: String,
}

/// The result of writing a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DocumentWritten {
    /// Path of the document; absent if the document is no longer in the tree, for example because
    /// it was quarantined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Id of the record that contains the document.
    pub record: String,
    /// Version of the record.
    pub version: u32,
    /// Operation that the request performed, such as `create` or `update`; absent if the content
    /// did not change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Entity tag of the file, quoted; absent if the document is no longer in the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// SHA-256 digest of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_sha256: Option<String>,
    /// Size of the text in bytes.
    pub bytes: u64,
    /// State of the record. A text that looks like instructions may be quarantined.
    pub state: String,
    /// Number of lines that the request appended; absent for other requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<u64>,
    /// Time of the last change of the document.
    pub updated_at: String,
    /// Warnings about the written document.
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
    /// Entity tag that the current file must have. If it differs, the request fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_match: Option<String>,
    /// Reason for the change, at most 500 characters; stored with the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

fn yes() -> bool {
    true
}

/// An edit of the current text of a document.
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
    /// Entity tag that the current file must have. If it differs, the request fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_match: Option<String>,
    /// Reason for the change, at most 500 characters; stored with the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A request to move a document to another path. Requests for the old path still find the document
/// until another document has this path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentMove {
    /// Namespace of the tree. Default: `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Current path of the document.
    pub from: String,
    /// New path of the document.
    pub to: String,
    /// Entity tag that the current file must have. If it differs, the request fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_match: Option<String>,
    /// Reason for the change, at most 500 characters; stored with the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A request to remove the content of versions of a record for good. The request contains either
/// `versions`, or `match` for all versions that contain a text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RedactionAsk {
    /// Id of the record.
    pub record: String,
    /// Numbers of the versions to redact.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<u32>,
    /// Text of at least 4 characters. The server redacts every version that contains it.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matching: Option<String>,
    /// Reason for the redaction, 1 to 500 characters; stored permanently.
    pub reason: String,
}

/// The result of removing the content of versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Redaction {
    /// Id of the record.
    pub record: String,
    /// Numbers of the versions whose content was removed.
    pub versions: Vec<u32>,
    /// Number of the new current version, if the redaction removed the content of the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_version: Option<u32>,
    /// Locations from which the content was removed, such as the history and mirrors.
    pub places: Vec<String>,
    /// Locations of copies that the server cannot reach, such as backups. They still contain the
    /// content.
    pub unreachable: Vec<String>,
}
