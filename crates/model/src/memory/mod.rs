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
    /// Stored for AgentCore clients and returned to them; Loci does not use it.
    pub encryption_key_arn: Option<String>,
    /// Stored for AgentCore clients and returned to them; Loci does not use it.
    pub execution_role_arn: Option<String>,
    /// Days after the arrival of an event until it expires.
    pub event_expiry_days: u32,
    /// The strategies, at most six.
    pub strategies: Vec<Strategy>,
    /// The metadata keys that filters may use, at most ten. Keys can be added, but not removed.
    pub indexed_keys: Vec<IndexedKey>,
    /// Namespace variables, at most five.
    pub namespace_keys: Vec<NamespaceKey>,
    /// The configuration of record streams, stored as the caller sent it and returned byte for
    /// byte.
    pub stream: Option<Document>,
    /// The tags of the memory.
    pub tags: BTreeMap<String, String>,
    /// The settings that the AgentCore API lacks.
    pub settings: MemorySettings,
    /// The time at which the memory was created.
    pub created_at: Timestamp,
    /// The time at which the memory was last changed.
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
    /// The time of the import's last heartbeat.
    pub at: Timestamp,
}

impl Memory {
    /// Returns the strategy of that id.
    pub fn strategy(&self, id: &StrategyId) -> Option<&Strategy> {
        self.strategies.iter().find(|strategy| strategy.id == *id)
    }
}
