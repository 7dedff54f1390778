//! The Memory: the resource that holds settings, strategies and everything else. It is the tenant.

pub mod index_key;
pub mod prompt;
pub mod settings;
pub mod strategy;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::memory::index_key::{IndexedKey, NamespaceKey};
use crate::memory::settings::MemorySettings;
use crate::memory::strategy::Strategy;
use crate::{Document, MemoryId, StrategyId, Timestamp};

/// A memory as configured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Name, dash, ten letters or digits.
    pub id: MemoryId,
    /// Unique on the server.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Echoed, without effect.
    pub encryption_key_arn: Option<String>,
    /// Echoed, without effect.
    pub execution_role_arn: Option<String>,
    /// Events vanish this long after arrival.
    pub event_expiry_days: u32,
    /// At most six.
    pub strategies: Vec<Strategy>,
    /// Filterable metadata keys, at most ten, add-only.
    pub indexed_keys: Vec<IndexedKey>,
    /// Namespace variables, at most five.
    pub namespace_keys: Vec<NamespaceKey>,
    /// Stream configuration, echoed byte for byte.
    pub stream: Option<Document>,
    /// Tags.
    pub tags: BTreeMap<String, String>,
    /// Settings the wire lacks.
    pub settings: MemorySettings,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The import that has not ended: until then the memory is not served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import: Option<MemoryImport>,
}

/// An import of a memory that is under way, or broke off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryImport {
    /// Tells this import from others of the same memory.
    pub run: String,
    /// When it last gave a sign.
    pub at: Timestamp,
}

impl Memory {
    /// The strategy of that id.
    pub fn strategy(&self, id: &StrategyId) -> Option<&Strategy> {
        self.strategies.iter().find(|strategy| strategy.id == *id)
    }
}
