//! What a grant asks of events and records beside their place: values of metadata, and that they
//! are not too old. Pure predicates; whose they are, and what a write is given by them, is the
//! engine's matter.

use std::collections::{BTreeMap, BTreeSet};

use crate::Timestamp;
use crate::event::Event;
use crate::record::Record;
use crate::record::metadata::MetadataValue;

/// Conditions that all must hold. None of them: nothing is kept back.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Bounds {
    /// Keys of metadata with the texts that each may have, at least one; a key that is absent, or holds no text, is none
    /// of them.
    pub metadata: BTreeMap<String, BTreeSet<String>>,
    /// Not from before this time.
    pub since: Option<Timestamp>,
}

impl Bounds {
    /// True when nothing is kept back.
    pub fn is_none(&self) -> bool {
        self.metadata.is_empty() && self.since.is_none()
    }

    /// True when the event meets the conditions.
    pub fn admits_event(&self, event: &Event) -> bool {
        self.admits_time(event.time)
            && self
                .metadata
                .iter()
                .all(|(key, allowed)| event.metadata.get(key).is_some_and(|value| allowed.contains(value)))
    }

    /// True when the record meets the conditions.
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

    /// True when something of this time is young enough.
    pub fn admits_time(&self, time: Timestamp) -> bool {
        self.since.is_none_or(|since| time >= since)
    }
}
