//! Limits of event content. In the mode `strict` an event over a limit is rejected; in the mode
//! `lenient` it is stored and marked.

use std::collections::BTreeMap;

use loci_model::event::{EventLoad, PayloadItem};
use loci_model::memory::settings::EventLimits;
use loci_model::{Error, ErrorKind, Reason, Result, limits};
use loci_text::tokens::estimate_tokens;

/// Checks the content of an event against the limits. Returns true if it exceeds a limit and is
/// stored nevertheless.
pub(crate) fn check(
    mode: EventLimits,
    payload: &[PayloadItem],
    metadata: &BTreeMap<String, String>,
) -> Result<bool> {
    let bytes: usize = payload.iter().map(item_bytes).sum();
    if bytes > limits::EVENT_BYTES_MAX {
        let rule = "an event must have at most 10 MiB of content: send several events";
        return Err(Error::new(ErrorKind::Invalid, rule)
            .on("payload")
            .because(Reason::FieldValidationFailed));
    }
    match (first_violation(payload, metadata), mode) {
        (None, _) => Ok(false),
        (Some(_), EventLimits::Lenient) => Ok(true),
        (Some((field, rule)), EventLimits::Strict) => Err(Error::invalid(field, rule)),
    }
}

/// Returns the numbers of messages and tokens that strategies must read in a payload. Blobs do
/// not count, nor the items at the indices `repeated`, which an earlier event contained.
pub(crate) fn load(payload: &[PayloadItem], repeated: &[u32]) -> EventLoad {
    let mut load = EventLoad::default();
    for (at, item) in (0_u32..).zip(payload) {
        let text = match item {
            PayloadItem::Conversational { text, .. } => text.as_str(),
            PayloadItem::Json(document) => document.as_str(),
            PayloadItem::Blob(_) => continue,
        };
        if !repeated.contains(&at) {
            load.messages = load.messages.saturating_add(1);
            load.tokens = load.tokens.saturating_add(estimate_tokens(text));
        }
    }
    load
}

fn item_bytes(item: &PayloadItem) -> usize {
    match item {
        PayloadItem::Conversational { text, .. } => text.len(),
        PayloadItem::Blob(document) | PayloadItem::Json(document) => document.as_str().len(),
    }
}

fn first_violation(
    payload: &[PayloadItem],
    metadata: &BTreeMap<String, String>,
) -> Option<(&'static str, &'static str)> {
    if payload.len() > limits::PAYLOAD_ITEMS_MAX {
        return Some(("payload", "payload must have at most 100 items"));
    }
    if metadata.len() > limits::EVENT_METADATA_KEYS_MAX {
        return Some(("metadata", "metadata must have at most 15 entries"));
    }
    if !metadata.keys().all(|key| is_metadata_text(key, 1, limits::METADATA_KEY_CHARS_MAX)) {
        let rule = "metadata keys must have 1 to 128 letters, digits, spaces and . _ : / = + @ -";
        return Some(("metadata", rule));
    }
    if !metadata.values().all(|value| is_metadata_text(value, 0, limits::EVENT_METADATA_VALUE_CHARS_MAX)) {
        let rule = "metadata values must have at most 256 letters, digits, spaces and . _ : / = + @ -";
        return Some(("metadata", rule));
    }
    payload.iter().find_map(|item| match item {
        PayloadItem::Conversational { text, .. } if text.is_empty() => {
            Some(("payload.conversational.content.text", "a message must not be empty"))
        }
        PayloadItem::Conversational { text, .. } if text.chars().count() > limits::MESSAGE_CHARS_MAX => {
            Some(("payload.conversational.content.text", "a message must have at most 100,000 characters"))
        }
        PayloadItem::Json(document) if document.as_str().len() > limits::JSON_ITEM_BYTES_MAX => {
            Some(("payload.json.content", "json content must have at most 102,400 bytes"))
        }
        PayloadItem::Conversational { .. } | PayloadItem::Json(_) | PayloadItem::Blob(_) => None,
    })
}

fn is_metadata_text(text: &str, min: usize, max: usize) -> bool {
    let space = |c: char| c.is_ascii_whitespace() || c == '\x0b';
    let legal = |c: char| c.is_ascii_alphanumeric() || space(c) || "._:/=+@-".contains(c);
    (min..=max).contains(&text.chars().count()) && text.chars().all(legal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::event::Role;

    fn message(length: usize) -> PayloadItem {
        PayloadItem::Conversational { role: Role::User, text: "x".repeat(length) }
    }

    #[test]
    fn at_the_limit_and_one_over() {
        let check = |payload: &[PayloadItem], metadata: &BTreeMap<String, String>, over: bool| {
            assert_eq!(super::check(EventLimits::Lenient, payload, metadata).unwrap(), over);
            assert_eq!(super::check(EventLimits::Strict, payload, metadata).is_err(), over);
        };
        let none = BTreeMap::new();
        check(&[message(loci_model::limits::MESSAGE_CHARS_MAX)], &none, false);
        check(&[message(loci_model::limits::MESSAGE_CHARS_MAX + 1)], &none, true);
        check(&vec![message(1); loci_model::limits::PAYLOAD_ITEMS_MAX], &none, false);
        check(&vec![message(1); loci_model::limits::PAYLOAD_ITEMS_MAX + 1], &none, true);
        let value = |length| BTreeMap::from([("k".to_owned(), "x".repeat(length))]);
        check(&[], &value(loci_model::limits::EVENT_METADATA_VALUE_CHARS_MAX), false);
        check(&[], &value(loci_model::limits::EVENT_METADATA_VALUE_CHARS_MAX + 1), true);
        check(&[], &BTreeMap::from([("k".to_owned(), "{}".to_owned())]), true);
        let key = |key: String| BTreeMap::from([(key, "v".to_owned())]);
        check(&[], &key("k".repeat(loci_model::limits::METADATA_KEY_CHARS_MAX)), false);
        check(&[], &key("k".repeat(loci_model::limits::METADATA_KEY_CHARS_MAX + 1)), true);
        check(&[], &key(String::new()), true);
        check(&[], &key("k{".to_owned()), true);
    }

    #[test]
    fn the_size_of_an_event_is_never_lenient() {
        let big = vec![message(1024 * 1024); 11];
        assert!(super::check(EventLimits::Lenient, &big, &BTreeMap::new()).is_err());
    }
}
