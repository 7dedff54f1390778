//! Members of an object that another system wrote, read with tolerance. A missing member is absent.
//! A member of another type, or one that is too long, is left out under its name. Senders of alerts
//! do not repeat a rejected request, so one malformed member must not lose the alert.

use std::collections::BTreeMap;

use loci_model::Timestamp;
use loci_model::limits::SRE_TEXT_CHARS_MAX;
use serde_json::{Map, Value};

use crate::body_fields::one_line;

/// The label that names the members that were left out.
pub(crate) const LEFT_OUT: &str = "loci_members_left_out";

/// An object's members, and the names of those that could not be read.
pub(crate) struct Members<'b> {
    members: Option<&'b Map<String, Value>>,
    left_out: Vec<&'static str>,
}

impl<'b> Members<'b> {
    /// Returns the members of a value; none if it is not an object.
    pub(crate) fn of(value: Option<&'b Value>) -> Self {
        Self { members: value.and_then(Value::as_object), left_out: Vec::new() }
    }

    /// Returns a member; a null member is absent.
    pub(crate) fn get(&self, name: &str) -> Option<&'b Value> {
        self.members?.get(name).filter(|value| !value.is_null())
    }

    /// Returns a text that is not blank; numbers and booleans become texts, too.
    pub(crate) fn text(&mut self, name: &'static str) -> Option<String> {
        match self.get(name)? {
            Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
            value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => self.leave_out(name),
        }
    }

    /// Returns a text in one line, up to [`SRE_TEXT_CHARS_MAX`] characters.
    pub(crate) fn line(&mut self, name: &'static str) -> Option<String> {
        let line = one_line(&self.text(name)?);
        if line.chars().count() > SRE_TEXT_CHARS_MAX { self.leave_out(name) } else { Some(line) }
    }

    /// Returns a time: RFC 3339, or a number since 1970 in seconds, milli-, micro- or nanoseconds,
    /// also as a text. Some senders write a time in year one to mean that there is none yet.
    pub(crate) fn time(&mut self, name: &'static str) -> Option<Timestamp> {
        let value = self.get(name)?;
        if value.as_str().is_some_and(|text| text.trim().is_empty() || is_of_year_one(text)) {
            return None;
        }
        time(value).or_else(|| self.leave_out(name))
    }

    /// Returns an object's members.
    pub(crate) fn object(&mut self, name: &'static str) -> Map<String, Value> {
        match self.get(name) {
            Some(Value::Object(members)) => members.clone(),
            Some(_) => self.leave_out(name).unwrap_or_default(),
            None => Map::new(),
        }
    }

    /// Adds a label that names the members that were left out, if there are any.
    pub(crate) fn note_left_out(&self, labels: &mut BTreeMap<String, String>) {
        if !self.left_out.is_empty() {
            labels.insert(LEFT_OUT.to_owned(), self.left_out.join(","));
        }
    }

    fn leave_out<T>(&mut self, name: &'static str) -> Option<T> {
        if !self.left_out.contains(&name) {
            self.left_out.push(name);
        }
        None
    }
}

/// True for Go's zero time, in any spelling.
fn is_of_year_one(text: &str) -> bool {
    text.trim().starts_with("0001-01-01")
}

/// Returns a value as a time.
pub(crate) fn time(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => {
            let text = text.trim();
            Timestamp::parse(text).ok().or_else(|| since_1970(text.parse().ok()?))
        }
        Value::Number(number) => since_1970(number.as_i64()?),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Returns the time of a number since 1970. Its magnitude determines the unit: from 1973 to 5138
/// the four ranges do not overlap.
fn since_1970(number: i64) -> Option<Timestamp> {
    const MILLIS: i64 = 100_000_000_000;
    let millis = match number {
        ..0 => return None,
        0..MILLIS => number.checked_mul(1_000)?,
        MILLIS..100_000_000_000_000 => number,
        100_000_000_000_000..100_000_000_000_000_000 => number / 1_000,
        _ => number / 1_000_000,
    };
    Timestamp::from_millis(millis).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_of_any_unit() {
        let at = Timestamp::parse("2026-11-22T08:01:00.636Z").unwrap();
        for value in [
            json!("2026-11-22T08:01:00.636Z"),
            json!("2026-11-22T09:01:00.636+01:00"),
            json!(1_795_334_460_636_i64),
            json!("1795334460636"),
            json!(1_795_334_460_636_173_i64),
            json!(1_795_334_460_636_000_173_i64),
            json!("1795334460636000173"),
        ] {
            assert_eq!(time(&value), Some(at), "{value}");
        }
        assert_eq!(time(&json!(1_795_334_460)).map(Timestamp::millis), Some(1_795_334_460_000));
        for value in [json!("soon"), json!(-1), json!(1.5), json!([]), json!(null), json!("")] {
            assert_eq!(time(&value), None, "{value}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_left_out_by_name() {
        let value = json!({"a": "x", "n": 7, "list": [], "long": "x".repeat(SRE_TEXT_CHARS_MAX + 1), "at": "soon",
            "none": "0001-01-01T00:00:00.000Z", "empty": "", "null": null});
        let mut members = Members::of(Some(&value));
        assert_eq!(members.text("a").as_deref(), Some("x"));
        assert_eq!(members.text("n").as_deref(), Some("7"));
        let mut labels = BTreeMap::new();
        members.note_left_out(&mut labels);
        assert!(labels.is_empty());
        assert_eq!((members.text("list"), members.line("long"), members.time("at")), (None, None, None));
        assert_eq!((members.time("none"), members.time("empty"), members.time("null")), (None, None, None));
        members.note_left_out(&mut labels);
        assert_eq!(labels[LEFT_OUT], "list,long,at");
        assert!(Members::of(Some(&json!([]))).get("a").is_none());
    }
}
