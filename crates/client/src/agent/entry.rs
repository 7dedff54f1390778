//! What a store finds and what it is given to keep.

use serde::{Deserialize, Serialize};

/// Free values under names.
pub type Metadata = serde_json::Map<String, serde_json::Value>;

/// How far the source of an entry is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// The store says nothing of it.
    #[default]
    Unknown,
    /// As any statement of the user or the agent.
    Trusted,
    /// It came from outside, or something was found in it.
    Untrusted,
}

/// Something found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Entry {
    /// What is remembered.
    pub content: String,
    /// The store it was found in.
    pub store_name: String,
    /// Other stores that hold the same.
    pub also_in: Vec<String>,
    /// Free values.
    pub metadata: Metadata,
    /// How well it answers the question, 0 to 1.
    pub score: Option<f64>,
    /// When it was written, in milliseconds since 1970.
    pub created_at_ms: Option<i64>,
    /// When what it says was seen.
    pub observed_at_ms: Option<i64>,
    /// Its id in its store.
    pub id: Option<String>,
    /// Where it lies.
    pub namespaces: Vec<String>,
    /// How far its source is trusted.
    pub trust: Trust,
}

impl Entry {
    /// An entry of a store, with nothing but its content.
    pub fn new(store_name: impl Into<String>, content: impl Into<String>) -> Self {
        Self { content: content.into(), store_name: store_name.into(), ..Self::default() }
    }
}

/// Something to keep.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct NewEntry {
    /// What is to be remembered.
    pub content: String,
    /// Free values.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// When what it says was seen; now where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_at_ms: Option<i64>,
}

impl NewEntry {
    /// A text.
    pub fn text(content: impl Into<String>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }
}

/// What became of something that was to be kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Added {
    /// Its id, where the store gives one.
    pub id: Option<String>,
}
