//! Compares a JSON text with a shape, level by level, without building a tree. Parts that a shape
//! does not describe (the documents of an event) stay text. Unknown members are ignored, `null`
//! members are absent, and a known member may occur once.

use loci_model::memory::settings::EventLimits;
use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use super::refusal::{Reason, Refusal, Rule, Violations};
use super::shape::{Member, Shape, TextRule};
use crate::agentcore::time;

/// A check in progress, with its position and its results.
pub(super) struct Walk {
    limits: EventLimits,
    path: String,
    violations: Violations,
}

impl Walk {
    pub(super) fn new(limits: EventLimits) -> Self {
        Self { limits, path: String::new(), violations: Violations::default() }
    }

    pub(super) fn into_violations(self) -> Violations {
        self.violations
    }

    /// Checks the body. A body that is not JSON, or not an object, is rejected at once.
    pub(super) fn body(&mut self, shape: &Shape, text: &str) -> Result<(), Refusal> {
        let raw: &RawValue = serde_json::from_str(text)
            .map_err(|_| Refusal::whole(Reason::CannotParse, "The request body is not valid JSON"))?;
        if !raw.get().starts_with('{') {
            return Err(Refusal::whole(Reason::CannotParse, "The request body is not a JSON object"));
        }
        self.value(shape, raw);
        Ok(())
    }

    fn value(&mut self, shape: &Shape, raw: &RawValue) {
        if self.violations.is_full() {
            return;
        }
        match shape {
            Shape::Text(rule) => match text(raw) {
                Ok(value) => text_rules(&mut self.violations, &self.path, rule, &value, self.limits),
                Err(expected) => self.refuse(Rule::Type(expected)),
            },
            Shape::Choice(values) => match text(raw) {
                Ok(value) if values.contains(&value.as_str()) => {}
                Ok(_) => self.refuse(Rule::Choice(values)),
                Err(expected) => self.refuse(Rule::Type(expected)),
            },
            Shape::Int { min, max } => self.int(raw, *min, *max),
            Shape::Double => match serde_json::from_str::<f64>(raw.get()) {
                Ok(value) if value.is_finite() => {}
                Ok(_) | Err(_) => self.refuse(Rule::Type("a finite number")),
            },
            Shape::Bool if matches!(raw.get(), "true" | "false") => {}
            Shape::Bool => self.refuse(Rule::Type("true or false")),
            Shape::Time => self.time(raw),
            Shape::Document { bytes_max } => {
                if self.limits == EventLimits::Strict && raw.get().len() > *bytes_max {
                    self.refuse(Rule::Words(format!("Member must have at most {bytes_max} bytes of JSON")));
                }
            }
            Shape::List { of, min, max, content } => self.list(raw, of, *min, *max, *content),
            Shape::Map { key, of, min, max, content } => self.map(raw, (key, of), *min, *max, *content),
            Shape::Struct(members) => self.structure(raw, members),
            Shape::Union(members) => self.union(raw, members),
        }
    }

    fn refuse(&mut self, rule: Rule) {
        self.violations.push(&self.path, rule);
    }

    fn int(&mut self, raw: &RawValue, min: i64, max: i64) {
        let digits = raw.get().strip_prefix('-').unwrap_or(raw.get());
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return self.refuse(Rule::Type("a whole number"));
        }
        // Numbers that do not fit are outside of every range in the tables.
        let beyond = if raw.get().starts_with('-') { i64::MIN } else { i64::MAX };
        let value = raw.get().parse::<i64>().unwrap_or(beyond);
        if value < min {
            self.refuse(Rule::ValueMin(min));
        } else if value > max {
            self.refuse(Rule::ValueMax(max));
        }
    }

    fn time(&mut self, raw: &RawValue) {
        match time::read(raw) {
            Ok(_) => {}
            Err(time::TimeError::Type) => {
                self.refuse(Rule::Type("a number of epoch seconds, or ISO 8601 text"))
            }
            Err(time::TimeError::Range) => self.refuse(Rule::Words(
                "Member must be a time from 1970-01-01 to 9999-12-31, in seconds".to_owned(),
            )),
        }
    }

    fn list(&mut self, raw: &RawValue, of: &Shape, min: usize, max: usize, content: bool) {
        if !raw.get().starts_with('[') {
            return self.refuse(Rule::Type("a list"));
        }
        let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(raw.get()) else {
            return self.refuse(Rule::Type("a list"));
        };
        self.count(items.len(), min, max, content);
        for (index, item) in items.iter().enumerate() {
            self.inside(&format!("[{index}]"), |walk| {
                if is_null(item) { walk.refuse(Rule::Required) } else { walk.value(of, item) }
            });
        }
    }

    fn map(&mut self, raw: &RawValue, (key, of): (&Shape, &Shape), min: usize, max: usize, content: bool) {
        let Some(entries) = self.entries(raw) else { return };
        let present: Vec<_> = entries.iter().filter(|(_, value)| !is_null(value)).collect();
        self.count(present.len(), min, max, content);
        for (name, value) in present {
            let mut wrong = Violations::default();
            check_text(&mut wrong, "", key, name, self.limits);
            match wrong.into_first() {
                Some(rule) => self.refuse(Rule::MapKey(Box::new(rule))),
                None => self.inside(&format!(".{}", shown_key(name)), |walk| walk.value(of, value)),
            }
        }
    }

    fn count(&mut self, count: usize, min: usize, max: usize, content: bool) {
        if count < min {
            self.refuse(Rule::LengthMin(min));
        } else if count > max && !(content && self.limits == EventLimits::Lenient) {
            self.refuse(Rule::LengthMax(max));
        }
    }

    fn structure(&mut self, raw: &RawValue, members: &[Member]) {
        let Some(entries) = self.entries(raw) else { return };
        for member in members {
            let found = self.member(&entries, member);
            match found {
                Some(value) => self.named(member.name, |walk| walk.value(member.shape, value)),
                None if member.required => self.named(member.name, |walk| walk.refuse(Rule::Required)),
                None => {}
            }
        }
    }

    fn union(&mut self, raw: &RawValue, members: &[Member]) {
        let Some(entries) = self.entries(raw) else { return };
        let mut set: Vec<_> = members
            .iter()
            .filter_map(|member| self.member(&entries, member).map(|value| (member, value)))
            .collect();
        if set.len() > 1 {
            // Next to another member, a null document counts as not set.
            set.retain(|(_, value)| !is_null(value));
        }
        match set.as_slice() {
            [(member, value)] => self.named(member.name, |walk| walk.value(member.shape, value)),
            _ => self.refuse(Rule::One(members.iter().map(|member| member.name).collect())),
        }
    }

    /// Returns the value of a known member. A `null` counts as absent, except for a document.
    fn member<'e>(&mut self, entries: &'e [(String, &'e RawValue)], member: &Member) -> Option<&'e RawValue> {
        let mut values = entries.iter().filter(|(name, _)| name == member.name).map(|(_, value)| *value);
        let first = values.next()?;
        if values.next().is_some() {
            self.named(member.name, |walk| walk.refuse(Rule::Type("given once")));
        }
        (matches!(member.shape, Shape::Document { .. }) || !is_null(first)).then_some(first)
    }

    fn entries<'r>(&mut self, raw: &'r RawValue) -> Option<Vec<(String, &'r RawValue)>> {
        let entries = serde_json::from_str::<Entries<'r>>(raw.get()).ok().map(|entries| entries.0);
        if entries.is_none() {
            self.refuse(Rule::Type("an object"));
        }
        entries
    }

    fn named(&mut self, name: &str, go: impl FnOnce(&mut Self)) {
        if self.path.is_empty() { self.inside(name, go) } else { self.inside(&format!(".{name}"), go) }
    }

    fn inside(&mut self, step: &str, go: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push_str(step);
        go(self);
        self.path.truncate(length);
    }
}

/// Checks a value that arrived as text: from path or query, or as the key of a map.
pub(super) fn check_text(
    violations: &mut Violations,
    path: &str,
    shape: &Shape,
    value: &str,
    limits: EventLimits,
) {
    match shape {
        Shape::Text(rule) => text_rules(violations, path, rule, value, limits),
        Shape::Choice(values) if !values.contains(&value) => violations.push(path, Rule::Choice(values)),
        Shape::Choice(_) => {}
        Shape::Int { .. }
        | Shape::Double
        | Shape::Bool
        | Shape::Time
        | Shape::Document { .. }
        | Shape::List { .. }
        | Shape::Map { .. }
        | Shape::Struct(_)
        | Shape::Union(_) => violations.push(path, Rule::Type("text")),
    }
}

fn text_rules(violations: &mut Violations, path: &str, rule: &TextRule, value: &str, limits: EventLimits) {
    let length = value.chars().count();
    if let (Some(min), EventLimits::Lenient) = (rule.lenient_min, limits) {
        if length < min {
            violations.push(path, Rule::LengthMin(min));
        }
        return;
    }
    if length < rule.min {
        return violations.push(path, Rule::LengthMin(rule.min));
    }
    if length > rule.max {
        return violations.push(path, Rule::LengthMax(rule.max));
    }
    if let Some(Err(words)) = rule.pattern.map(|pattern| pattern.check(value)) {
        violations.push(path, Rule::Words(words));
    }
}

fn is_null(raw: &RawValue) -> bool {
    raw.get() == "null"
}

/// Returns a string's text; the error names the expected type. A lone surrogate has no text.
fn text(raw: &RawValue) -> Result<String, &'static str> {
    if !raw.get().starts_with('"') {
        return Err("text");
    }
    serde_json::from_str(raw.get()).map_err(|_| "text of valid Unicode, without lone surrogates")
}

/// Returns a map's key for a path, shortened so that a response stays small.
fn shown_key(key: &str) -> String {
    key.chars().take(128).collect()
}

/// An object's members in order, with unparsed values.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(entries)
            }
        }
        deserializer.deserialize_map(InOrder).map(Entries)
    }
}
