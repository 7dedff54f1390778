//! The memory: the resource that holds settings, strategies and all data. It is the tenant.

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

/// The configuration of a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// The id: name, dash, ten letters or digits.
    pub id: MemoryId,
    /// The name, unique on the server.
    pub name: String,
    /// The purpose of the memory.
    pub description: Option<String>,
    /// Returned to the caller, without effect.
    pub encryption_key_arn: Option<String>,
    /// Returned to the caller, without effect.
    pub execution_role_arn: Option<String>,
    /// Days after the arrival of an event until it expires.
    pub event_expiry_days: u32,
    /// The strategies, at most six.
    pub strategies: Vec<Strategy>,
    /// Filterable metadata keys, at most ten, add-only.
    pub indexed_keys: Vec<IndexedKey>,
    /// Namespace variables, at most five.
    pub namespace_keys: Vec<NamespaceKey>,
    /// Stream configuration, returned byte for byte.
    pub stream: Option<Document>,
    /// Tags.
    pub tags: BTreeMap<String, String>,
    /// Settings that the wire lacks.
    pub settings: MemorySettings,
    /// The time of its creation.
    pub created_at: Timestamp,
    /// The time of its last change.
    pub updated_at: Timestamp,
    /// The unfinished import: until its end the memory is not served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import: Option<MemoryImport>,
}

/// An import of a memory that runs or was interrupted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryImport {
    /// The id of the import, which distinguishes it from other imports of the memory.
    pub run: String,
    /// The time of its last heartbeat.
    pub at: Timestamp,
}

impl Memory {
    /// Returns the strategy of that id.
    pub fn strategy(&self, id: &StrategyId) -> Option<&Strategy> {
        self.strategies.iter().find(|strategy| strategy.id == *id)
    }
}
