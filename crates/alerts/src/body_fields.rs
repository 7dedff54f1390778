//! Helpers that all readers share: JSON bodies, bounded texts, labels.

use std::collections::BTreeMap;

use loci_model::limits::{ALERT_LABELS_BYTES_MAX, ALERT_LABELS_MAX, SRE_NAME_CHARS_MAX, SRE_TEXT_CHARS_MAX};
use loci_model::services::alert_notice::{AlertNotice, AlertPlace};
use loci_model::{Error, Reason, Result};
use serde_json::Value;

/// Number of characters reserved for the truncation mark of a title.
const TITLE_MARK_CHARS: usize = 100;

/// The label that holds the number of labels that were left out.
const LEFT_OUT: &str = "loci_labels_left_out";

/// Reads a body as JSON of any form. The readers parse its members with tolerance.
pub(crate) fn body(bytes: &[u8], of: &str) -> Result<Value> {
    loci_json::from_slice(bytes).map_err(|error| {
        let rule = format!("the body is not what {of} sends: {error}");
        Error::invalid("body", rule).because(Reason::CannotParse)
    })
}

/// Returns the text that identifies an alert. It must fit a column, so a digest replaces a text
/// that is too long or holds control characters.
pub(crate) fn identifier(text: String) -> String {
    let is_short = text.chars().count() <= SRE_NAME_CHARS_MAX;
    if is_short && !text.chars().any(char::is_control) { text } else { format!("fnv:{:016x}", fnv(&[&text])) }
}

/// Returns the FNV-1a hash of texts, each followed by the byte 0xff, which UTF-8 text never has.
/// Prometheus computes fingerprints in this way.
pub(crate) fn fnv(texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Returns a notice for an item without effect or an unreadable item. The server only counts it.
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

/// The event of a body that has the right secret but not the form that its system sends.
pub(crate) const UNREAD: &str = "unreadable";

/// Returns a text in one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the title of an alert in one line. A title that is too long is truncated, with a mark,
/// so that the alert is not lost.
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

/// Returns labels as texts by name. A label beyond the bounds is left out, so that the alert is not
/// lost. A further label holds the number of labels that were left out.
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
