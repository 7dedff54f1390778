//! Operations on memories: create, get, list, update, delete, tags, settings. This file holds the
//! requests, and each operation has its own file.

mod create;
mod delete;
mod descriptions;
mod get;
mod list;
mod memory_lookup;
mod profile;
pub mod profiles;
mod recreate;
mod resource_names;
mod settings;
pub(crate) mod strategy_input;
mod tags;
mod update;

use std::collections::BTreeMap;

use loci_model::memory::index_key::{IndexedKey, NamespaceKey};
use loci_model::memory::strategy::{CustomConfiguration, StepOverride, StrategyBase, Trigger};
use loci_model::record::metadata::MetadataSchemaEntry;
use loci_model::{Document, MemoryId, NamespaceTemplate, StrategyId, Timestamp};

pub(crate) use create::{
    check_expiry_days as check_event_expiry, check_given, check_namespace_keys as check_variables, insert,
};
pub use get::by_id_or_name;
pub use get::{any, existing, known, served};
pub use memory_lookup::only_granted;
pub(crate) use profile::recognised;
pub use recreate::MemoryRecreated;
pub use resource_names::{is_name, memory_arn};
pub(crate) use settings::check as check_settings;
pub(crate) use update::{add_indexed_keys, check_whole};

use crate::calls::page::Page;

/// A page of memories, newest first.
pub type MemoryPage = Page<loci_model::memory::Memory, (Timestamp, MemoryId)>;

/// A memory to create.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewMemory {
    /// The name: letters, digits, `_`; unique on the server.
    pub name: String,
    /// The description.
    pub description: Option<String>,
    /// Returned unchanged, without effect.
    pub encryption_key_arn: Option<String>,
    /// Returned unchanged, without effect.
    pub execution_role_arn: Option<String>,
    /// Retention of events in days, 3 to 3650.
    pub event_expiry_days: u32,
    /// Strategies, at most six.
    pub strategies: Vec<NewStrategy>,
    /// Filterable metadata keys, at most ten.
    pub indexed_keys: Vec<IndexedKey>,
    /// Namespace variables, at most five.
    pub namespace_keys: Vec<NamespaceKey>,
    /// The stream configuration, returned byte for byte.
    pub stream: Option<Document>,
    /// Tags, at most fifty.
    pub tags: BTreeMap<String, String>,
    /// Settings that the wire lacks; `None` means defaults, profile lookup, and tags `loci:<name>`.
    pub settings: Option<loci_model::memory::settings::MemorySettings>,
}

/// A strategy to add.
#[derive(Debug, Clone, PartialEq)]
pub struct NewStrategy {
    /// The kind of its records.
    pub base: StrategyBase,
    /// The name: letters, digits, `_`; unique in the memory.
    pub name: String,
    /// The description.
    pub description: Option<String>,
    /// Namespace template of its records; `None` means the default of the engine's settings.
    pub template: Option<NamespaceTemplate>,
    /// Configuration of a custom strategy.
    pub custom: Option<CustomConfiguration>,
    /// Configuration of reflections (episodic only); `None` means the default.
    pub reflection: Option<NewReflection>,
    /// Metadata schema of its records.
    pub schema: Option<Vec<MetadataSchemaEntry>>,
    /// Retention of its records in days, 1 to 36,500.
    pub record_expiry_days: Option<u32>,
}

/// Configuration of reflections.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewReflection {
    /// Their namespace template; `None` means the episodic template up to and including
    /// `{actorId}`.
    pub template: Option<NamespaceTemplate>,
    /// Metadata schema of reflections.
    pub schema: Option<Vec<MetadataSchemaEntry>>,
    /// An overridden prompt (custom strategies).
    pub step: Option<StepOverride>,
}

/// A change of a strategy; absent members stay unchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct StrategyUpdate {
    /// The strategy.
    pub id: StrategyId,
    /// A new description.
    pub description: Option<String>,
    /// A new template.
    pub template: Option<NamespaceTemplate>,
    /// A new metadata schema.
    pub schema: Option<Vec<MetadataSchemaEntry>>,
    /// A new expiry, or the removal of one.
    pub expiry: Option<loci_model::record::expiry::ExpirySpecification>,
    /// An overridden extraction prompt; its base must be the strategy's.
    pub extraction: Option<(StrategyBase, StepOverride)>,
    /// An overridden consolidation prompt; its base must be the strategy's.
    pub consolidation: Option<(StrategyBase, StepOverride)>,
    /// A new reflection configuration (episodic only).
    pub reflection: Option<NewReflection>,
    /// New settings of a self-managed strategy.
    pub self_managed: Option<SelfManagedUpdate>,
}

/// A change of a self-managed strategy; absent members stay unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SelfManagedUpdate {
    /// The complete new set of triggers.
    pub triggers: Option<Vec<Trigger>>,
    /// A new topic.
    pub topic_arn: Option<String>,
    /// A new bucket.
    pub payload_bucket: Option<String>,
    /// A new number of history messages.
    pub history_messages: Option<u32>,
}

/// A memory after a change, with warnings.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryUpdated {
    /// The memory.
    pub memory: loci_model::memory::Memory,
    /// Warnings: records that did not move with a changed template.
    pub notices: loci_model::warning::Notices,
}

/// A change of a memory; absent members stay unchanged. It is applied completely or not at all.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryUpdate {
    /// A new description.
    pub description: Option<String>,
    /// A new retention of later events in days.
    pub event_expiry_days: Option<u32>,
    /// A new role, returned unchanged without effect.
    pub execution_role_arn: Option<String>,
    /// Strategies to add.
    pub add_strategies: Vec<NewStrategy>,
    /// Strategies to change.
    pub modify_strategies: Vec<StrategyUpdate>,
    /// Strategies to delete; their records stay.
    pub delete_strategies: Vec<StrategyId>,
    /// Filterable keys to add.
    pub add_indexed_keys: Vec<IndexedKey>,
    /// The complete new set of namespace variables.
    pub namespace_keys: Option<Vec<NamespaceKey>>,
    /// A new stream configuration.
    pub stream: Option<Document>,
}
