//! The words of the native API in errors. The engine speaks of what is on the wire (`memoryId`, `topK`); whoever sent `memory` or `top_k`
//! must find those in the answer. Variables of templates (`{actorId}`) are the same on both doors, and stay.

use std::borrow::Cow;

use loci_model::Error;

/// Members of the wire, and what they are called here.
const WORDS: &[(&str, &str)] = &[
    ("actorId", "actor"),
    ("clientToken", "Idempotency-Key"),
    ("eventExpiryDuration", "event_expiry_days"),
    ("eventId", "event"),
    ("eventTimestamp", "time"),
    ("indexedKeys", "indexed_keys"),
    ("maxResults", "limit"),
    ("memoryId", "memory"),
    ("memoryRecordId", "record"),
    ("memoryStrategyId", "strategy"),
    ("metadataFilters", "metadata"),
    ("namespaceKeys", "namespace_keys"),
    ("namespacePath", "namespace_paths"),
    ("nextToken", "cursor"),
    ("recordExpiryDurationDays", "record_expiry_days"),
    ("searchQuery", "query"),
    ("sessionId", "session"),
    ("topK", "top_k"),
];

/// The error in the words of this door.
pub(super) fn native(mut error: Error) -> Error {
    if let Cow::Owned(message) = replaced(&error.message) {
        error.message = message;
    }
    if let Some(field) = &mut error.field
        && let Cow::Owned(named) = replaced(field)
    {
        *field = named;
    }
    error
}

/// Whole words only.
fn replaced(text: &str) -> Cow<'_, str> {
    // Every one of them has a capital in it, and most texts have none.
    if !text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Borrowed(text);
    }
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut out = String::new();
    let mut rest = text;
    let mut before = b' ';
    while !rest.is_empty() {
        let length = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let (word, tail) = rest.split_at(length);
        match WORDS.iter().find(|(wire, _)| *wire == word).filter(|_| before != b'{') {
            Some((_, native)) => out.push_str(native),
            None => out.push_str(word),
        }
        let next = tail.chars().next();
        out.extend(next);
        before = tail.as_bytes().first().copied().unwrap_or(b' ');
        rest = tail.get(next.map_or(0, char::len_utf8)..).unwrap_or_default();
    }
    if out == text { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_wire_become_those_of_this_door() {
        let check = |text: &str, expect: &str| assert_eq!(replaced(text), expect);
        check("memoryId must be the memory's name", "memory must be the memory's name");
        check("topK must be 1 to 100", "top_k must be 1 to 100");
        check("metadataFilters[1].operator is unknown", "metadata[1].operator is unknown");
        check(
            "a template may hold {actorId}; actorId is given",
            "a template may hold {actorId}; actor is given",
        );
        check("myTopK and topKey stay", "myTopK and topKey stay");
        check("größer als topK", "größer als top_k");
        check("", "");
        let error = native(Error::invalid("topK", "topK must be at least 1"));
        assert_eq!(
            (error.field.as_deref(), error.message.as_str()),
            (Some("top_k"), "top_k must be at least 1")
        );
    }
}
