//! Numbers and keys that are computed as digests of names instead of looked up: of memories,
//! models, sessions and groups. They are long enough to make collisions practically impossible.
//! Where a collision would do harm, inserting the second name fails.

use std::error::Error as StdError;

use loci_model::{ActorId, MemoryId, SessionId};
use sha2::{Digest, Sha256};
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// A digest of sixteen bytes, stored as a `uuid`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key16([u8; 16]);

impl ToSql for Key16 {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        out.extend_from_slice(&self.0);
        Ok(IsNull::No)
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::UUID
    }

    to_sql_checked!();
}

impl FromSql<'_> for Key16 {
    fn from_sql(_: &Type, raw: &[u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(raw.try_into()?))
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::UUID
    }
}

fn hash(what: &str, parts: &[&str]) -> impl Iterator<Item = u8> {
    let mut hash = Sha256::new();
    hash.update(what.as_bytes());
    for part in parts {
        // Prefix each part with its length, so that different lists give different inputs.
        hash.update(part.len().to_be_bytes());
        hash.update(part.as_bytes());
    }
    let bytes: Vec<u8> = hash.finalize().iter().copied().collect();
    bytes.into_iter()
}

fn key16(what: &str, parts: &[&str]) -> Key16 {
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(hash(what, parts)).for_each(|(to, from)| *to = from);
    Key16(bytes)
}

/// Returns a positive number as the digest of a name. Zero is reserved for the server itself.
fn number(what: &str, parts: &[&str]) -> i64 {
    let value = hash(what, parts).take(8).fold(0_i64, |number, byte| number << 8 | i64::from(byte));
    (value & i64::MAX).max(1)
}

/// Returns the number of a memory.
pub(crate) fn memory_number(memory: &MemoryId) -> i64 {
    number("memory", &[memory.as_str()])
}

/// Returns the number of an embedding model.
pub(crate) fn model_number(model: &str) -> i64 {
    number("model", &[model])
}

/// Returns the key of a session within its memory.
pub(crate) fn session_key(actor: &ActorId, session: &SessionId) -> Key16 {
    key16("session", &[actor.as_str(), session.as_str()])
}

/// Returns the key of a group within its memory: a namespace in normal form and a strategy (`""`:
/// none).
pub(crate) fn group_key(normal: &str, strategy: &str) -> Key16 {
    key16("group", &[normal, strategy])
}

/// Returns the key of a conversation within its group. `None` for an absent part.
pub(crate) fn chain_key(group: Key16, parts: [Option<&str>; 3]) -> Key16 {
    let group: String = group.0.iter().map(|byte| format!("{byte:02x}")).collect();
    // Mark each part that is present: an absent part differs from an empty text.
    let parts = parts.map(|part| part.map_or_else(String::new, |part| format!("={part}")));
    let [actor, session, branch] = &parts;
    key16("chain", &[&group, actor, session, branch])
}

/// The kind of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    /// A term of a text.
    Term,
    /// A metadata key, or a key and a text.
    Mark,
    /// An actor.
    Actor,
    /// A session.
    Session,
    /// A namespace and a path within it.
    Path,
}

/// Returns the number of a word within its memory. It is computed for every term of every text, so
/// no cryptographic digest is used. Memories that share a table have different numbers for the same
/// word.
pub(crate) fn word_number(memory: i64, word: Word, text: &str) -> i64 {
    let seed = mixed(memory.cast_unsigned().wrapping_mul(8).wrapping_add(word as u64));
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64 ^ seed, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (mixed(hash) >> 1).cast_signed()
}

/// Mixes a value: every bit of the result depends on every bit of the value.
fn mixed(value: u64) -> u64 {
    let value = (value ^ (value >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let value = (value ^ (value >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    value ^ (value >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows are found by these digests, so they must never change.
    #[test]
    fn digests_stay() {
        let memory = MemoryId::parse("notes-0123456789").unwrap();
        assert_eq!(memory_number(&memory), memory_number(&memory));
        assert!(memory_number(&memory) > 0);
        assert_ne!(group_key("/a/", "b"), group_key("/a", "/b"));
        assert_eq!(word_number(7, Word::Term, "bee"), word_number(7, Word::Term, "bee"));
        assert_ne!(word_number(7, Word::Term, "bee"), word_number(8, Word::Term, "bee"));
        assert_ne!(word_number(7, Word::Term, "bee"), word_number(7, Word::Mark, "bee"));
        let group = group_key("/", "");
        assert_ne!(chain_key(group, [None, Some(""), None]), chain_key(group, [None, None, None]));
    }
}
