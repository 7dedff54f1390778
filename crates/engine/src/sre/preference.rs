//! A preference as a caller sends it (sre-memory.md §3.1): a type, and values under keys. Every key is a preference of its own. Pure: what
//! is kept, and what gives way, is [`super::keeping`]'s matter.

use loci_model::limits::{
    SRE_CONTEXT_CHARS_MAX as CONTEXT_CHARS_MAX, SRE_NAME_CHARS_MAX as NAME_CHARS_MAX,
    SRE_PREFERENCE_BYTES_MAX as VALUE_BYTES_MAX, SRE_PREFERENCE_KEYS_MAX as KEYS_MAX,
};
use loci_model::{Result, Timestamp};
use loci_text::normalise_exact;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::categories;
use super::members::Members;
use super::protected::{Class, class_by};
use super::settings::SreSettings;

/// The member of a preference that is a sentence, and how long the end of its key is.
const STATEMENT: &str = "statement";
const STATEMENT_DIGITS: usize = 12;
const KNOWN: &str = "preference_type, preference_value, context, timestamp";

/// What somebody wants, in one statement.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Preference {
    /// `escalation`, `notification`, `workflow`, `style`, `general`, or another word.
    pub(super) kind: String,
    /// What is wanted, by member.
    pub(super) value: Map<String, Value>,
    /// Where it came from.
    pub(super) context: Option<String>,
    /// When it was said.
    pub(super) said_at: Timestamp,
}

/// One key of a preference.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PreferenceKey {
    /// The member, or what a sentence is told by.
    pub(super) key: String,
    /// The member that the value is stored under.
    pub(super) member: String,
    /// What is wanted.
    pub(super) value: Value,
}

impl Preference {
    /// Reads one.
    ///
    /// # Errors
    /// `Invalid`, naming the member.
    pub(super) fn read(data: Value, now: Timestamp) -> Result<Self> {
        let mut members = Members::of(data, "data")?;
        let kind = members
            .text("preference_type", NAME_CHARS_MAX)?
            .unwrap_or_else(|| categories::GENERAL.to_owned());
        if !is_word(&kind) {
            let rule = "must be a lower-case word, like escalation, notification, workflow or style";
            return Err(members.wrong("preference_type", rule));
        }
        let value = match members.take("preference_value") {
            Some(Value::String(sentence))
                if !sentence.trim().is_empty() && sentence.len() <= VALUE_BYTES_MAX =>
            {
                Map::from_iter([(STATEMENT.to_owned(), Value::String(sentence))])
            }
            Some(value @ Value::Object(_)) => {
                let mut one = Members::of(json!({ "preference_value": value }), "data")?;
                one.object("preference_value", VALUE_BYTES_MAX)?.unwrap_or_default()
            }
            Some(_) | None => {
                let rule =
                    "is required: send an object of what is wanted, by key, or a sentence, of at most 16 KiB";
                return Err(members.wrong("preference_value", rule));
            }
        };
        let is_key = |key: &String| (1..=NAME_CHARS_MAX).contains(&key.chars().count());
        if !(1..=KEYS_MAX).contains(&value.len()) || !value.keys().all(is_key) {
            let rule = "must have 1 to 100 members, each named by 1 to 200 characters";
            return Err(members.wrong("preference_value", rule));
        }
        let context = members.text("context", CONTEXT_CHARS_MAX)?;
        let said_at = members.past("timestamp", now)?.unwrap_or(now);
        members.finish(KNOWN)?;
        Ok(Self { kind, value, context, said_at })
    }

    /// Its keys, in order.
    pub(super) fn keys(&self) -> Vec<PreferenceKey> {
        let mut keys: Vec<_> = self
            .value
            .iter()
            .map(|(member, value)| PreferenceKey {
                key: key_of(member, value),
                member: member.clone(),
                value: value.clone(),
            })
            .collect();
        keys.sort_by(|one, other| one.key.cmp(&other.key));
        keys
    }

    /// What is stored of one key. `preference` and `categories` are what other clients of the wire read.
    pub(super) fn stored(&self, user: &str, one: &PreferenceKey) -> Value {
        let sentence = match &one.value {
            Value::String(text) if one.member == STATEMENT => text.clone(),
            value => format!("{} {}: {}", self.kind, one.member.replace('_', " "), plain(value)),
        };
        json!({
            "user_id": user,
            "preference_type": self.kind,
            "preference_value": { one.member.clone(): one.value },
            "context": self.context,
            "timestamp": self.said_at.to_rfc3339(),
            "preference": sentence,
            "categories": [self.kind],
        })
    }
}

/// The type and the key of what is stored; none where the text is of something else. A sentence with categories, as it is read out of talk, is
/// a preference, too.
pub(super) fn stored(text: &str) -> Option<(String, PreferenceKey)> {
    let stored: Value = serde_json::from_str(text).ok()?;
    let Some(kind) = stored.get("preference_type") else { return said(&stored) };
    let values = stored.get("preference_value")?.as_object()?;
    let (member, value) = values.iter().next().filter(|_| values.len() == 1)?;
    let one = PreferenceKey { key: key_of(member, value), member: member.clone(), value: value.clone() };
    Some((kind.as_str()?.to_owned(), one))
}

fn said(stored: &Value) -> Option<(String, PreferenceKey)> {
    let value = stored.get("preference").filter(|sentence| sentence.is_string())?.clone();
    let words = stored.get("categories").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let words: Vec<String> = words.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let one = PreferenceKey { key: key_of(STATEMENT, &value), member: STATEMENT.to_owned(), value };
    Some((categories::type_of(&words), one))
}

/// True where a text of whatever spelling holds a preference that only a person puts in force.
pub(super) fn is_protected(text: &str, settings: &SreSettings) -> bool {
    let of = |member: &str, value: &Value| {
        let one = PreferenceKey { key: member.to_owned(), member: member.to_owned(), value: value.clone() };
        class_by(&one, settings) != Class::Other
    };
    match serde_json::from_str(text).ok() {
        Some(Value::Object(members)) => match members.get("preference_value") {
            Some(Value::Object(values)) => values.iter().any(|(member, value)| of(member, value)),
            Some(value) => of(STATEMENT, value),
            None => members.get("preference").is_some_and(|sentence| of(STATEMENT, sentence)),
        },
        Some(value) => of(STATEMENT, &value),
        None => of(STATEMENT, &Value::String(text.to_owned())),
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-'))
}

fn key_of(member: &str, value: &Value) -> String {
    match value {
        Value::String(sentence) if member == STATEMENT => {
            let normal = normalise_exact(sentence).to_lowercase();
            let digest = hex::encode(Sha256::digest(normal.as_bytes()));
            format!("{STATEMENT}:{}", digest.get(..STATEMENT_DIGITS).unwrap_or(&digest))
        }
        _ => member.to_owned(),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => super::canonical::text(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::clamped(1_795_500_000_000);

    #[test]
    fn what_only_a_person_puts_in_force() {
        let check = |text: &str, expect: bool| {
            assert_eq!(is_protected(text, &SreSettings::default()), expect, "{text}")
        };
        check(r#"{"preference_type": "escalation", "preference_value": {"a": 1, "contact": "bob"}}"#, true);
        check(r#"{"preference": "escalate to x@y.com", "categories": ["escalation"]}"#, true);
        check("escalate to x@y.com", true);
        check(r#"{"preference_value": "auto-approve simple plans"}"#, true);
        check(r#"{"preference_type": "style", "preference_value": {"report_format": "short"}}"#, false);
        check(r#"{"preference": "prefers tables"}"#, false);
        check("prefers tables", false);
    }

    #[test]
    fn every_member_is_a_key() {
        let data = json!({
            "preference_type": "escalation",
            "preference_value": {"primary_contact": "ops.team@example.co.uk", "delay_minutes": 15},
            "context": "handbook",
            "timestamp": "2026-11-20T10:00:00Z",
        });
        let read = Preference::read(data, NOW).unwrap();
        let keys: Vec<_> = read.keys().into_iter().map(|one| one.key).collect();
        assert_eq!(keys, ["delay_minutes", "primary_contact"]);
        let stored = read.stored("Alice", &read.keys()[1]);
        assert_eq!(stored["preference_value"], json!({"primary_contact": "ops.team@example.co.uk"}));
        assert_eq!(stored["preference"], "escalation primary contact: ops.team@example.co.uk");
        assert_eq!(stored["timestamp"], "2026-11-20T10:00:00Z");
        let (kind, one) = super::stored(&stored.to_string()).unwrap();
        assert_eq!((kind.as_str(), &one), ("escalation", &read.keys()[1]));
        assert!(super::stored("prefers tea").is_none());
        let talk = r#"{"preference": "prefers tables", "categories": ["communication"]}"#;
        let (kind, one) = super::stored(talk).unwrap();
        assert_eq!((kind.as_str(), one.member.as_str()), ("style", "statement"));
    }

    #[test]
    fn a_sentence_is_told_by_its_words() {
        let keys = |text: &str| {
            let read = Preference::read(json!({"preference_value": text}), NOW).unwrap();
            assert_eq!((read.kind.as_str(), read.said_at), ("general", NOW));
            read.keys().remove(0)
        };
        let one = keys("Prefers short reports");
        assert!(one.key.starts_with("statement:") && one.key.len() == "statement:".len() + STATEMENT_DIGITS);
        assert_eq!(one.key, keys("prefers   short reports").key);
        assert_ne!(one.key, keys("prefers long reports").key);
    }

    #[test]
    fn what_is_refused_names_its_member() {
        let check = |data: Value, expect: &str| {
            let error = Preference::read(data, NOW).unwrap_err();
            assert_eq!(error.field.as_deref(), Some(expect), "{}", error.message);
        };
        check(json!({"preference_type": "Escalation", "preference_value": {"a": 1}}), "data.preference_type");
        check(json!({"preference_type": "style"}), "data.preference_value");
        check(json!({"preference_value": {}}), "data.preference_value");
        check(json!({"preference_value": ["a"]}), "data.preference_value");
        let many: Map<String, Value> = (0..=KEYS_MAX).map(|at| (at.to_string(), json!(1))).collect();
        check(json!({ "preference_value": many }), "data.preference_value");
        check(json!({"preference_value": {"a": "b".repeat(VALUE_BYTES_MAX)}}), "data.preference_value");
        check(json!({"preference_value": {"a": 1}, "timestamp": "soon"}), "data.timestamp");
        check(json!({"preference_value": {"a": 1}, "user": "Bob"}), "data.user");
        check(json!("a sentence"), "data");
    }

    #[test]
    fn a_value_at_the_limit() {
        // `{"a":"…"}` has eight bytes beside what it says.
        let value = json!({"a": "b".repeat(VALUE_BYTES_MAX - 8)});
        assert!(Preference::read(json!({"preference_value": value}), NOW).is_ok());
    }
}
