//! Conditions of a grant on events and records in addition to their place: values of metadata, and
//! a maximum age. Pure predicates. The engine assigns them to callers and applies them to writes.

use std::collections::{BTreeMap, BTreeSet};

use crate::Timestamp;
use crate::event::Event;
use crate::record::Record;
use crate::record::metadata::MetadataValue;

/// Conditions that must all hold. Without conditions, everything is admitted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Bounds {
    /// Keys of metadata with the allowed texts of each, at least one. An absent key, or one that
    /// holds no text, does not match.
    pub metadata: BTreeMap<String, BTreeSet<String>>,
    /// The earliest admitted time.
    pub since: Option<Timestamp>,
}

impl Bounds {
    /// True if there are no conditions.
    pub fn is_none(&self) -> bool {
        self.metadata.is_empty() && self.since.is_none()
    }

    /// True if the event meets the conditions.
    pub fn admits_event(&self, event: &Event) -> bool {
        self.admits_time(event.time)
            && self
                .metadata
                .iter()
                .all(|(key, allowed)| event.metadata.get(key).is_some_and(|value| allowed.contains(value)))
    }

    /// True if the record meets the conditions.
    pub fn admits_record(&self, record: &Record) -> bool {
        self.admits_time(record.timestamp)
            && self.metadata.iter().all(|(key, allowed)| match record.metadata.get(key) {
                Some(MetadataValue::String(text)) => allowed.contains(text),
                Some(
                    MetadataValue::StringList(_) | MetadataValue::Number(_) | MetadataValue::DateTime(_),
                )
                | None => false,
            })
    }

    /// True if the time is recent enough.
    pub fn admits_time(&self, time: Timestamp) -> bool {
        self.since.is_none_or(|since| time >= since)
    }
}
