//! Encodes the ids of users, agents and sessions as segments of namespaces. Two ids never have
//! the same segment, and a segment never contains a slash. An encoded id is also a valid actor or
//! session of events.

use loci_model::limits::SRE_ID_CHARS_MAX as ID_CHARS_MAX;
use loci_model::{ActorId, Error, Result};

/// The prefix of a segment that encodes an id which is no valid segment itself.
const MARK: &str = "x--";

/// Returns the namespace segment for an id. `field` names the request member in errors.
///
/// # Errors
/// `Invalid` for an id that cannot be encoded as a segment.
pub fn encode(id: &str, field: &str) -> Result<String> {
    check(id, field)?;
    if is_verbatim(id) {
        return Ok(id.to_owned());
    }
    let mut out = MARK.to_owned();
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'-' {
            out.push(char::from(byte));
        } else {
            out.push('_');
            out.push_str(&hex::encode([byte]));
        }
    }
    Ok(out)
}

/// Returns the id that a namespace segment stands for. A segment that is not encoded is the id
/// itself.
pub fn decode(segment: &str) -> String {
    let bytes = segment.strip_prefix(MARK).and_then(decoded);
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| segment.to_owned())
}

/// Returns the id of the user whom an actor of events stands for.
pub fn user_of(actor: &ActorId) -> String {
    decode(actor.as_str())
}

/// Returns the segments of a namespace.
pub fn segments(namespace: &str) -> impl Iterator<Item = &str> {
    namespace.split('/').filter(|segment| !segment.is_empty())
}

fn decoded(rest: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(rest.len());
    let mut bytes = rest.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'_' {
            let pair = [bytes.next()?, bytes.next()?];
            out.extend(hex::decode(pair).ok()?);
        } else {
            out.push(byte);
        }
    }
    Some(out)
}

fn check(id: &str, field: &str) -> Result<()> {
    let chars = id.chars().count();
    let is_legal = |c: char| !c.is_control() && !matches!(c, '/' | '\\' | '{' | '}');
    if chars == 0 || chars > ID_CHARS_MAX || !id.chars().all(is_legal) || matches!(id, "." | "..") {
        let rule = format!(
            "{field} must have 1 to {ID_CHARS_MAX} characters without slashes, braces and control characters, and not be . or .."
        );
        return Err(Error::invalid(field, rule));
    }
    Ok(())
}

fn is_verbatim(id: &str) -> bool {
    !id.starts_with(MARK)
        && id.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn ids_become_segments_and_come_back() {
        let check = |id: &str, expect: &str| {
            let segment = encode(id, "actor_id").unwrap();
            assert_eq!(segment, expect, "{id}");
            assert_eq!(decode(&segment), id);
        };
        check("Alice", "Alice");
        check("kubernetes-agent", "kubernetes-agent");
        check("a_b", "a_b");
        check("alice@example.com", "x--alice_40example_2ecom");
        check("Alice Smith", "x--Alice_20Smith");
        check("Alice-Smith", "Alice-Smith");
        check("x--Alice_20Smith", "x--x--Alice_5f20Smith");
        check("-a", "x---a");
        check("zoë", "x--zo_c3_ab");
        check(&"a".repeat(120), &"a".repeat(120));
    }

    #[test]
    fn what_leads_elsewhere_is_refused() {
        for id in ["", ".", "..", "Alice/../Bob", "a/b", "a\\b", "{actorId}", "a\nb", &"a".repeat(121)] {
            let error = encode(id, "actor_id").unwrap_err();
            assert_eq!(error.field.as_deref(), Some("actor_id"), "{id:?}");
        }
    }

    #[test]
    fn what_was_never_encoded_is_its_own_id() {
        for segment in ["x--a_4", "x--a_zz", "x--_ff", "plain"] {
            assert_eq!(decode(segment), segment);
        }
    }

    #[test]
    fn no_two_ids_have_one_segment() {
        // Every text of up to four letters of an alphabet with the characters that encodings use.
        let alphabet: Vec<char> = "x-_2f@é".chars().collect();
        let mut ids = vec![String::new()];
        let mut seen: HashMap<String, String> = HashMap::new();
        for _ in 0..5 {
            ids = ids.iter().flat_map(|id| alphabet.iter().map(move |c| format!("{id}{c}"))).collect();
            for id in &ids {
                let segment = encode(id, "id").unwrap();
                assert_eq!(&decode(&segment), id);
                let before = seen.insert(segment, id.clone());
                assert!(before.is_none(), "{id} and {before:?}");
            }
        }
    }
}
