//! Trees of documents: contents, listings for models, history, snapshots and diffs.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request to list a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TreeQuery {
    /// Namespace of the tree. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Path of the directory to list. Default: the whole tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Maximum number of path segments below `prefix`. For deeper documents, the response contains
    /// their directory in place of the documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Maximum number of entries per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of a tree's documents and directories, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TreePage {
    /// Documents and directories of the tree.
    pub entries: Vec<TreeItem>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A document, or a directory below the requested depth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TreeItem {
    /// `file` or `directory`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Path of the document or directory. The path of a directory does not end with a slash.
    pub path: String,
    /// Size of the document's text in bytes; for a directory, the sum over all documents below it.
    pub bytes: u64,
    /// Number of documents below the directory; absent for a document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// Description of the document in one line; absent for a directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Title of the document, or the first heading of its text; absent for a directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Entity tag of the document's file, quoted; absent for a directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// Id of the record that contains the document; absent for a directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// Version of the record; absent for a directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// Time of the last change of the document; absent for a directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

/// A request for a listing of a tree as a text that a model reads.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ListingQuery {
    /// Namespace of the tree. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Path of the directory to list. Default: the whole tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Maximum number of tokens of the text. Default: 1,500.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u32>,
    /// `json`, or `text` for the plain text only. Default: `json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

/// A listing of a tree as a text. The bytes of the text stay the same until a document changes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TreeListing {
    /// Text as a model reads it; empty if there are no documents.
    pub text: String,
    /// Entity tag of the text, quoted.
    pub etag: String,
    /// Estimated number of tokens of the text.
    pub tokens: u32,
    /// Version of the instruction at the beginning of the text.
    pub listing_version: u32,
    /// Lines of the listing, as data.
    pub entries: Vec<ListedItem>,
    /// Number of lines that the listing would have without a budget.
    pub entries_total: u64,
    /// Number of documents in the tree.
    pub files_total: u64,
}

/// A line of a listing: a document, or a directory with several documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ListedItem {
    /// `file` or `directory`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Path of the document or directory.
    pub path: String,
    /// Description of the document or directory in one line.
    pub description: String,
    /// Number of documents below a directory whose documents are not listed; absent for a document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
}

/// A request for the documents below `knowledge/system/`, which are loaded with every prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SystemQuery {
    /// Namespace of the tree. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Maximum number of tokens of the text. Default: 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u32>,
}

/// The complete documents below `knowledge/system/`, which are loaded with every prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct SystemListing {
    /// Text as a model reads it; empty if there are no documents.
    pub text: String,
    /// Entity tag of the text, quoted.
    pub etag: String,
    /// Estimated number of tokens of the text.
    pub tokens: u32,
    /// Paths of the documents in the text.
    pub paths: Vec<String>,
    /// Documents that the text omits, because they exceed the budget.
    pub omitted: Vec<OmittedDocument>,
}

/// A document that a text omits, because it exceeds the token budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OmittedDocument {
    /// Path of the document.
    pub path: String,
    /// Estimated number of tokens of the document.
    pub tokens: u32,
}

/// A request to search for lines in the documents of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GrepAsk {
    /// Namespace of the tree. Default: `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Regular expression that is matched with each line. It supports neither look-around nor
    /// backreferences.
    pub pattern: String,
    /// Path of a document or a directory to search. Default: the whole tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// True to ignore letter case. Default: false.
    #[serde(default)]
    pub ignore_case: bool,
    /// Maximum number of matches, 1 to 1,000. Default: 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_matches: Option<u32>,
    /// Number of context lines around each match, 0 to 20. Default: 0.
    #[serde(default)]
    pub context: u32,
}

/// The lines that a search found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct GrepResult {
    /// Matching lines and context lines, sorted by path and line number.
    pub lines: Vec<GrepLine>,
    /// Number of matching lines in the response.
    pub matches: u64,
    /// True if the tree contains more matching lines than `max_matches`.
    pub more: bool,
    /// True if the search reached its time limit before it had read all documents.
    pub timed_out: bool,
}

/// A line of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrepLine {
    /// Path of the document.
    pub path: String,
    /// Line number, starting at 1.
    pub line: u64,
    /// Text of the line, at most 300 characters.
    pub text: String,
    /// True if the line is longer than `text`.
    pub cut: bool,
    /// True if the line matches the pattern; false for a context line.
    #[serde(rename = "match")]
    pub is_match: bool,
}

/// A request for the history of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryQuery {
    /// Namespace of the tree. Default: `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Current or former path of the document.
    pub path: String,
    /// Maximum number of entries per page, 1 to 100. Default: 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// The history of a document, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct DocumentHistory {
    /// Versions of the document, and changes without a new version such as a move.
    pub versions: Vec<DocumentVersion>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A change of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DocumentVersion {
    /// Id of the version for `diff`: `<record>@<version>`.
    pub version_id: String,
    /// Id of the record that contains the document.
    pub record: String,
    /// Version of the record.
    pub version: u32,
    /// Operation that made the change, such as `create`, `update` or `move`.
    pub operation: String,
    /// Path of the document after this change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// SHA-256 digest of the text; absent if the text was redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_sha256: Option<String>,
    /// Size of the text in bytes; absent if the text was redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Author of the change; absent if it is no longer known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Reason for the change, if it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Time of the change.
    pub at: String,
    /// State of the record after this change.
    pub state: String,
    /// Ids of the events that the text was derived from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source_events: Vec<String>,
}

/// A request for the changes of a tree after a state.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChangesQuery {
    /// Namespace of the tree. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// State of the tree after which the changes start: `next_since` or the `state` of a change in
    /// an earlier response, or the label of a snapshot. Default: the empty tree at the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Maximum number of changes, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// The changes of a tree after a state, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TreeChanges {
    /// The changes.
    pub changes: Vec<TreeChange>,
    /// Value of `since` for the next request. It returns the changes after these.
    pub next_since: String,
}

/// A change of a document in a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TreeChange {
    /// Name of the tree's state after the change, for `since`, `diff` and `restore`.
    pub state: String,
    /// Operation that made the change, such as `create`, `update` or `move`.
    pub operation: String,
    /// `write` if a document is at the path after the change, otherwise `delete`.
    pub op: String,
    /// Path after the change; absent if the document is no longer in the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Path before the change; absent if the document was not in the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_before: Option<String>,
    /// Id of the record that contains the document.
    pub record: String,
    /// Version of the record after the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// SHA-256 digest of the text after the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_sha256: Option<String>,
    /// Author of the change; absent if the change was not made by a request about the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Id of the consolidation run that made the change; absent for other changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Time of the change.
    pub at: String,
}

/// A request to compare two states of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffQuery {
    /// Namespace of the tree. Default: `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// First state: the `state` of a change, the label of a snapshot, `<record>@<version>`, `0` for
    /// the beginning, or `now`.
    pub a: String,
    /// Second state, in the same format as `a`. Default: `now`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    /// Path of the only document to compare. Default: all documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// The differences between two states of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TreeDiff {
    /// Documents that differ, by path.
    pub files: Vec<FileDiff>,
    /// Number of differing documents whose diff is missing, because it exceeds the limits of the
    /// response.
    pub left_out: u64,
}

/// The difference of a document between two states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FileDiff {
    /// Id of the record that contains the document.
    pub record: String,
    /// Path of the document in the first state; absent if it did not exist there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_a: Option<String>,
    /// Path of the document in the second state; absent if it did not exist there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_b: Option<String>,
    /// Unified diff of the files; absent if content was redacted, or if the diff exceeds the limits
    /// of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unified: Option<String>,
}

/// A request to create a snapshot: a name for the current state of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SnapshotMake {
    /// Namespace of the tree. Default: `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Label of the snapshot: 1 to 100 letters, digits, `-`, `_` and `.`.
    pub label: String,
}

/// A request to list snapshots.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TreeSnapshotListing {
    /// Namespace of the tree. Default: `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Maximum number of snapshots per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A snapshot: a named state of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TreeSnapshot {
    /// Label of the snapshot.
    pub label: String,
    /// Name of the caller who created the snapshot.
    pub by: String,
    /// Time of the snapshot.
    pub at: String,
}

/// A page of snapshots, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TreeSnapshotList {
    /// The snapshots on this page.
    pub snapshots: Vec<TreeSnapshot>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A request to restore the documents of an earlier state of a tree. The server writes new versions
/// with the old content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RestoreAsk {
    /// Namespace of the tree. Default: `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Label of the snapshot to restore. Either `snapshot` or `state` is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// State of the tree to restore: the `state` of a change, the label of a snapshot, or `0` for
    /// the empty tree at the beginning. Either `snapshot` or `state` is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Paths to restore, each with everything below it. Default: the whole tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// True to return the changes without applying them. Default: true.
    #[serde(default = "yes")]
    pub dry_run: bool,
    /// Reason for the restoration, at most 500 characters; stored with the versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

fn yes() -> bool {
    true
}

/// The result of restoring an earlier state of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TreeRestored {
    /// True if the request was a dry run, which writes nothing.
    pub dry_run: bool,
    /// Documents that differ from the restored state, sorted by path.
    pub documents: Vec<RestoredDocument>,
}

/// A document that a restoration changed, or could not change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RestoredDocument {
    /// Id of the record that contains the document.
    pub record: String,
    /// Current or former path of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Operation that restores the document, such as `update`; absent if the document cannot be
    /// restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Number of the version whose content is restored; absent if no content is restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_version: Option<u32>,
    /// Number of the new version; absent for a dry run, and if nothing was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// Reason that the document cannot be restored; absent if it is restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<String>,
}
