//! Entries that stores return, and entries that they are given to keep.

use serde::{Deserialize, Serialize};

/// Named values without a schema.
pub type Metadata = serde_json::Map<String, serde_json::Value>;

/// The trust of an entry's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// The store reports no trust.
    #[default]
    Unknown,
    /// Trusted like any statement of the user or the agent.
    Trusted,
    /// It came from outside, or a scanner detected something in it.
    Untrusted,
}

/// An entry that a search returned.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Entry {
    /// The text of the entry.
    pub content: String,
    /// The store that returned it.
    pub store_name: String,
    /// The other stores that hold an entry with the same meaning.
    pub also_in: Vec<String>,
    /// Named values without a schema.
    pub metadata: Metadata,
    /// The relevance to the query, 0 to 1.
    pub score: Option<f64>,
    /// The time of its writing, in milliseconds since 1970.
    pub created_at_ms: Option<i64>,
    /// The time at which its content was observed, in milliseconds since 1970.
    pub observed_at_ms: Option<i64>,
    /// The id in its store.
    pub id: Option<String>,
    /// The namespaces that hold it.
    pub namespaces: Vec<String>,
    /// The trust of its source.
    pub trust: Trust,
}

impl Entry {
    /// Returns an entry of a store with its content only.
    pub fn new(store_name: impl Into<String>, content: impl Into<String>) -> Self {
        Self { content: content.into(), store_name: store_name.into(), ..Self::default() }
    }
}

/// An entry to store.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct NewEntry {
    /// The text to remember.
    pub content: String,
    /// Named values without a schema.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// The time at which its content was observed, in milliseconds since 1970. Default: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_at_ms: Option<i64>,
}

impl NewEntry {
    /// Returns an entry with a text only.
    pub fn text(content: impl Into<String>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }
}

/// The result of storing an entry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Added {
    /// The id of the entry, if the store assigns one.
    pub id: Option<String>,
}
