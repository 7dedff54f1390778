//! Code as a verifier names it: objects, revisions, entries of a tree. This module holds opaque
//! names and reads no repository.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::words::closed_words;

/// The id of an object (blob, tree, commit): 20 or 32 opaque bytes, written as 40 or 64 lower-case
/// hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    bytes: [u8; 32],
    length: u8,
}

impl ObjectId {
    /// Returns the id of raw bytes; `None` unless there are 20 or 32.
    pub fn from_bytes(raw: &[u8]) -> Option<Self> {
        let length = u8::try_from(raw.len()).ok().filter(|length| matches!(length, 20 | 32))?;
        let mut bytes = [0; 32];
        for (to, from) in bytes.iter_mut().zip(raw) {
            *to = *from;
        }
        Some(Self { bytes, length })
    }

    /// Parses 40 or 64 hex digits.
    pub fn parse(text: &str) -> Option<Self> {
        let mut raw = Vec::with_capacity(32);
        let digits = text.as_bytes();
        if !matches!(digits.len(), 40 | 64) {
            return None;
        }
        for pair in digits.chunks_exact(2) {
            let [high, low] = pair else { return None };
            raw.push(digit_of(*high)? << 4 | digit_of(*low)?);
        }
        Self::from_bytes(&raw)
    }

    /// Returns the raw bytes, 20 or 32.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.length)).unwrap_or_default()
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // One write of all digits: reads of facts format ids often, and byte-wise writes showed in
        // profiles.
        let mut digits = [0_u8; 64];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.as_bytes()) {
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
        }
        let digits = digits.get(..2 * usize::from(self.length)).unwrap_or_default();
        f.write_str(std::str::from_utf8(digits).map_err(|_| fmt::Error)?)
    }
}

/// Returns the hexadecimal digit of 0 to 15.
fn digit(half: u8) -> u8 {
    if half < 10 { b'0' + half } else { b'a' + half - 10 }
}

fn digit_of(sign: u8) -> Option<u8> {
    match sign {
        b'0'..=b'9' => Some(sign - b'0'),
        b'a'..=b'f' => Some(sign - b'a' + 10),
        b'A'..=b'F' => Some(sign - b'A' + 10),
        _ => None,
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for ObjectId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ObjectId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom("an object id has 40 or 64 hex digits"))
    }
}

/// The revision to read: a commit, or the files of a worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Revision {
    /// The files of a commit.
    Commit(ObjectId),
    /// The worktree including uncommitted changes, with the commit it is based on, if any.
    Worktree(Option<ObjectId>),
}

impl Revision {
    /// Returns the commit, or the one that the worktree is based on.
    pub fn commit(&self) -> Option<ObjectId> {
        match self {
            Self::Commit(id) => Some(*id),
            Self::Worktree(head) => *head,
        }
    }

    /// True for a worktree: results from it change no state.
    pub fn is_dirty(&self) -> bool {
        matches!(self, Self::Worktree(_))
    }
}

closed_words! {
    /// The kind of a tree entry.
    EntryKind {
        /// A file.
        File = "file",
        /// A symbolic link: its content is the target's path, and it is never followed.
        Symlink = "symlink",
        /// A commit of another repository.
        Submodule = "submodule",
        /// A directory.
        Directory = "directory",
    }
}

/// An entry of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeEntry {
    /// The kind of the entry.
    pub kind: EntryKind,
    /// The object: a blob, a tree, or a commit for a submodule.
    pub id: ObjectId,
    /// Size of the blob in bytes, if it is known without reading the blob.
    pub bytes: Option<u64>,
}

/// A file of a revision, with its path from the root, `/` between segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeFile {
    /// The path of the file.
    pub path: String,
    /// The entry; never a directory.
    pub entry: CodeEntry,
}

/// The origin of a file, relative to an earlier revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The file that had this path in the earlier revision.
    From(String),
    /// The file was added later and comes from no file of the earlier revision.
    New,
    /// The source does not know the history between the two revisions.
    Unknown,
}

/// A file that has another path in another revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// The path of the file in the earlier revision.
    pub from: String,
    /// The path of the file in the later revision.
    pub to: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_ids_are_hex_of_two_lengths() {
        for (text, expect) in [
            ("a".repeat(40), true),
            ("0".repeat(64), true),
            ("A".repeat(40), true),
            ("a".repeat(39), false),
            ("g".repeat(40), false),
            (String::new(), false),
        ] {
            let id = ObjectId::parse(&text);
            assert_eq!(id.map(|id| id.to_string()), expect.then(|| text.to_lowercase()), "{text}");
        }
    }
}
