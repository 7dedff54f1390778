//! A memory's records as a tree of files: the record of each path of a namespace, the summary that
//! a listing shows without reading the record, and the progress of the tree. Entries of the ledger
//! that are derived from records. They can be deleted, and then aliases and derived paths are built
//! again. The engine defines the allowed paths.

use serde::{Deserialize, Serialize};

use crate::ledger::{LedgerNoun, Shelf};
use crate::record::RecordKind;
use crate::words::closed_words;
use crate::{ActorId, Error, MemoryId, RecordId, Result, Timestamp};

/// The owner of entries whose records come from no actor's events.
const NOBODY: &str = "loci:files";

closed_words! {
    /// The origin of a document's path.
    PathOrigin {
        /// A caller specified the path.
        Given = "given",
        /// The path was derived from title and text, once.
        Derived = "derived",
    }
}

closed_words! {
    /// The state of a path in a tree.
    EntryStanding {
        /// A document is at the path.
        Live = "live",
        /// A document was at the path and is at another path now.
        Alias = "alias",
        /// A document was at the path and is archived or deleted.
        Gone = "gone",
    }
}

closed_words! {
    /// An operation on a document.
    DocumentOperation {
        /// The document was created.
        Created = "created",
        /// The text or the metadata of the document changed.
        Modified = "modified",
        /// The document was moved to another path.
        Moved = "moved",
        /// The document was archived.
        Archived = "archived",
        /// Another document superseded it.
        Superseded = "superseded",
        /// An earlier version was restored.
        Restored = "restored",
        /// The document was deleted.
        Deleted = "deleted",
        /// The text of versions was redacted.
        Redacted = "redacted",
    }
}

/// Returns the actor that owns the entries of a record. Forgetting that actor removes the entries.
///
/// # Errors
/// Never fails in practice.
pub fn owner_of(actor: Option<&ActorId>) -> Result<ActorId> {
    actor.map_or_else(|| ActorId::parse(NOBODY), |actor| Ok(actor.clone()))
}

/// Returns the time that represents a sequence in lists, which are ordered newest first. Such lists
/// are therefore ordered by ascending sequence.
pub const fn by_sequence(sequence: u64) -> Timestamp {
    let latest = Timestamp::LATEST.millis();
    #[expect(clippy::cast_possible_wrap, reason = "cut before it could wrap")]
    let sequence = if sequence > latest as u64 { latest } else { sequence as i64 };
    Timestamp::clamped(latest - sequence)
}

/// A path of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeEntry {
    /// The memory that the entry belongs to.
    pub memory: MemoryId,
    /// The namespace of the tree, in normal form: one slash before, between and after the segments.
    pub namespace: String,
    /// The normalised path: paths that differ only in case or Unicode composition share it.
    pub key: String,
    /// The path as listings show it, with its original case.
    pub path: String,
    /// The state of the path.
    pub standing: EntryStanding,
    /// The origin of the path.
    pub origin: PathOrigin,
    /// The record, which may be at another path now.
    pub record: RecordId,
    /// The kind of the record.
    pub kind: RecordKind,
    /// The version of the record.
    pub version: u32,
    /// The memory's sequence of the change that gave the entry its state.
    pub sequence: u64,
    /// The summary in listings: the description, or the beginning of the text.
    pub summary: String,
    /// True if the summary is a written description and not the beginning of the text.
    pub is_described: bool,
    /// The title, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Size of the text in bytes.
    pub bytes: u64,
    /// SHA-256 of the text, in hex digits.
    pub content_sha256: String,
    /// SHA-256 digest, in hex digits, of the document as a file in the native layout.
    pub file_sha256: String,
    /// True if the file is executable.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
    /// True if the document is pinned: it is protected from pruning and listed before others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// The priority: documents with a greater one are shown first.
    #[serde(default)]
    pub priority: i64,
    /// The time at which the document expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The time of the record's last change.
    pub updated_at: Timestamp,
    /// The actor that owns the entry; erasing the data of this actor deletes it.
    pub actor: ActorId,
}

impl TreeEntry {
    /// Returns the key of an entry on its shelf.
    pub fn key_of(namespace: &str, key: &str) -> String {
        format!("{namespace}\n{key}")
    }

    /// True if a document is at the path at `now`.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.standing == EntryStanding::Live && self.expires_at.is_none_or(|expires| expires > now)
    }

    /// Returns the path without its document.
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

impl LedgerNoun for TreeEntry {
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

/// The place of a record: one path in the tree of its namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreePlace {
    /// The memory that the record belongs to.
    pub memory: MemoryId,
    /// The record that contains the document.
    pub record: RecordId,
    /// The namespace of the tree, in normal form: one slash before, between and after the segments.
    pub namespace: String,
    /// The normalised path.
    pub key: String,
    /// The path that was derived for the record, if any; a move keeps this value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived: Option<String>,
    /// A digest of its namespace and its title, if it has one. Documents of one topic are one
    /// document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The record's version in the tree.
    pub version: u32,
    /// The record's sequence in the tree.
    pub sequence: u64,
    /// The actor that owns the record; erasing the data of this actor deletes it.
    pub actor: ActorId,
}

impl LedgerNoun for TreePlace {
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

/// The state up to which the entries of a tree follow the records of its namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeProgress {
    /// The memory that the tree belongs to.
    pub memory: MemoryId,
    /// The namespace of the tree, in normal form: one slash before, between and after the segments.
    pub namespace: String,
    /// The sequence up to which records are in the tree.
    pub sequence: u64,
    /// The sequence of the last change of this tree. Changes elsewhere in the memory do not affect
    /// it. Entries of older versions have none.
    #[serde(default)]
    pub changed: Option<u64>,
    /// A counter that grows with each removal that leaves no trace in the tree.
    pub generation: u64,
    /// The actor that owns the tree; erasing the data of this actor deletes it.
    pub actor: ActorId,
}

impl TreeProgress {
    /// Returns the progress of a tree that no caller has read before.
    ///
    /// # Errors
    /// Never fails in practice.
    pub fn new(memory: &MemoryId, namespace: &str) -> Result<Self> {
        let (memory, namespace) = (memory.clone(), namespace.to_owned());
        Ok(Self { memory, namespace, sequence: 0, changed: Some(0), generation: 0, actor: owner_of(None)? })
    }

    /// Returns the sequence of the tree's state that readers see: that of its last change.
    #[must_use]
    pub fn state(&self) -> u64 {
        self.changed.unwrap_or(self.sequence)
    }

    /// Returns the key of a tree's progress on its shelf.
    pub fn key_of(namespace: &str) -> String {
        format!("tree\n{namespace}")
    }

    /// True for the key of a tree's progress, among keys of other entries.
    pub fn is_key(key: &str) -> bool {
        key.starts_with("tree\n")
    }
}

impl LedgerNoun for TreeProgress {
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

/// A change of a document. All changes in their order are the history of the tree. The versions of
/// a document hold its earlier paths, texts and reasons, so nothing in this entry outlives them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeChange {
    /// The memory that the change belongs to.
    pub memory: MemoryId,
    /// The namespace of the tree, in normal form: one slash before, between and after the segments.
    pub namespace: String,
    /// The memory's sequence, unique to the change.
    pub sequence: u64,
    /// The operation that made the change.
    pub operation: DocumentOperation,
    /// The record that contains the document.
    pub record: RecordId,
    /// The version in the tree after the change; none if there is none.
    pub version: Option<u32>,
    /// The version in the tree before the change; none if there was none.
    pub before: Option<u32>,
    /// The name of the author; none if the change did not go through the tree. Telemetry holds it
    /// then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The run that the change belongs to, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The memory's sequence before the transaction of the change; none if the change did not go
    /// through the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<u64>,
    /// The time of the change.
    pub at: Timestamp,
    /// The actor that owns the change; erasing the data of this actor deletes it.
    pub actor: ActorId,
}

impl TreeChange {
    /// Returns the key of a change on its shelf.
    pub fn key_of(namespace: &str, sequence: u64) -> String {
        format!("{namespace}\n{sequence:020}")
    }
}

impl LedgerNoun for TreeChange {
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

/// A named state of a tree: a position in the order of changes, without a copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeSnapshot {
    /// The memory that the snapshot belongs to.
    pub memory: MemoryId,
    /// The namespace of the tree, in normal form: one slash before, between and after the segments.
    pub namespace: String,
    /// The name of the snapshot.
    pub label: String,
    /// The sequence up to which changes belong to the snapshot.
    pub sequence: u64,
    /// The name of the author.
    pub by: String,
    /// The time of the snapshot.
    pub at: Timestamp,
    /// The actor that owns the snapshot; erasing the data of this actor deletes it.
    pub actor: ActorId,
}

impl TreeSnapshot {
    /// Checks a name: 1 to 100 letters, digits, `-`, `_` and `.`, starting with a letter or digit.
    /// It must not be a number or start with `mem-`.
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

    /// Returns the key of a snapshot on its shelf.
    pub fn key_of(namespace: &str, label: &str) -> String {
        format!("{namespace}\n{label}")
    }
}

impl LedgerNoun for TreeSnapshot {
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
