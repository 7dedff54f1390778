//! Filters on event metadata: strings, three operators, ANDed.

use std::collections::BTreeMap;

/// One condition on an event's metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventFilter {
    /// The key has exactly this value, case-sensitive.
    Equals(String, String),
    /// The event has the metadata key, with any value.
    Exists(String),
    /// The event does not have the metadata key.
    NotExists(String),
}

impl EventFilter {
    /// True if the metadata meets the condition.
    pub fn admits(&self, metadata: &BTreeMap<String, String>) -> bool {
        match self {
            Self::Equals(key, value) => metadata.get(key) == Some(value),
            Self::Exists(key) => metadata.contains_key(key),
            Self::NotExists(key) => !metadata.contains_key(key),
        }
    }
}
