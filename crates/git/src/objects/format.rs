//! The two hash functions of git, and the hashed data. The configuration of a repository specifies
//! its hash function.

use loci_model::facts::code::ObjectId;
use sha1::Sha1;
use sha2::{Digest as _, Sha256};

/// The type of a git object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Commit,
    Tree,
    Blob,
    Tag,
}

impl ObjectKind {
    const ALL: [Self; 4] = [Self::Commit, Self::Tree, Self::Blob, Self::Tag];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
            Self::Blob => "blob",
            Self::Tag => "tag",
        }
    }

    pub(crate) fn of_word(word: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word().as_bytes() == word)
    }
}

/// The hash function of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HashFormat {
    Sha1,
    Sha256,
}

impl HashFormat {
    /// Returns the number of bytes of an object id.
    pub(crate) fn id_bytes(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }

    /// Returns the id of an object with this content.
    pub(crate) fn id_of(self, kind: ObjectKind, content: &[u8]) -> Option<ObjectId> {
        let head = format!("{} {}\0", kind.word(), content.len());
        match self {
            Self::Sha1 => {
                ObjectId::from_bytes(&Sha1::new().chain_update(head).chain_update(content).finalize())
            }
            Self::Sha256 => {
                ObjectId::from_bytes(&Sha256::new().chain_update(head).chain_update(content).finalize())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_git() {
        for (format, expect) in [
            (HashFormat::Sha1, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
            (HashFormat::Sha256, "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"),
        ] {
            let id = format.id_of(ObjectKind::Blob, b"").map(|id| id.to_string());
            assert_eq!(id.as_deref(), Some(expect));
        }
    }
}
