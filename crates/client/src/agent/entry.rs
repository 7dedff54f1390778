//! Entries of memory: those that a store returns, and those that it receives to store.

use serde::{Deserialize, Serialize};

/// Metadata of an entry or a message: JSON values by name, without a schema.
pub type Metadata = serde_json::Map<String, serde_json::Value>;

/// The trust in the source of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// The store does not report the trust of its entries.
    #[default]
    Unknown,
    /// The source is trusted like a statement of the user or the agent.
    Trusted,
    /// The entry comes from an external source, or a scanner found something suspicious in it.
    Untrusted,
}

/// A memory that a search of a store returned.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Entry {
    /// The text of the entry.
    pub content: String,
    /// The name of the store that returned the entry.
    pub store_name: String,
    /// The names of the other stores that returned an entry with the same meaning.
    pub also_in: Vec<String>,
    /// The metadata of the entry.
    pub metadata: Metadata,
    /// The relevance of the entry to the query, 0 to 1. `None` if the store reports none.
    pub score: Option<f64>,
    /// The time at which the entry was written, in milliseconds since 1970.
    pub created_at_ms: Option<i64>,
    /// The time at which the content was observed, in milliseconds since 1970.
    pub observed_at_ms: Option<i64>,
    /// The id of the entry in its store. `None` if the store assigns none.
    pub id: Option<String>,
    /// The namespaces of the store that hold the entry.
    pub namespaces: Vec<String>,
    /// The trust in the source of the entry.
    pub trust: Trust,
}

impl Entry {
    /// Returns an entry of a store with a content and nothing else.
    pub fn new(store_name: impl Into<String>, content: impl Into<String>) -> Self {
        Self { content: content.into(), store_name: store_name.into(), ..Self::default() }
    }
}

/// A text for a store to remember.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct NewEntry {
    /// The text to remember.
    pub content: String,
    /// The metadata to store with the text.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// The time at which the content was observed, in milliseconds since 1970. `None` means now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_at_ms: Option<i64>,
}

impl NewEntry {
    /// Returns a new entry with a text and nothing else.
    pub fn text(content: impl Into<String>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }
}

/// The result of storing a new entry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Added {
    /// The id of the stored entry. `None` if the store assigns none.
    pub id: Option<String>,
}
