//! Short forms of values that are stored often: numbers for the members of closed lists, binary
//! keys for record ids, and digests of texts.

use loci_model::delivery::{DeliveryDirection, DeliveryState};
use loci_model::idempotency::TokenScope;
use loci_model::{Error, RecordId, Result};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// Returns the error for a stored value that cannot be read; `what` names the value. Either
/// another program changed the database, or Loci has a bug.
pub fn damaged(what: &str) -> Error {
    Error::bug(format!(
        "a stored {what} cannot be read: the database was changed from outside; restore a backup"
    ))
}

/// Returns a stored value after parsing. A value that does not parse gives the error [`damaged`].
///
/// # Errors
/// A bug, if the value is invalid.
pub fn stored<T, E>(value: std::result::Result<T, E>, what: &str) -> Result<T>
where
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    value.map_err(|error| damaged(what).caused_by(error))
}

/// Returns a value as JSON.
///
/// # Errors
/// A bug, if it cannot be serialised.
pub fn json<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Error::bug("a value that cannot be written as JSON").caused_by(error))
}

/// Returns the text of an optional id.
pub fn optional<T: AsRef<str>>(id: Option<&T>) -> Option<&str> {
    id.map(AsRef::as_ref)
}

/// The roles of messages; the index of a role in the list is its stored code.
pub const ROLES: &[loci_model::event::Role] = &[
    loci_model::event::Role::Assistant,
    loci_model::event::Role::User,
    loci_model::event::Role::Tool,
    loci_model::event::Role::Other,
];

/// The directions of deliveries; the index of a direction in the list is its stored code.
pub const DIRECTIONS: &[DeliveryDirection] = &[DeliveryDirection::In, DeliveryDirection::Out];

/// The states of deliveries; the index of a state in the list is its stored code.
pub const DELIVERY_STATES: &[DeliveryState] =
    &[DeliveryState::Pending, DeliveryState::Done, DeliveryState::Failed];

/// Returns the stored code of a value: its index in the list `all`. New values are only appended
/// to such a list, and a test fixes the codes.
pub fn code_of<T: PartialEq>(all: &[T], value: T) -> i64 {
    all.iter().position(|other| *other == value).and_then(|place| i64::try_from(place).ok()).unwrap_or(-1)
}

/// Returns the value of the list `all` with this stored code.
pub fn of_code<T: Copy>(all: &[T], code: i64) -> Result<T> {
    usize::try_from(code).ok().and_then(|place| all.get(place)).copied().ok_or_else(|| damaged("code"))
}

/// Returns the SQL condition ` AND column IN (…)` with the codes of the wanted values. The
/// condition is empty if no value is wanted, which selects all rows.
pub fn among_codes<T: Copy + PartialEq>(column: &str, all: &[T], wanted: &[T]) -> String {
    if wanted.is_empty() {
        return String::new();
    }
    // The codes are constants: no input of a caller is in the statement.
    let codes: Vec<String> = wanted.iter().map(|value| code_of(all, *value).to_string()).collect();
    format!(" AND {column} IN ({})", codes.join(","))
}

/// Returns the stored key of a record id: the 16 bytes of the UUID, or the bytes of the text if
/// the id has another form.
pub fn key_of(id: &RecordId) -> Vec<u8> {
    let text = id.as_str();
    text.strip_prefix("mem-").and_then(uuid_bytes).unwrap_or_else(|| text.as_bytes().to_vec())
}

/// Returns the stored form of an id that is usually a UUID: its 16 bytes. Any other id has no
/// zero characters and is stored as its bytes and one zero byte, or two if the result would be 16
/// bytes long like a UUID.
pub fn short_of(id: &str) -> Vec<u8> {
    uuid_bytes(id).unwrap_or_else(|| {
        let mut bytes = id.as_bytes().to_vec();
        bytes.push(0);
        if bytes.len() == 16 {
            bytes.push(0);
        }
        bytes
    })
}

/// Returns the id whose stored form [`short_of`] created.
///
/// # Errors
/// A bug, if it is damaged.
pub fn of_short(bytes: &[u8]) -> Result<String> {
    if bytes.len() == 16 {
        return Ok(uuid_text("", bytes));
    }
    let text = stored(std::str::from_utf8(bytes), "id")?;
    Ok(text.trim_end_matches('\0').to_owned())
}

/// Returns the record id whose stored key [`key_of`] created.
pub fn id_of(key: &[u8]) -> Result<RecordId> {
    if key.len() != 16 {
        let text = stored(String::from_utf8(key.to_vec()), "record id")?;
        return stored(RecordId::parse(text), "record id");
    }
    RecordId::parse(uuid_text("mem-", key))
        .map_err(|error| Error::bug("a record id that breaks its rule").caused_by(error))
}

/// Returns the text `before`, followed by the UUID with these bytes in lower case with dashes.
fn uuid_text(before: &str, bytes: &[u8]) -> String {
    let mut text = String::with_capacity(40);
    text.push_str(before);
    for (place, byte) in bytes.iter().enumerate() {
        if matches!(place, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for half in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(half), 16).unwrap_or('0'));
        }
    }
    text
}

/// Returns the 16 bytes of a UUID in lower case with dashes; `None` for any other text.
fn uuid_bytes(uuid: &str) -> Option<Vec<u8>> {
    if uuid.len() != 36 {
        return None;
    }
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

/// Returns a 64-bit digest (FNV-1a) by which an index finds texts. Callers compare the texts that
/// it finds in full, because two texts may have the same digest.
pub fn digest(text: &str) -> i64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    i64::from_be_bytes(hash.to_be_bytes())
}

/// Returns bytes as lower-case hex digits.
pub fn hex_digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the bytes of hex digits; `None` if the text is invalid.
pub fn bytes_of_hex(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// Returns the stored digest of an idempotency token in its scope. It has 128 bits, so that
/// nobody can construct two tokens with the same digest.
pub fn token_digest(scope: &TokenScope) -> Vec<u8> {
    let mut hash = Sha256::new();
    for part in [&scope.place, &scope.operation, &scope.token] {
        hash.update(part.len().to_be_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().copied().take(16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::event::Role;
    use loci_model::facts::fact::FactEventKind;
    use loci_model::facts::verdict::{Method, Verdict};
    use loci_model::job::JobState;
    use loci_model::job::exchange::{ExchangeState, Step};
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

    #[test]
    fn short_forms_come_back() {
        for id in
            ["0192d1e8-7b7a-7c3e-8f00-0123456789ab", "r", "fifteen letters", "sixteen letters.", "räuber"]
        {
            assert_eq!(of_short(&short_of(id)).unwrap(), id);
        }
        assert_eq!(short_of("0192d1e8-7b7a-7c3e-8f00-0123456789ab").len(), 16);
        assert_ne!(short_of("fifteen letters").len(), 16);
    }

    /// A changed code would misread existing rows.
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
        assert_eq!(
            words(Step::ALL, Step::as_str),
            "extract summarise consolidate reflect review_rules tree_plan agent_response"
        );
        assert_eq!(words(ExchangeState::ALL, ExchangeState::as_str), "open leased answered failed");
        assert_eq!(
            words(FactEventKind::ALL, FactEventKind::as_str),
            "created retrieved verified_valid verified_invalid corrected refreshed superseded applied invalidated reanchored \
             quarantined restored expired deleted verification_skipped contradiction_detected conflict_detected rejected_store"
        );
        assert_eq!(words(Verdict::ALL, Verdict::as_str), "valid drifted gone contradicted unverifiable");
        assert_eq!(
            words(Method::ALL, Method::as_str),
            "unchanged in_place moved renamed relocated reformatted split fuzzy by_claims unanchored none"
        );
        assert_eq!(words(super::ROLES, Role::as_str), "ASSISTANT USER TOOL OTHER");
        assert_eq!(words(DELIVERY_STATES, DeliveryState::as_str), "pending done failed");
        assert_eq!(DIRECTIONS, [DeliveryDirection::In, DeliveryDirection::Out]);
    }
}
