//! Trees of documents: what lies in them, what a model is shown of them, what happened to them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What of a tree is listed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TreeQuery {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Below this directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Down to so many levels; what lies deeper is shown as its directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// 1 to 100; 100 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where an earlier page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// What lies in a tree, by path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TreePage {
    /// Documents and directories.
    pub entries: Vec<TreeItem>,
    /// Where the next page starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A document, or a directory whose documents are not listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TreeItem {
    /// `file` or `directory`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its path, of a directory without a slash at the end.
    pub path: String,
    /// Bytes of its text, or of all texts below it.
    pub bytes: u64,
    /// Documents below it, of a directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// What a listing says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its title, or its first heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Entity tag of the file, quoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// When it changed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

/// What a model is shown of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ListingQuery {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Below this directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// At most so many tokens; 1,500 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u32>,
    /// `json` (absent: this), or `text`: the text alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

/// What there is, the same bytes until something changes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TreeListing {
    /// As a model reads it; empty where there is nothing.
    pub text: String,
    /// Entity tag of the text, quoted.
    pub etag: String,
    /// Tokens of the text, as they are estimated.
    pub tokens: u32,
    /// Which instruction stands in it.
    pub listing_version: u32,
    /// Its lines.
    pub entries: Vec<ListedItem>,
    /// Lines there would have been.
    pub entries_total: u64,
    /// Documents there are.
    pub files_total: u64,
}

/// A line of a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ListedItem {
    /// `file` or `directory`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its path.
    pub path: String,
    /// What it says of itself.
    pub description: String,
    /// Documents below it, of a directory whose documents are not listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
}

/// How much of what is always loaded.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SystemQuery {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// At most so many tokens; 1,000 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u32>,
}

/// The documents that are always loaded, whole.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct SystemListing {
    /// As a model reads them; empty where there are none.
    pub text: String,
    /// Entity tag of the text, quoted.
    pub etag: String,
    /// Tokens of the text, as they are estimated.
    pub tokens: u32,
    /// The paths that are in it.
    pub paths: Vec<String>,
    /// What there was no room for.
    pub omitted: Vec<OmittedDocument>,
}

/// A document that there was no room for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OmittedDocument {
    /// Its path.
    pub path: String,
    /// Tokens that it would have taken.
    pub tokens: u32,
}

/// Lines that are looked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GrepAsk {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// A regular expression without look-around and back-references, for each line.
    pub pattern: String,
    /// Only in this document, or below this directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Letters of either case.
    #[serde(default)]
    pub ignore_case: bool,
    /// 1 to 1,000; 50 where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_matches: Option<u32>,
    /// Lines around each, 0 to 20.
    #[serde(default)]
    pub context: u32,
}

/// Lines that were found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct GrepResult {
    /// By path and number.
    pub lines: Vec<GrepLine>,
    /// Lines that match.
    pub matches: u64,
    /// There are more matches than were asked for.
    pub more: bool,
    /// Not everything was looked at in time.
    pub timed_out: bool,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrepLine {
    /// The document.
    pub path: String,
    /// The line's number, from 1.
    pub line: u64,
    /// What it says, up to 300 characters.
    pub text: String,
    /// It is longer than what is shown.
    pub cut: bool,
    /// The pattern matches it; else it stands around one that does.
    #[serde(rename = "match")]
    pub is_match: bool,
}

/// Whose history.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryQuery {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The path of the document, or one that it had.
    pub path: String,
    /// 1 to 100; 100 where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where an earlier page ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// What happened to a document, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct DocumentHistory {
    /// Its versions, and changes that made none.
    pub versions: Vec<DocumentVersion>,
    /// Where the next page starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Something that happened to a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DocumentVersion {
    /// Its name, for `diff`: `<record>@<version>`.
    pub version_id: String,
    /// The record.
    pub record: String,
    /// The version.
    pub version: u32,
    /// What was done.
    pub operation: String,
    /// Where it lay then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// SHA-256 of its text; absent where that was taken out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_sha256: Option<String>,
    /// Bytes of its text; absent where that was taken out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Who; absent where that is no longer known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why, where somebody said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When.
    pub at: String,
    /// Where the record stood then.
    pub state: String,
    /// Events that it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source_events: Vec<String>,
}

/// Since when.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChangesQuery {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Behind this state: `next_since` or a change's `state` of an earlier answer, or the label of a
    /// snapshot; from the beginning where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// 1 to 100; 100 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// What happened in a tree, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TreeChanges {
    /// The changes.
    pub changes: Vec<TreeChange>,
    /// What to ask from next, as `since`.
    pub next_since: String,
}

/// Something that happened in a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TreeChange {
    /// The name of the tree's state behind it, for `since`, `diff` and `restore`.
    pub state: String,
    /// What was done.
    pub operation: String,
    /// `write` where a document lies there since, else `delete`.
    pub op: String,
    /// Where it lies since; absent where it does no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where it lay before; absent where it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_before: Option<String>,
    /// The record.
    pub record: String,
    /// The version that lies there since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// SHA-256 of its text since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_sha256: Option<String>,
    /// Who, where the change came through the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The run that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// When.
    pub at: String,
}

/// Which two states are compared.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffQuery {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// A change's `state`, the label of a snapshot, `<record>@<version>`, `0` for the beginning, or `now`.
    pub a: String,
    /// The same; `now` where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    /// Only of this document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// What changed between two states.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TreeDiff {
    /// Documents that differ, by path.
    pub files: Vec<FileDiff>,
    /// Documents whose lines are left out for want of room.
    pub left_out: u64,
}

/// What became of a document between two states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FileDiff {
    /// The record.
    pub record: String,
    /// Where it lay in the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_a: Option<String>,
    /// Where it lay in the second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_b: Option<String>,
    /// Lines that differ, as a unified diff of the files; absent where content was taken out, or where there was no room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unified: Option<String>,
}

/// A name for the state that a tree is in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SnapshotMake {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// 1 to 100 letters, digits, `-`, `_` and `.`.
    pub label: String,
}

/// Which snapshots.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TreeSnapshotListing {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// 1 to 100; 100 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where an earlier page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A state with a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TreeSnapshot {
    /// Its name.
    pub label: String,
    /// Who made it.
    pub by: String,
    /// When.
    pub at: String,
}

/// Snapshots, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TreeSnapshotList {
    /// The snapshots.
    pub snapshots: Vec<TreeSnapshot>,
    /// Where the next page starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// What is to be restored: as new versions with the old content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RestoreAsk {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The label of a snapshot; this or `state`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// A change's `state`, the label of a snapshot, or `0` for the beginning; this or `snapshot`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Only these paths, and what lies below them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Only says what would be done; so it is where the member is absent.
    #[serde(default = "yes")]
    pub dry_run: bool,
    /// Why; at most 500 characters, kept with the versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

fn yes() -> bool {
    true
}

/// What became of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TreeRestored {
    /// Nothing was written.
    pub dry_run: bool,
    /// Documents that differ, by path.
    pub documents: Vec<RestoredDocument>,
}

/// What becomes of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RestoredDocument {
    /// The record.
    pub record: String,
    /// Where it lies, or lay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What is done; absent where it cannot be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// The version whose content comes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_version: Option<u32>,
    /// The version that it is since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// Why it is not restored, where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<String>,
}
