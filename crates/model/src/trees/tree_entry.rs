//! A memory's records as a tree of files: which path belongs to which record of a namespace, what a
//! listing shows of it without reading it, and how far the tree has been brought. Entries of the
//! ledger, derived from records: they can be thrown away, and then aliases, and the paths that
//! records got by themselves, are made anew. What paths are allowed is the engine's matter.

use serde::{Deserialize, Serialize};

use crate::ledger::{Shelf, Shelved};
use crate::record::RecordKind;
use crate::words::closed_words;
use crate::{ActorId, Error, MemoryId, RecordId, Result, Timestamp};

/// Whose the entries are of records that no actor's events made.
const NOBODY: &str = "loci:files";

closed_words! {
    /// How a document came to its path.
    PathOrigin {
        /// Somebody gave it.
        Given = "given",
        /// It was made of title and text, once.
        Derived = "derived",
    }
}

closed_words! {
    /// What a path of a tree is.
    EntryStanding {
        /// A document lies there.
        Live = "live",
        /// A document lay there and lies elsewhere now.
        Alias = "alias",
        /// A document lay there and is put away, or deleted.
        Gone = "gone",
    }
}

closed_words! {
    /// What happened to a document.
    DocumentOperation {
        /// It came.
        Created = "created",
        /// Its text, or what is said of it, changed.
        Modified = "modified",
        /// It got another path.
        Moved = "moved",
        /// It was put away.
        Archived = "archived",
        /// Another took its place.
        Superseded = "superseded",
        /// It is as it was before.
        Restored = "restored",
        /// It was deleted.
        Deleted = "deleted",
        /// The text of versions was taken out.
        Redacted = "redacted",
    }
}

/// Whose entries of a record are: with that one, they are forgotten.
///
/// # Errors
/// None that can happen.
pub fn owner_of(actor: Option<&ActorId>) -> Result<ActorId> {
    actor.map_or_else(|| ActorId::parse(NOBODY), |actor| Ok(actor.clone()))
}

/// The place of a sequence in lists, which are the newest first: lists by it come by sequence, the smallest first.
pub const fn by_sequence(sequence: u64) -> Timestamp {
    let latest = Timestamp::LATEST.millis();
    #[expect(clippy::cast_possible_wrap, reason = "cut before it could wrap")]
    let sequence = if sequence > latest as u64 { latest } else { sequence as i64 };
    Timestamp::clamped(latest - sequence)
}

/// A path of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeEntry {
    /// The memory.
    pub memory: MemoryId,
    /// The namespace, in its normal form.
    pub namespace: String,
    /// Its name in the tree: what two paths that differ in case, or in how they are composed, have in common.
    pub key: String,
    /// The path as it is shown.
    pub path: String,
    /// What it is.
    pub standing: EntryStanding,
    /// How it came about.
    pub origin: PathOrigin,
    /// The record, which may lie elsewhere by now.
    pub record: RecordId,
    /// What the record is.
    pub kind: RecordKind,
    /// The record's version.
    pub version: u32,
    /// The memory's sequence of the change that made the entry what it is.
    pub sequence: u64,
    /// What a listing says of it: its description, or the beginning of its text.
    pub summary: String,
    /// Somebody wrote the summary: it is no beginning of a text.
    pub is_described: bool,
    /// Its title, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Bytes of its text.
    pub bytes: u64,
    /// SHA-256 of its text, in hex digits.
    pub content_sha256: String,
    /// SHA-256 of its file in the native layout, in hex digits.
    pub file_sha256: String,
    /// The file may be run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
    /// It is kept and shown before others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// What is shown first: the greater.
    #[serde(default)]
    pub priority: i64,
    /// When the document vanishes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// When the record changed last.
    pub updated_at: Timestamp,
    /// Whose it is.
    pub actor: ActorId,
}

impl TreeEntry {
    /// The name of an entry on its shelf.
    pub fn key_of(namespace: &str, key: &str) -> String {
        format!("{namespace}\n{key}")
    }

    /// True where a document lies there at `now`.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.standing == EntryStanding::Live && self.expires_at.is_none_or(|expires| expires > now)
    }

    /// The same path without a document.
    #[must_use]
    pub fn without_document(self, standing: EntryStanding, sequence: u64) -> Self {
        Self {
            standing,
            sequence,
            summary: String::new(),
            is_described: false,
            title: None,
            bytes: 0,
            content_sha256: String::new(),
            file_sha256: String::new(),
            executable: false,
            pinned: false,
            priority: 0,
            expires_at: None,
            ..self
        }
    }
}

impl Shelved for TreeEntry {
    const SHELF: Shelf = Shelf::named("tree_entry");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        Self::key_of(&self.namespace, &self.key)
    }

    fn subject(&self) -> Option<String> {
        Some(self.namespace.clone())
    }

    fn at(&self) -> Timestamp {
        by_sequence(self.sequence)
    }
}

/// Where a record lies: one place, in the tree of its namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreePlace {
    /// The memory.
    pub memory: MemoryId,
    /// The record.
    pub record: RecordId,
    /// The namespace, in its normal form.
    pub namespace: String,
    /// The key of its path.
    pub key: String,
    /// The path that it got by itself, where it got one; it stays when the record is moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived: Option<String>,
    /// A digest of its namespace and what it is about, where it has a title: documents of one topic are one document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The version that the tree has of it.
    pub version: u32,
    /// The sequence that the tree has of it.
    pub sequence: u64,
    /// Whose it is.
    pub actor: ActorId,
}

impl Shelved for TreePlace {
    const SHELF: Shelf = Shelf::named("tree_place");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        self.record.to_string()
    }

    fn subject(&self) -> Option<String> {
        self.topic.clone()
    }

    fn at(&self) -> Timestamp {
        by_sequence(self.sequence)
    }
}

/// How far a tree was brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeProgress {
    /// The memory.
    pub memory: MemoryId,
    /// The namespace, in its normal form.
    pub namespace: String,
    /// Records up to this sequence are in it.
    pub sequence: u64,
    /// The sequence of the last change that was the tree's own: what others do in the memory does not move it. Older ones have none.
    #[serde(default)]
    pub changed: Option<u64>,
    /// Greater whenever something was taken out of the tree that left no trace in it.
    pub generation: u64,
    /// Whose it is.
    pub actor: ActorId,
}

impl TreeProgress {
    /// Of a tree that nobody asked for before.
    ///
    /// # Errors
    /// None that can happen.
    pub fn new(memory: &MemoryId, namespace: &str) -> Result<Self> {
        let (memory, namespace) = (memory.clone(), namespace.to_owned());
        Ok(Self { memory, namespace, sequence: 0, changed: Some(0), generation: 0, actor: owner_of(None)? })
    }

    /// The sequence of the state that the tree is in, as its readers are told it: that of its last change.
    #[must_use]
    pub fn state(&self) -> u64 {
        self.changed.unwrap_or(self.sequence)
    }

    /// The name of a tree's progress on its shelf.
    pub fn key_of(namespace: &str) -> String {
        format!("tree\n{namespace}")
    }

    /// True for the name of a tree's progress, among those of other things.
    pub fn is_key(key: &str) -> bool {
        key.starts_with("tree\n")
    }
}

impl Shelved for TreeProgress {
    const SHELF: Shelf = Shelf::PROGRESS;

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        Self::key_of(&self.namespace)
    }

    fn at(&self) -> Timestamp {
        by_sequence(self.sequence)
    }
}

/// Something that happened to a document: the order of all of them is the history of the tree. What a document was called and what it
/// said is in its versions, and why in those; nothing here outlives them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeChange {
    /// The memory.
    pub memory: MemoryId,
    /// The namespace, in its normal form.
    pub namespace: String,
    /// The memory's sequence: one change each.
    pub sequence: u64,
    /// What happened.
    pub operation: DocumentOperation,
    /// The record.
    pub record: RecordId,
    /// The version that lies in the tree since; none where none does.
    pub version: Option<u32>,
    /// The version that lay there before; none where none did.
    pub before: Option<u32>,
    /// Who, by name; none where the change came another way than through the tree: telemetry knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The run that it belongs to, where it does to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The memory's sequence before the transaction that it belongs to; none where the change came another way than through the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<u64>,
    /// When.
    pub at: Timestamp,
    /// Whose it is.
    pub actor: ActorId,
}

impl TreeChange {
    /// The name of a change on its shelf.
    pub fn key_of(namespace: &str, sequence: u64) -> String {
        format!("{namespace}\n{sequence:020}")
    }
}

impl Shelved for TreeChange {
    const SHELF: Shelf = Shelf::named("tree_change");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        Self::key_of(&self.namespace, self.sequence)
    }

    fn subject(&self) -> Option<String> {
        Some(self.namespace.clone())
    }

    fn at(&self) -> Timestamp {
        by_sequence(self.sequence)
    }
}

/// A state of a tree with a name: a place in the order of changes, nothing is copied for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeSnapshot {
    /// The memory.
    pub memory: MemoryId,
    /// The namespace, in its normal form.
    pub namespace: String,
    /// The name.
    pub label: String,
    /// Everything up to this sequence belongs to it.
    pub sequence: u64,
    /// Who, by name.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// Whose it is.
    pub actor: ActorId,
}

impl TreeSnapshot {
    /// Checks a name: 1 to 100 letters, digits, `-`, `_` and `.`, no number, nothing that could be one of a version.
    ///
    /// # Errors
    /// `Invalid`, naming `label`.
    pub fn check_label(label: &str) -> Result<()> {
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let first = label.chars().next().is_some_and(|first| first.is_ascii_alphanumeric());
        let is_number = label.chars().all(|c| c.is_ascii_digit());
        if first && label.len() <= 100 && label.chars().all(legal) && !is_number && !label.starts_with("mem-")
        {
            return Ok(());
        }
        let rule = "label must be 1 to 100 letters, digits, - _ and ., start with a letter or digit, be no number and \
                    not start with mem-";
        Err(Error::invalid("label", rule))
    }

    /// The name of a snapshot on its shelf.
    pub fn key_of(namespace: &str, label: &str) -> String {
        format!("{namespace}\n{label}")
    }
}

impl Shelved for TreeSnapshot {
    const SHELF: Shelf = Shelf::named("tree_snapshot");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        Self::key_of(&self.namespace, &self.label)
    }

    fn subject(&self) -> Option<String> {
        Some(self.namespace.clone())
    }

    fn at(&self) -> Timestamp {
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_by_sequence() {
        assert!(by_sequence(1) > by_sequence(2));
        assert_eq!(by_sequence(u64::MAX), Timestamp::EPOCH);
    }

    #[test]
    fn labels_are_told_from_sequences_and_versions() {
        for (label, expect) in [
            ("before-release", true),
            ("2026-11-21", true),
            ("v1.2_3", true),
            (&"a".repeat(100), true),
            ("", false),
            ("17", false),
            ("-a", false),
            ("mem-1", false),
            ("a b", false),
            ("ä", false),
            (&"a".repeat(101), false),
        ] {
            assert_eq!(TreeSnapshot::check_label(label).is_ok(), expect, "{label}");
        }
    }
}
