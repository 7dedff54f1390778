//! Mirrors: trees that are kept as files elsewhere, with the settings of each mirror and the state
//! that its last sync leaves for the next. Entries of the ledger. They belong to this instance and
//! its disks, so they are neither exported nor imported. The engine runs the syncs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ledger::{LedgerNoun, Shelf};
use crate::trees::tree_entry::owner_of;
use crate::words::closed_words;
use crate::{ActorId, Error, MemoryId, Namespace, RecordId, Result, Timestamp};

closed_words! {
    /// The kind of storage of a mirror.
    MirrorKind {
        /// The mirror is a directory.
        Directory = "dir",
        /// The mirror is a bare git repository.
        Git = "git",
        /// The mirror is a bucket of an S3 service.
        S3 = "s3",
    }
}

closed_words! {
    /// The direction of a mirror.
    MirrorDirection {
        /// Changes are synchronised in both directions.
        TwoWay = "two-way",
        /// From the tree to the files.
        Export = "export",
        /// From the files to the tree.
        Import = "import",
    }
}

closed_words! {
    /// The effect of a deleted file on its document.
    MirrorDeletes {
        /// The document is archived.
        Enabled = "enabled",
        /// The report states that the document would be archived.
        LogOnly = "log_only",
        /// The file is written again.
        Disabled = "disabled",
    }
}

closed_words! {
    /// The origin of a mirror.
    MirrorOrigin {
        /// The configuration of the server defines the mirror.
        Configured = "configured",
        /// A caller added the mirror.
        Added = "added",
    }
}

/// Number of shards of the state that a mirror and its tree agreed on. A change writes one shard,
/// and reading all shards stays fast.
pub const MIRROR_SHARDS: usize = 64;

/// A mirror.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mirror {
    /// The memory that the mirror belongs to.
    pub memory: MemoryId,
    /// The name of the mirror, unique in the memory.
    pub name: String,
    /// The id in its marker file: no two mirrors of any two instances share it.
    pub id: String,
    /// The namespace of the tree that it mirrors.
    pub namespace: Namespace,
    /// The layout of the mirror's files: `native`, `strands-flat` or `claude-memory`.
    pub layout: String,
    /// The kind of the mirror's storage.
    pub kind: MirrorKind,
    /// The path in that storage.
    pub path: String,
    /// The direction of the mirror.
    pub direction: MirrorDirection,
    /// The effect of a deleted file on its document.
    pub deletes: MirrorDeletes,
    /// The interval between syncs, in milliseconds.
    pub interval_ms: u64,
    /// True if files contain the id of their record.
    pub render_ids: bool,
    /// True if the mirror may write documents that are loaded with every prompt.
    pub system: bool,
    /// True if conversations are rendered into the mirror.
    pub sessions: bool,
    /// True if the mirror may start where files already exist.
    pub adopt: bool,
    /// Writes of one author within this time, in milliseconds, become one commit.
    pub debounce_ms: u64,
    /// The origin of the mirror.
    pub origin: MirrorOrigin,
    /// The time at which the mirror was created.
    pub at: Timestamp,
    /// The actor that owns the mirror; erasing the data of this actor deletes it.
    pub actor: ActorId,
}

impl Mirror {
    /// Checks a name: 1 to 64 lower-case letters, digits, `-` and `_`, beginning with a letter or
    /// digit.
    ///
    /// # Errors
    /// `Invalid`, naming `name`.
    pub fn check_name(name: &str) -> Result<()> {
        let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
        let first = name.chars().next().is_some_and(|first| first.is_ascii_alphanumeric());
        if first && name.len() <= 64 && name.chars().all(legal) {
            return Ok(());
        }
        let rule =
            "name must be 1 to 64 lower-case letters, digits, - and _, and begin with a letter or digit";
        Err(Error::invalid("name", rule))
    }

    /// Returns the name under which the mirror writes in the tree.
    pub fn writer(&self) -> String {
        format!("mirror:{}", self.name)
    }
}

impl LedgerNoun for Mirror {
    const SHELF: Shelf = Shelf::named("mirror");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        self.name.clone()
    }

    fn at(&self) -> Timestamp {
        self.at
    }
}

/// An action of a sync on a file that may have happened. The sync stores it before the action, so
/// that the next sync can resume after an interruption.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MirrorPending {
    /// The sync may have written these bytes to the file.
    Write {
        /// SHA-256 of the bytes, in hex digits.
        file: String,
    },
    /// The sync may have imported the file into the tree.
    Take {
        /// SHA-256 of the file, in hex digits.
        file: String,
        /// The idempotency token of the import.
        token: String,
        /// SHA-256 of the native file of the document that is expected there; none: no document.
        over: Option<String>,
        /// True if both sides had changed, so that the file is to be kept next to the document.
        #[serde(default)]
        is_beside: bool,
    },
}

/// A file that the tree rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorRefusal {
    /// SHA-256 of the file, in hex digits. A file with other content is tried again.
    pub file: String,
    /// The reason for which the tree rejected the file.
    pub why: String,
}

/// The known state of a path of a mirror.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MirrorFile {
    /// SHA-256 of the file at the last agreement with the tree, in hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreed: Option<String>,
    /// SHA-256 of the tree's rendering of that file, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendered: Option<String>,
    /// The action of a sync on the file that may or may not have happened; `None` if none is
    /// pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<MirrorPending>,
    /// The time since which the file is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_since: Option<Timestamp>,
    /// The content of the file that the tree rejected last, so that it is not tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<MirrorRefusal>,
    /// True if the file existed before the mirror and was not imported yet, or holds secrets. It
    /// may be the only copy, so it is not overwritten.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adopted: bool,
    /// Records that such a file was imported into or leads to, each with its version at that time.
    /// If one of them is erased, the file is overwritten.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub taken: BTreeMap<RecordId, u32>,
}

impl MirrorFile {
    /// True if nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A shard of the state that a mirror and its tree agreed on: the paths whose digest falls into it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorFiles {
    /// The memory that the mirror belongs to.
    pub memory: MemoryId,
    /// The name of the mirror.
    pub mirror: String,
    /// The number of the shard.
    pub shard: usize,
    /// The state of each path that belongs to this shard.
    pub files: BTreeMap<String, MirrorFile>,
    /// The time at which this shard was last changed.
    pub at: Timestamp,
    /// The actor that owns the mirror; erasing the data of this actor deletes it.
    pub actor: ActorId,
}

impl MirrorFiles {
    /// Returns the key of a shard in the ledger.
    pub fn key_of(mirror: &str, shard: usize) -> String {
        format!("{mirror}\n{shard:02}")
    }
}

impl LedgerNoun for MirrorFiles {
    const SHELF: Shelf = Shelf::named("mirror_files");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        Self::key_of(&self.mirror, self.shard)
    }

    fn subject(&self) -> Option<String> {
        Some(self.mirror.clone())
    }

    fn at(&self) -> Timestamp {
        self.at
    }
}

/// A remark on a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MirrorRemark {
    /// The path; empty: the mirror as a whole.
    pub path: String,
    /// The remark: the reason for which the file was rejected, or the path of the conflict file
    /// next to the document.
    pub what: String,
}

/// The result of a sync.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MirrorReport {
    /// The time at which the sync began.
    pub began_at: Option<Timestamp>,
    /// The time at which the sync ended.
    pub ended_at: Option<Timestamp>,
    /// The state in which the sync found the mirror: `whole`, `gone`, `not_ours`, `not_empty`.
    pub finding: String,
    /// Number of files in the mirror.
    pub files: u64,
    /// Number of files that were written.
    pub written: u64,
    /// Number of files that were removed.
    pub removed: u64,
    /// Number of documents that were updated from a file.
    pub taken: u64,
    /// Number of documents that were created from files.
    pub created: u64,
    /// Number of documents that were moved because their file was moved.
    pub moved: u64,
    /// Number of documents that were archived because their file was deleted.
    pub put_away: u64,
    /// Files whose text is kept next to the document, for a person to decide.
    pub conflicts: Vec<MirrorRemark>,
    /// Files that were rejected, with the reason.
    pub refused: Vec<MirrorRemark>,
    /// Other remarks.
    pub notes: Vec<MirrorRemark>,
    /// Number of deletions that wait for another sync, or for their turn.
    pub waiting_deletes: u64,
    /// Number of commits that were made.
    pub commits: u64,
    /// The id of the newest commit.
    pub commit: Option<String>,
    /// The error that ended the sync early.
    pub error: Option<String>,
}

/// The commit of a git mirror whose history began with another store, as before a restore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorJoin {
    /// The id of the commit. Up to it, the history may hold changes that this store's log lacks.
    pub commit: String,
    /// The sequence of the log that the commit covers, regardless of the sequence that its message
    /// states.
    pub sequence: u64,
}

/// The state that a sync leaves for the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorState {
    /// The memory that the mirror belongs to.
    pub memory: MemoryId,
    /// The name of the mirror.
    pub mirror: String,
    /// True if the mirror's marker was written once.
    pub is_started: bool,
    /// Number of syncs so far.
    pub syncs: u64,
    /// The state of the layout, in its own form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub laid: Option<serde_json::Value>,
    /// The installation that holds the mirror's disks; none: no sync has started yet, or the mirror
    /// is not on a disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// Number of removals from the store of content that the mirror may show.
    #[serde(default)]
    pub outdated_by: u64,
    /// The value of `outdated_by` at the last full rendering.
    #[serde(default)]
    pub renewed_to: u64,
    /// The identity of the store of the last agreement; `None` until a sync that stores it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// The commit from which a repository continues whose history began with another store; `None`
    /// if all of its history comes from this log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joined: Option<MirrorJoin>,
    /// SHA-256 of the conversations and the changelog that a repository last had, in hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendered: Option<String>,
    /// The result of the last sync.
    pub report: MirrorReport,
    /// The time at which the mirror ended.
    pub at: Timestamp,
    /// The actor that owns the mirror; erasing the data of this actor deletes it.
    pub actor: ActorId,
}

impl MirrorState {
    /// Returns the state of a mirror that was never synced.
    ///
    /// # Errors
    /// Never fails in practice.
    pub fn new(mirror: &Mirror) -> Result<Self> {
        Ok(Self {
            memory: mirror.memory.clone(),
            mirror: mirror.name.clone(),
            is_started: false,
            syncs: 0,
            laid: None,
            holder: None,
            outdated_by: 0,
            renewed_to: 0,
            store: None,
            joined: None,
            rendered: None,
            report: MirrorReport::default(),
            at: mirror.at,
            actor: owner_of(None)?,
        })
    }

    /// True if everything must be rendered again.
    pub fn is_outdated(&self) -> bool {
        self.outdated_by != self.renewed_to
    }

    /// True if the last agreement was with a store of another identity, as before a restore.
    pub fn is_of_other_store(&self, store: &str) -> bool {
        self.is_started && self.store.as_deref().is_some_and(|known| known != store)
    }
}

impl LedgerNoun for MirrorState {
    const SHELF: Shelf = Shelf::named("mirror_state");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        self.mirror.clone()
    }

    fn at(&self) -> Timestamp {
        self.at
    }
}

/// A content that was redacted, identified by a keyed digest. A request that brings it back is
/// rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedactedContent {
    /// The memory that the content belongs to.
    pub memory: MemoryId,
    /// The keyed digest, in hex digits; `key` in the entry that holds the memory's key.
    pub digest: String,
    /// The memory's key, sealed, in hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed: Option<String>,
    /// The time of the redaction.
    pub at: Timestamp,
    /// The actor that owned the content.
    pub actor: ActorId,
}

impl LedgerNoun for RedactedContent {
    const SHELF: Shelf = Shelf::REDACTED_CONTENT;

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        self.digest.clone()
    }

    fn at(&self) -> Timestamp {
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in ["team", "a", "team-2_b", "0x"] {
            assert!(Mirror::check_name(name).is_ok(), "{name}");
        }
        for name in ["", "Team", "-a", "a/b", "a b", "a.b", &"a".repeat(65)] {
            assert!(Mirror::check_name(name).is_err(), "{name}");
        }
    }
}
