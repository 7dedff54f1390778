//! The service's limits for events and for the metadata of records, and checks against them. They
//! apply to servers with higher limits, too, so that an export gives the same result everywhere.

use super::shapes::WirePayload;

/// The maximum of parts of an event.
pub(super) const PAYLOAD_ITEMS_MAX: usize = 100;
/// The maximum of characters of a message.
pub(super) const TEXT_CHARS_MAX: usize = 100_000;
/// The maximum of bytes of a JSON part that strategies read.
pub(super) const JSON_BYTES_MAX: usize = 102_400;
/// The maximum of bytes of an event.
pub(super) const EVENT_BYTES_MAX: usize = 10_000_000;
/// The maximum of keys of an event's metadata.
pub(super) const EVENT_KEYS_MAX: usize = 15;
/// The maximum of keys of a record's metadata.
pub(super) const RECORD_KEYS_MAX: usize = 20;
/// The maximum of characters of a key.
const KEY_CHARS_MAX: usize = 128;
/// The maximum of characters of a value.
pub(super) const VALUE_CHARS_MAX: usize = 256;
/// The maximum of texts of a list, and of characters of each.
pub(super) const LIST_ITEMS_MAX: usize = 5;
pub(super) const LIST_CHARS_MAX: usize = 64;
/// The maximum of characters of a record's text.
pub(super) const RECORD_CHARS_MAX: usize = 16_000;

/// Returns the reason why a payload does not fit; `None` if it fits.
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

/// True for a key that the service accepts.
pub(super) fn is_key(key: &str) -> bool {
    (1..=KEY_CHARS_MAX).contains(&key.chars().count()) && is_plain(key)
}

/// True for a metadata text that the service accepts.
pub(super) fn is_value(text: &str, chars_max: usize) -> bool {
    text.chars().count() <= chars_max && is_plain(text)
}

/// True if a text contains only characters of the service's alphabet.
fn is_plain(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || " \t\n\u{b}\u{c}\r._:/=+@-".contains(c);
    text.chars().all(plain)
}
