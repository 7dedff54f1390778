//! Mirrors: which trees are kept as files elsewhere, and how; and what the last sync of one left to
//! know for the next. Entries of the ledger. They are of this instance and its disks: they are
//! neither exported nor imported. What a sync does is the engine's matter.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ledger::{Shelf, Shelved};
use crate::trees::tree_entry::owner_of;
use crate::words::closed_words;
use crate::{ActorId, Error, MemoryId, Namespace, RecordId, Result, Timestamp};

closed_words! {
    /// Where a mirror lies.
    MirrorKind {
        /// A directory.
        Directory = "dir",
        /// A bare git repository.
        Git = "git",
        /// A bucket.
        S3 = "s3",
    }
}

closed_words! {
    /// Which way a mirror goes.
    MirrorDirection {
        /// Both.
        TwoWay = "two-way",
        /// From the tree to the files.
        Export = "export",
        /// From the files to the tree.
        Import = "import",
    }
}

closed_words! {
    /// What becomes of a document whose file is deleted.
    MirrorDeletes {
        /// It is put away.
        Enabled = "enabled",
        /// It is said that it would be.
        LogOnly = "log_only",
        /// The file is written again.
        Disabled = "disabled",
    }
}

closed_words! {
    /// Who wanted a mirror.
    MirrorOrigin {
        /// The configuration.
        Configured = "configured",
        /// A caller.
        Added = "added",
    }
}

/// Shards of what a mirror and its tree agreed on: one change writes one of them, and all of them are read quickly.
pub const MIRROR_SHARDS: usize = 64;

/// A mirror.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mirror {
    /// The memory.
    pub memory: MemoryId,
    /// Its name in the memory.
    pub name: String,
    /// What its marker says: no two mirrors of any two instances have one.
    pub id: String,
    /// The namespace whose tree it shows.
    pub namespace: Namespace,
    /// The word for how its files are laid.
    pub layout: String,
    /// Where it lies.
    pub kind: MirrorKind,
    /// Where exactly.
    pub path: String,
    /// Which way it goes.
    pub direction: MirrorDirection,
    /// What deletions do.
    pub deletes: MirrorDeletes,
    /// How often it is looked at.
    pub interval_ms: u64,
    /// Files say which record they are.
    pub render_ids: bool,
    /// It may write what is loaded with every prompt.
    pub system: bool,
    /// Conversations are rendered into it.
    pub sessions: bool,
    /// It may begin where files lie already.
    pub adopt: bool,
    /// Writes of one author that follow each other within so long are one commit.
    pub debounce_ms: u64,
    /// Who wanted it.
    pub origin: MirrorOrigin,
    /// When.
    pub at: Timestamp,
    /// Whose it is.
    pub actor: ActorId,
}

impl Mirror {
    /// Checks a name: 1 to 64 lower-case letters, digits, `-` and `_`, beginning with a letter or digit.
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

    /// By what name it writes in the tree.
    pub fn writer(&self) -> String {
        format!("mirror:{}", self.name)
    }
}

impl Shelved for Mirror {
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

/// What a sync was about to do with a file, and may have done: noted before it, so that a sync that was cut off is understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MirrorPending {
    /// Writing these bytes.
    Write {
        /// Their SHA-256, in hex digits.
        file: String,
    },
    /// Taking the file into the tree.
    Take {
        /// Its SHA-256, in hex digits.
        file: String,
        /// The token under which that was done, or is.
        token: String,
        /// SHA-256 of the document's native file that was to be there; none: nothing was.
        over: Option<String>,
        /// Both sides had changed: it was to be kept beside the document.
        #[serde(default)]
        is_beside: bool,
    },
}

/// A file that the tree did not take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorRefusal {
    /// Its SHA-256, in hex digits: another content is tried again.
    pub file: String,
    /// Why.
    pub why: String,
}

/// What is known of a path of a mirror.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MirrorFile {
    /// SHA-256 of the file when it and the tree agreed last, in hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreed: Option<String>,
    /// SHA-256 of what the tree made of that file, where that is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendered: Option<String>,
    /// What was under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<MirrorPending>,
    /// Since when the file is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_since: Option<Timestamp>,
    /// Its content that was not taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<MirrorRefusal>,
    /// The file lay there before the mirror, and was not taken yet or holds secrets: it may be the
    /// only copy, and is not written over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adopted: bool,
    /// Records that such a file was taken into or leads to, each with its version then: where one
    /// of them is erased, the file is written over.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub taken: BTreeMap<RecordId, u32>,
}

impl MirrorFile {
    /// True where nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A part of what a mirror and its tree agreed on: the paths whose digest falls into it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorFiles {
    /// The memory.
    pub memory: MemoryId,
    /// The mirror's name.
    pub mirror: String,
    /// Which part.
    pub shard: usize,
    /// What is known of each path.
    pub files: BTreeMap<String, MirrorFile>,
    /// When it changed.
    pub at: Timestamp,
    /// Whose it is.
    pub actor: ActorId,
}

impl MirrorFiles {
    /// The name of a part on its shelf.
    pub fn key_of(mirror: &str, shard: usize) -> String {
        format!("{mirror}\n{shard:02}")
    }
}

impl Shelved for MirrorFiles {
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

/// Something that is said of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MirrorRemark {
    /// Where; empty: of the mirror as a whole.
    pub path: String,
    /// What: why a file was not taken, or where a text is kept beside it.
    pub what: String,
}

/// What a sync did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MirrorReport {
    /// When it began.
    pub began_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// How the mirror was found: `whole`, `gone`, `not_ours`, `not_empty`.
    pub finding: String,
    /// Files that lie there.
    pub files: u64,
    /// Files that were written.
    pub written: u64,
    /// Files that were removed.
    pub removed: u64,
    /// Documents that took what a file said.
    pub taken: u64,
    /// Documents that were made of files.
    pub created: u64,
    /// Documents that were moved because their file was.
    pub moved: u64,
    /// Documents that were put away because their file was deleted.
    pub put_away: u64,
    /// Files whose text is kept beside the document, for a person to decide.
    pub conflicts: Vec<MirrorRemark>,
    /// Files that were not taken, and why.
    pub refused: Vec<MirrorRemark>,
    /// What else is to be known.
    pub notes: Vec<MirrorRemark>,
    /// Deletions that wait for another look, or for their turn.
    pub waiting_deletes: u64,
    /// Commits that were made.
    pub commits: u64,
    /// The newest commit.
    pub commit: Option<String>,
    /// Why it broke off.
    pub error: Option<String>,
}

/// The commit of a git mirror with a history that began with another store's, as before a restore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorJoin {
    /// Its id: up to it, the history may have what this store's log does not have.
    pub commit: String,
    /// The sequence of the log that it goes up to, whatever it says itself.
    pub sequence: u64,
}

/// What a sync leaves for the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorState {
    /// The memory.
    pub memory: MemoryId,
    /// The mirror's name.
    pub mirror: String,
    /// Its marker was written once.
    pub is_started: bool,
    /// Syncs so far.
    pub syncs: u64,
    /// What the layout remembers, in its own form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub laid: Option<serde_json::Value>,
    /// Which installation has the disks that it lies on; none: no sync began yet, or it lies on no disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// How often something was taken out of the store that it may show.
    #[serde(default)]
    pub outdated_by: u64,
    /// How many of those were behind it when everything was rendered last.
    #[serde(default)]
    pub renewed_to: u64,
    /// The identity of the store of the last agreement; `None` until a sync that keeps one ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// The place from which a repository goes on that began with another store's history; `None`
    /// where all of it is of this log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joined: Option<MirrorJoin>,
    /// SHA-256 of the conversations and the changelog that a repository had last, in hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendered: Option<String>,
    /// What the last sync did.
    pub report: MirrorReport,
    /// When it ended.
    pub at: Timestamp,
    /// Whose it is.
    pub actor: ActorId,
}

impl MirrorState {
    /// Of a mirror that was never looked at.
    ///
    /// # Errors
    /// None that can happen.
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

    /// Everything is to be rendered anew.
    pub fn is_outdated(&self) -> bool {
        self.outdated_by != self.renewed_to
    }

    /// True where the last agreement was with another store than the one of this identity, as
    /// before a restore.
    pub fn is_of_other_store(&self, store: &str) -> bool {
        self.is_started && self.store.as_deref().is_some_and(|known| known != store)
    }
}

impl Shelved for MirrorState {
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

/// A content that was taken out of the store, by a keyed digest of it: who brings it back is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedactedContent {
    /// The memory.
    pub memory: MemoryId,
    /// The keyed digest, in hex digits; `key` of the entry that holds the memory's key.
    pub digest: String,
    /// The memory's key, sealed, in hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed: Option<String>,
    /// When it was taken out.
    pub at: Timestamp,
    /// Whose it was.
    pub actor: ActorId,
}

impl Shelved for RedactedContent {
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
