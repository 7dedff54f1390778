//! Short forms of what is stored often: codes of closed lists, keys of record ids, digests of texts.

use loci_model::{Error, RecordId, Result};

use crate::errors::{damaged, stored};

/// Roles by their code.
pub(crate) const ROLES: &[loci_model::event::Role] = &[
    loci_model::event::Role::Assistant,
    loci_model::event::Role::User,
    loci_model::event::Role::Tool,
    loci_model::event::Role::Other,
];

/// The place of a value in its closed list. Lists only grow at their end; a test holds the codes.
pub(crate) fn code_of<T: PartialEq>(all: &[T], value: T) -> i64 {
    all.iter().position(|other| *other == value).and_then(|place| i64::try_from(place).ok()).unwrap_or(-1)
}

/// The value at a place of its closed list.
pub(crate) fn of_code<T: Copy>(all: &[T], code: i64) -> Result<T> {
    usize::try_from(code).ok().and_then(|place| all.get(place)).copied().ok_or_else(|| damaged("code"))
}

/// ` AND column IN (…)` for the codes of what is wanted; nothing for none.
pub(crate) fn among_codes<T: Copy + PartialEq>(column: &str, all: &[T], wanted: &[T]) -> String {
    if wanted.is_empty() {
        return String::new();
    }
    // Codes of our own making: nothing of a caller's gets into the statement.
    let codes: Vec<String> = wanted.iter().map(|value| code_of(all, *value).to_string()).collect();
    format!(" AND {column} IN ({})", codes.join(","))
}

/// The key of a record id: the 16 bytes of its UUID; of an id of another form, its bytes.
pub(crate) fn key_of(id: &RecordId) -> Vec<u8> {
    let text = id.as_str();
    uuid_bytes(text).unwrap_or_else(|| text.as_bytes().to_vec())
}

/// The record id of a key.
pub(crate) fn id_of(key: &[u8]) -> Result<RecordId> {
    if key.len() != 16 {
        let text = stored(String::from_utf8(key.to_vec()), "record id")?;
        return stored(RecordId::parse(text), "record id");
    }
    let mut text = String::with_capacity(40);
    text.push_str("mem-");
    for (place, byte) in key.iter().enumerate() {
        if matches!(place, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for half in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(half), 16).unwrap_or('0'));
        }
    }
    RecordId::parse(text).map_err(|error| Error::bug("a record id that breaks its rule").caused_by(error))
}

/// The bytes of `mem-` and a UUID in lower case with its dashes in place.
fn uuid_bytes(text: &str) -> Option<Vec<u8>> {
    let uuid = text.strip_prefix("mem-").filter(|uuid| uuid.len() == 36)?;
    let mut digits = Vec::with_capacity(32);
    for (place, byte) in uuid.bytes().enumerate() {
        match (place, byte) {
            (8 | 13 | 18 | 23, b'-') => {}
            (8 | 13 | 18 | 23, _) => return None,
            (_, b'0'..=b'9') => digits.push(byte - b'0'),
            (_, b'a'..=b'f') => digits.push(byte - b'a' + 10),
            (_, _) => return None,
        }
    }
    Some(digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
}

/// A 64-bit digest (FNV-1a) that narrows a search; what it finds is compared in full.
pub(crate) fn digest(text: &str) -> i64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    i64::from_be_bytes(hash.to_be_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::event::Role;
    use loci_model::exchange::{ExchangeState, Step};
    use loci_model::job::{JobKind, JobState};
    use loci_model::record::{RecordKind, RecordOrigin, RecordState};

    #[test]
    fn ids_come_back() {
        for id in [
            "mem-0192d1e8-7b7a-7c3e-8f00-0123456789ab",
            "mem-0192D1E8-7b7a-7c3e-8f00-0123456789ab",
            "mem-0192d1e8_7b7a-7c3e-8f00-0123456789ab",
            "mem-0192d1e8-7b7a-7c3e-8f00-0123456789abcdef",
        ] {
            let id = RecordId::parse(id).unwrap();
            assert_eq!(id_of(&key_of(&id)).unwrap(), id);
        }
        assert_eq!(key_of(&RecordId::parse("mem-0192d1e8-7b7a-7c3e-8f00-0123456789ab").unwrap()).len(), 16);
    }

    /// A code that changed would read old rows wrongly.
    #[test]
    fn codes_stay() {
        fn words<T: Copy>(all: &[T], word: impl Fn(T) -> &'static str) -> String {
            all.iter().map(|value| word(*value)).collect::<Vec<_>>().join(" ")
        }
        assert_eq!(
            words(RecordState::ALL, RecordState::as_str),
            "active candidate superseded invalid quarantined stale expired archived rolled_back erased"
        );
        assert_eq!(
            words(RecordKind::ALL, RecordKind::as_str),
            "fact preference summary episode reflection rule investigation document"
        );
        assert_eq!(words(RecordOrigin::ALL, RecordOrigin::as_str), "extracted batch_created");
        assert_eq!(words(JobState::ALL, JobState::as_str), "pending running failed done");
        assert_eq!(words(JobKind::ALL, JobKind::as_str), "extract embed purge handover reflect");
        assert_eq!(words(Step::ALL, Step::as_str), "extract summarise consolidate reflect");
        assert_eq!(words(ExchangeState::ALL, ExchangeState::as_str), "open leased answered failed");
        assert_eq!(words(super::ROLES, Role::as_str), "ASSISTANT USER TOOL OTHER");
    }
}
