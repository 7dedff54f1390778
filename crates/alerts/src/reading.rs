//! What readers share: bodies as JSON, texts within bounds, times. Nothing of one system.

use std::collections::BTreeMap;

use loci_model::limits::{
    ALERT_LABELS_BYTES_MAX, ALERT_LABELS_MAX, ALERT_NEWS_MAX, SRE_NAME_CHARS_MAX, SRE_TEXT_CHARS_MAX,
};
use loci_model::{Error, Reason, Result, Timestamp};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Room for what a title that is cut says of it.
const TITLE_MARK_CHARS: usize = 100;

/// The label that says how many were left out.
const LEFT_OUT: &str = "loci_labels_left_out";

/// Reads a body.
pub(crate) fn body<T: DeserializeOwned>(bytes: &[u8], of: &str) -> Result<T> {
    loci_json::from_slice(bytes).map_err(|error| {
        let rule = format!("the body is not what {of} sends: {error}");
        Error::invalid("body", rule).because(Reason::CannotParse)
    })
}

/// What tells alerts apart must fit a column; a text that does not is no sender's.
pub(crate) fn identifier(text: String, field: &str) -> Result<String> {
    let is_good = !text.trim().is_empty() && text.chars().count() <= SRE_NAME_CHARS_MAX;
    if is_good && !text.chars().any(char::is_control) {
        return Ok(text);
    }
    let rule = format!("{field} must be a text of 1 to {SRE_NAME_CHARS_MAX} characters");
    Err(Error::invalid(field, rule))
}

/// A time, where there is one.
pub(crate) fn time(text: Option<&str>, field: &str) -> Result<Option<Timestamp>> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    Timestamp::parse(text).map(Some).map_err(|error| error.on(field))
}

/// A line of what outsiders wrote, whole: what is longer than a text of this memory is refused, not cut.
pub(crate) fn line(text: &str, field: &str) -> Result<String> {
    let one: Vec<&str> = text.split_whitespace().collect();
    let one = one.join(" ");
    if one.chars().count() <= SRE_TEXT_CHARS_MAX {
        return Ok(one);
    }
    Err(Error::invalid(field, format!("{field} must have at most {SRE_TEXT_CHARS_MAX} characters")))
}

/// What an alert is about, in one line: one that is too long loses no alert, it is cut and says so.
pub(crate) fn title(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let whole = words.join(" ");
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

/// So much news may come in one body.
pub(crate) fn bounded<T>(items: Vec<T>, field: &str) -> Result<Vec<T>> {
    if items.len() <= ALERT_NEWS_MAX {
        return Ok(items);
    }
    let remedy = format!("{field} has more than {ALERT_NEWS_MAX} items: set max_alerts at the sender");
    Err(Error::invalid(field, remedy))
}
