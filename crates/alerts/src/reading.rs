//! Helpers that readers share: bodies as JSON, texts within bounds, labels. Nothing of one system.

use std::collections::BTreeMap;

use loci_model::limits::{ALERT_LABELS_BYTES_MAX, ALERT_LABELS_MAX, SRE_NAME_CHARS_MAX, SRE_TEXT_CHARS_MAX};
use loci_model::services::alert_notice::{AlertNotice, AlertPlace};
use loci_model::{Error, Reason, Result};
use serde_json::Value;

/// Room for what a title that is cut says of it.
const TITLE_MARK_CHARS: usize = 100;

/// The label that says how many were left out.
const LEFT_OUT: &str = "loci_labels_left_out";

/// Reads a body: JSON, whatever its form. Its members are read with tolerance.
pub(crate) fn body(bytes: &[u8], of: &str) -> Result<Value> {
    loci_json::from_slice(bytes).map_err(|error| {
        let rule = format!("the body is not what {of} sends: {error}");
        Error::invalid("body", rule).because(Reason::CannotParse)
    })
}

/// The text that tells alerts apart must fit a column: a longer one is replaced by its digest.
pub(crate) fn identifier(text: String) -> String {
    let is_short = text.chars().count() <= SRE_NAME_CHARS_MAX;
    if is_short && !text.chars().any(char::is_control) { text } else { format!("fnv:{:016x}", fnv(&[&text])) }
}

/// The FNV-1a hash of texts, each with a byte behind it that no text has: what Prometheus makes fingerprints of.
pub(crate) fn fnv(texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// An item of no use, or one that cannot be read: counted, and nothing follows from it.
pub(crate) fn of_no_use(event: &str, identity: String) -> AlertNotice {
    AlertNotice {
        identity,
        event: event.to_owned(),
        change: None,
        fingerprint: String::new(),
        title: String::new(),
        place: AlertPlace::default(),
        labels: BTreeMap::new(),
        starts_at: None,
        ends_at: None,
        group_key: None,
        url: None,
    }
}

/// The event of something that came with the right secret and says nothing that its system sends.
pub(crate) const UNREAD: &str = "unreadable";

/// A text in one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What an alert is about, in one line: one that is too long loses no alert, it is cut and says so.
pub(crate) fn title(text: &str) -> String {
    let whole = one_line(text);
    let chars = whole.chars().count();
    if chars <= SRE_TEXT_CHARS_MAX {
        return whole;
    }
    let kept = SRE_TEXT_CHARS_MAX - TITLE_MARK_CHARS;
    let head: String = whole.chars().take(kept).collect();
    format!("{head}…[truncated, {kept} of {chars} characters]")
}

/// Labels: texts by name. One label that is too long, or one too many, loses no alert: it is left out, and a label says how many were.
pub(crate) fn labels(values: impl IntoIterator<Item = (String, Value)>) -> BTreeMap<String, String> {
    let mut kept = BTreeMap::new();
    let (mut left_out, mut bytes) = (0_usize, 0_usize);
    for (name, value) in values {
        let text = match value {
            Value::String(text) => text,
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => continue,
        };
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let more = name.len().saturating_add(text.len());
        if kept.len() >= ALERT_LABELS_MAX || bytes.saturating_add(more) > ALERT_LABELS_BYTES_MAX {
            left_out += 1;
            continue;
        }
        bytes += more;
        kept.insert(name, text);
    }
    if left_out > 0 {
        kept.insert(LEFT_OUT.to_owned(), left_out.to_string());
    }
    kept
}
