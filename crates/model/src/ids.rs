//! Typed ids. A value of one of these types satisfies its rule, including a deserialized value.
//! This module generates no ids.

use serde::{Deserialize, Serialize};
use std::fmt;

use crate::{Error, ErrorText, FieldName, Result, limits};

macro_rules! text_ids {
    ($($(#[$doc:meta])* $name:ident, $field:expr, $rule:ident, $remedy:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(String);

        impl TryFrom<String> for $name {
            type Error = Error;

            fn try_from(text: String) -> Result<Self> {
                Self::parse(text)
            }
        }

        impl $name {
            /// Checks the rule of the id; the error names the field, the rule and the remedy.
            pub fn parse(text: impl Into<String>) -> Result<Self> {
                let text = text.into();
                if $rule(&text) { Ok(Self(text)) } else { Err(Error::invalid($field, ErrorText::from($field) + concat!(" ", $remedy))) }
            }

            /// Reads an optional member of a request; the error is on the member.
            pub fn read(field: &'static str, text: Option<&str>) -> Result<Option<Self>> {
                text.map(Self::parse).transpose().map_err(|error| error.on(field))
            }

            /// Returns the id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
    )+};
}

text_ids! {
    /// An access key (the public half of a pair): 16 to 32 upper-case letters and digits.
    AccessKeyId, "access_key_id", is_access_key, "must be 16 to 32 upper-case letters and digits";
    /// An actor: a person, an agent, a repository `owner/name`.
    ActorId, FieldName::Actor, is_actor, "must be 1 to 255 of letters, digits, - _ / . and single colons, start with a letter or digit, and hold no segment of dots alone";
    /// The name of a branch of a session.
    BranchName, "branch.name", is_word_100, "must be 1 to 100 of letters, digits, - and _, and start with a letter or digit";
    /// The id of a delivery, incoming or outgoing.
    DeliveryId, "delivery", is_free, "must be 1 to 256 characters without control characters";
    /// An event: 19 digits of milliseconds, `#`, hex digits. The order of ids as plain strings is
    /// the order of events.
    EventId, FieldName::Event, is_event, "must be digits, # and hex digits, like 0000001752235548000#97f30a6b";
    /// An exchange with a language model: `ex-` and a UUID.
    ExchangeId, "exchange", is_free, "must be 1 to 256 characters without control characters";
    /// An exposure of one call: `exp_` and a UUID that sorts by time.
    ExposureId, "exposure_id", is_free, "must be 1 to 256 characters without control characters";
    /// The id of a job.
    JobId, FieldName::Job, is_free, "must be 1 to 256 characters without control characters";
    /// A memory, the tenant: its name, a dash and ten letters or digits.
    MemoryId, FieldName::Memory, is_memory, "must be the memory's name, a dash and ten letters or digits, like notes-a1B2c3D4e5";
    /// A record: `mem-` and a UUID.
    RecordId, FieldName::Record, is_record, "must be 40 to 50 characters: mem- followed by letters, digits, - and _";
    /// The id of a repository, independent of the repository's names.
    RepositoryId, "repository", is_free, "must be 1 to 256 characters without control characters";
    /// The id of a session: a conversation or a task.
    SessionId, FieldName::Session, is_word_100, "must be 1 to 100 of letters, digits, - and _, and start with a letter or digit";
    /// The id of a strategy of a memory.
    StrategyId, FieldName::Strategy, is_word_100, "must be 1 to 100 of letters, digits, - and _, and start with a letter or digit";
    /// A task of a coding agent, named by its orchestrator.
    TaskId, "task_id", is_task, "must be 1 to 128 of letters, digits, . _ : and -, not start with a -, and not be dots alone";
}

fn is_access_key(text: &str) -> bool {
    (16..=32).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

fn is_word_100(text: &str) -> bool {
    text.len() <= 100
        && text.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
        && text.bytes().all(is_word)
}

fn is_actor(text: &str) -> bool {
    let legal = |b: u8| is_word(b) || matches!(b, b'/' | b':' | b'.');
    text.len() <= 255
        && text.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
        && text.bytes().all(legal)
        && !text.contains("::")
        && !text.ends_with(':')
        && !has_dot_segment(text)
}

/// True if a segment between slashes consists only of dots, which file systems and URLs would
/// resolve.
pub(crate) fn has_dot_segment(text: &str) -> bool {
    text.split('/').any(|segment| !segment.is_empty() && segment.bytes().all(|b| b == b'.'))
}

fn is_event(text: &str) -> bool {
    let Some((time, suffix)) = text.split_once('#') else { return false };
    let sane = |part: &str, max: usize| !part.is_empty() && part.len() <= max;
    sane(time, 40)
        && sane(suffix, 40)
        && time.bytes().all(|b| b.is_ascii_digit())
        && suffix.bytes().all(|b| b.is_ascii_hexdigit())
}

fn is_free(text: &str) -> bool {
    (1..=256).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

fn is_memory(text: &str) -> bool {
    let Some((name, suffix)) = text.rsplit_once('-') else { return false };
    (1..=100).contains(&name.len())
        && name.bytes().next().is_some_and(|first| first.is_ascii_alphabetic())
        && name.bytes().all(is_word)
        && suffix.len() == 10
        && suffix.bytes().all(|b| b.is_ascii_alphanumeric())
}

fn is_record(text: &str) -> bool {
    (40..=50).contains(&text.len()) && text.strip_prefix("mem-").is_some_and(|rest| rest.bytes().all(is_word))
}

fn is_task(text: &str) -> bool {
    (1..=limits::TASK_ID_CHARS_MAX).contains(&text.len())
        && !text.starts_with('-')
        && !has_dot_segment(text)
        && text.bytes().all(|b| is_word(b) || matches!(b, b'.' | b':'))
}

impl EventId {
    /// Returns the id of the event at `time_ms` with the index `place` among the events of that
    /// millisecond.
    pub fn compose(time_ms: i64, place: u32) -> Self {
        Self(format!("{:019}#{:08x}", time_ms.max(0), place))
    }

    /// Returns the index among the events of one millisecond, if the id has Loci's own form.
    pub fn place(&self) -> Option<u32> {
        self.0.split_once('#').and_then(|(_, hex)| u32::from_str_radix(hex, 16).ok())
    }
}

impl BranchName {
    /// Returns the branch of every event without another branch.
    pub fn main() -> Self {
        Self(crate::event::MAIN_BRANCH.to_owned())
    }
}

impl MemoryId {
    /// Returns the id of a memory called `name`, with ten letters or digits from an id source.
    pub fn compose(name: &str, suffix: &str) -> Result<Self> {
        Self::parse(format!("{name}-{suffix}"))
    }
}

impl ExchangeId {
    /// Returns the id of an exchange, from a UUID.
    pub fn compose(uuid: &str) -> Result<Self> {
        Self::parse(format!("ex-{uuid}"))
    }
}

impl RecordId {
    /// Returns the id of a record, from a UUID.
    pub fn compose(uuid: &str) -> Result<Self> {
        Self::parse(format!("mem-{uuid}"))
    }

    /// Returns the id of a record from a UUID as a number: `mem-` and its usual spelling, in lower
    /// case.
    pub fn of_uuid(uuid: u128) -> Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        const PLACES: [usize; 16] = [4, 6, 8, 10, 13, 15, 18, 20, 23, 25, 28, 30, 32, 34, 36, 38];
        let mut text = *b"mem-00000000-0000-0000-0000-000000000000";
        for (at, byte) in PLACES.into_iter().zip(uuid.to_be_bytes()) {
            text[at] = DIGITS[usize::from(byte >> 4)];
            text[at + 1] = DIGITS[usize::from(byte & 15)];
        }
        Self(std::str::from_utf8(&text).unwrap_or_default().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_uuids() {
        let id = RecordId::of_uuid(0x0190_c3f2_7b1a_7c3d_8e4f_0123_4567_89ab);
        assert_eq!(id, RecordId::compose("0190c3f2-7b1a-7c3d-8e4f-0123456789ab").unwrap());
        assert_eq!(id, RecordId::parse(id.as_str()).unwrap());
    }

    #[test]
    fn actors() {
        let check = |text: &str, expect: bool| assert_eq!(ActorId::parse(text).is_ok(), expect, "{text}");
        check("alice", true);
        check("org/user:1", true);
        check("vercel/next.js", true);
        check("app:user:", false);
        check("a::b", false);
        check("a/../b", false);
        check("/a", false);
        check("{actorId}", false);
        check("", false);
        check(&"a".repeat(255), true);
        check(&"a".repeat(256), false);
        check("a\0b", false);
    }

    #[test]
    fn tasks() {
        let check = |text: &str, expect: bool| assert_eq!(TaskId::parse(text).is_ok(), expect, "{text}");
        check("t-001", true);
        check("jira:ABC-12.3_x", true);
        check(".t", true);
        check("t..", true);
        check(".", false);
        check("..", false);
        check("-t", false);
        check("", false);
        check("a/b", false);
        check("a b", false);
        check("a\n", false);
        check(&"a".repeat(crate::limits::TASK_ID_CHARS_MAX), true);
        check(&"a".repeat(crate::limits::TASK_ID_CHARS_MAX + 1), false);
    }

    /// Every deserialization uses the constructor: a value, a member, a key of a map.
    #[test]
    fn what_is_deserialized_has_passed_its_rule() {
        fn check<T: serde::de::DeserializeOwned + Serialize + Ord>(good: &str, bad: &str, rule: &str) {
            let json = |text: &str| serde_json::to_string(text).unwrap();
            let read: T = serde_json::from_str(&json(good)).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), json(good));
            let in_map = |text: &str| {
                serde_json::from_str::<std::collections::BTreeMap<T, u32>>(&format!("{{{}:1}}", json(text)))
                    .map(drop)
            };
            in_map(good).unwrap();
            let refused = [serde_json::from_str::<T>(&json(bad)).map(drop), in_map(bad)];
            for error in refused.map(Result::unwrap_err) {
                assert!(error.to_string().contains(rule), "{error}");
            }
        }
        check::<MemoryId>("notes-a1B2c3D4e5", "../../x", "memory must be");
        check::<ActorId>("org/user:1", "../x", "actor must be");
        check::<SessionId>("s-1", "a/b", "session must be");
        check::<BranchName>("main", "", "branch.name must be");
        check::<EventId>("0000001752235548000#97f30a6b", "12#", "event must be");
        check::<RecordId>("mem-0192d1e8-7b7a-7c3e-8f00-000000000000", "mem-x", "record must be");
        check::<TaskId>("t-1", "..", "task_id must be");
        check::<StrategyId>("facts-a1B2c3D4e5", "a b", "strategy must be");
        check::<AccessKeyId>("LOCIABCDEFGH0123", "loci", "access_key_id must be");
        check::<JobId>("j", "a\nb", "job must be");
        check::<crate::Namespace>("/a/*", "/a/../b", "dots alone");
        check::<crate::memory::prompt::PromptId>("semantic.extract@1", "semantic", "a prompt is named like");
        for millis in ["-1", "253402300800000"] {
            assert!(serde_json::from_str::<crate::Timestamp>(millis).is_err(), "{millis}");
        }
        assert!(serde_json::from_str::<crate::NamespaceTemplate>(r#""/{actor id}/""#).is_err());
        let filter: crate::NamespaceFilter =
            serde_json::from_str(r#"{"normal":"a//b","mode":"exact"}"#).unwrap();
        assert_eq!(filter.normal(), "/a/b/");
    }

    #[test]
    fn memories_events_records() {
        assert!(MemoryId::parse("notes-a1B2c3D4e5").is_ok());
        assert!(MemoryId::parse("invalid-memory-id").is_err());
        assert!(MemoryId::parse("n-short").is_err());
        assert!(EventId::parse("0000001752235548000#97f30a6b").is_ok());
        assert!(EventId::parse("12#").is_err());
        assert_eq!(EventId::compose(1_752_235_548_000, 0x97f3_0a6b).as_str(), "0000001752235548000#97f30a6b");
        assert_eq!(EventId::compose(1, 7).place(), Some(7));
        assert!(RecordId::compose("0192d1e8-7b7a-7c3e-8f00-000000000000").is_ok());
        assert!(RecordId::parse("mem-x").is_err());
    }
}
