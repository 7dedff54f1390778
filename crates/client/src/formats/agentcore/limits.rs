//! What the service takes of an event and of a record's metadata, and what of ours does not fit. Servers that take more are held to the same, so that
//! an export means the same everywhere.

use super::shapes::WirePayload;

/// Parts of an event.
pub(super) const PAYLOAD_ITEMS_MAX: usize = 100;
/// Characters of a message.
pub(super) const TEXT_CHARS_MAX: usize = 100_000;
/// Bytes of a JSON part that strategies read.
pub(super) const JSON_BYTES_MAX: usize = 102_400;
/// Bytes of an event.
pub(super) const EVENT_BYTES_MAX: usize = 10_000_000;
/// Keys of an event's metadata.
pub(super) const EVENT_KEYS_MAX: usize = 15;
/// Keys of a record's metadata.
pub(super) const RECORD_KEYS_MAX: usize = 20;
/// Characters of a key.
const KEY_CHARS_MAX: usize = 128;
/// Characters of a value.
pub(super) const VALUE_CHARS_MAX: usize = 256;
/// Texts of a list, and the characters of each.
pub(super) const LIST_ITEMS_MAX: usize = 5;
pub(super) const LIST_CHARS_MAX: usize = 64;
/// Characters of a record's text.
pub(super) const RECORD_CHARS_MAX: usize = 16_000;

/// Why a payload does not fit; `None` where it does.
pub(super) fn unfit_payload(payload: &[WirePayload]) -> Option<String> {
    if payload.len() > PAYLOAD_ITEMS_MAX {
        return Some(format!("an event may have at most {PAYLOAD_ITEMS_MAX} parts"));
    }
    payload.iter().find_map(|item| match item {
        WirePayload::Conversational(message) => match message.content.text.chars().count() {
            1..=TEXT_CHARS_MAX => None,
            0 => Some("a message must say something".to_owned()),
            _ => Some(format!("a message may have at most {TEXT_CHARS_MAX} characters")),
        },
        WirePayload::Json(json) if json.content.get().len() > JSON_BYTES_MAX => {
            Some(format!("a part in JSON may have at most {JSON_BYTES_MAX} bytes"))
        }
        WirePayload::Json(_) | WirePayload::Blob(_) => None,
    })
}

/// A key that the service takes.
pub(super) fn is_key(key: &str) -> bool {
    (1..=KEY_CHARS_MAX).contains(&key.chars().count()) && is_plain(key)
}

/// A text of metadata that the service takes.
pub(super) fn is_value(text: &str, chars_max: usize) -> bool {
    text.chars().count() <= chars_max && is_plain(text)
}

/// Only characters of the service's alphabet.
fn is_plain(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || " \t\n\u{b}\u{c}\r._:/=+@-".contains(c);
    text.chars().all(plain)
}
