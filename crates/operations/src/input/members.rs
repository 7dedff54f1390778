//! Parses JSON of callers member by member. Each member has a rule, and unknown members are
//! rejected. Pure. An error names the member under `data`, the rule, and the remedy.

use loci_model::{Error, Result, Timestamp};
use serde_json::{Map, Value};

/// The tolerated clock difference, in milliseconds.
const CLOCKS_APART_MS: i64 = 300_000;

/// The members of an object that are not read yet.
pub(crate) struct Members {
    left: Map<String, Value>,
    place: String,
}

impl Members {
    /// Returns the members of an object. `place` is its name in errors.
    pub(crate) fn of(value: Value, place: &str) -> Result<Self> {
        match value {
            Value::Object(left) => Ok(Self { left, place: place.to_owned() }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Err(Error::invalid(
                    place,
                    format!("{place} must be a JSON object: send its members by their names"),
                ))
            }
        }
    }

    /// Returns an error about a member.
    pub(crate) fn wrong(&self, name: &str, rule: &str) -> Error {
        Error::invalid(format!("{}.{name}", self.place), format!("{name} {rule}"))
    }

    /// Removes and returns a member. Null counts as absent.
    pub(crate) fn take(&mut self, name: &str) -> Option<Value> {
        self.left.remove(name).filter(|value| !value.is_null())
    }

    /// Reads a text of at most `chars_max` characters. `None` if it is empty.
    pub(crate) fn text(&mut self, name: &str, chars_max: usize) -> Result<Option<String>> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let rule = || self.wrong(name, &format!("must be a text of at most {chars_max} characters"));
        let text = value.as_str().ok_or_else(rule)?;
        if text.chars().count() > chars_max {
            return Err(rule());
        }
        Ok((!text.trim().is_empty()).then(|| text.to_owned()))
    }

    /// Like [`Self::text`], for a required member.
    pub(crate) fn required(&mut self, name: &str, chars_max: usize) -> Result<String> {
        let text = self.text(name, chars_max)?;
        text.ok_or_else(|| self.wrong(name, &format!("is required: send 1 to {chars_max} characters")))
    }

    /// Reads one value of a closed list.
    pub(crate) fn word<T: Copy>(
        &mut self,
        name: &str,
        parse: impl Fn(&str) -> Option<T>,
        all: &[&str],
    ) -> Result<Option<T>> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let found = value.as_str().and_then(parse);
        found.map(Some).ok_or_else(|| self.wrong(name, &format!("must be one of {}", all.join(", "))))
    }

    /// Reads a past time. A future time is rejected, because it would count as newer than every
    /// later record.
    pub(crate) fn past(&mut self, name: &str, now: Timestamp) -> Result<Option<Timestamp>> {
        let time = self.time(name)?;
        match time.filter(|time| *time > now.plus_millis(CLOCKS_APART_MS)) {
            Some(_) => Err(self.wrong(name, "must not be in the future")),
            None => Ok(time),
        }
    }

    /// Reads a point in time.
    pub(crate) fn time(&mut self, name: &str) -> Result<Option<Timestamp>> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let parsed = value.as_str().and_then(|text| Timestamp::parse(text).ok());
        parsed
            .map(Some)
            .ok_or_else(|| self.wrong(name, "must be a time in RFC 3339, like 2026-11-21T08:30:00Z"))
    }

    /// Reads an object of at most `bytes_max` bytes.
    pub(crate) fn object(&mut self, name: &str, bytes_max: usize) -> Result<Option<Map<String, Value>>> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let rule = || self.wrong(name, &format!("must be a JSON object of at most {bytes_max} bytes"));
        match value {
            Value::Object(members) if super::canonical_json::object_text(&members).len() <= bytes_max => {
                Ok(Some(members))
            }
            Value::Object(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => Err(rule()),
        }
    }

    /// Reads a list of at most `items_max` items. An absent member gives an empty list.
    pub(crate) fn list(&mut self, name: &str, items_max: usize) -> Result<Vec<Value>> {
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) if items.len() <= items_max => Ok(items),
            Some(_) => Err(self.wrong(name, &format!("must be a list of at most {items_max} items"))),
        }
    }

    /// Checks that every member was read.
    pub(crate) fn finish(self, known: &str) -> Result<()> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(name) => {
                let rule = format!("is no member of {}: it has {known}", self.place);
                Err(self.wrong(name, &rule))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_error_names_its_member() {
        let check = |read: &dyn Fn(&mut Members) -> Result<()>, expect: &str| {
            let value = json!({"t": "abcd", "n": 1, "l": [1, 2, 3], "o": {"a": "bcd"}});
            let mut members = Members::of(value, "data").unwrap();
            let error = read(&mut members).unwrap_err();
            assert_eq!(error.field.as_deref(), Some(expect));
            assert!(!error.message.contains("abcd"), "{}", error.message);
        };
        check(&|members| members.text("t", 3).map(drop), "data.t");
        check(&|members| members.text("n", 3).map(drop), "data.n");
        check(&|members| members.required("none", 3).map(drop), "data.none");
        check(&|members| members.time("t").map(drop), "data.t");
        check(&|members| members.word("t", |_| None::<u8>, &["a"]).map(drop), "data.t");
        check(&|members| members.object("o", 10).map(drop), "data.o");
        check(&|members| members.list("l", 2).map(drop), "data.l");
        let members = Members::of(json!({"x": 1}), "data").unwrap();
        assert_eq!(members.finish("t, n").unwrap_err().field.as_deref(), Some("data.x"));
        assert_eq!(Members::of(json!([]), "data").err().unwrap().field.as_deref(), Some("data"));
    }

    #[test]
    fn at_the_limit() {
        let mut members =
            Members::of(json!({"t": "äöü", "e": " ", "z": null, "o": {"a": "bcd"}}), "data").unwrap();
        assert_eq!(members.text("t", 3).unwrap().as_deref(), Some("äöü"));
        assert_eq!(members.text("e", 3).unwrap(), None);
        assert_eq!(members.text("z", 3).unwrap(), None);
        assert!(members.object("o", 11).unwrap().is_some());
        members.finish("t").unwrap();
    }
}
