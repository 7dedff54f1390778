//! Operations on memories: create, get, list, update, delete, tags, settings. This file holds the
//! request types, and each operation has its own file.

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

/// A request to create a memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewMemory {
    /// The name of the memory: a letter, then letters, digits or `_`; unique on the server.
    pub name: String,
    /// The description of the memory.
    pub description: Option<String>,
    /// An AgentCore member that is stored and returned unchanged. Loci does not use it.
    pub encryption_key_arn: Option<String>,
    /// An AgentCore member that is stored and returned unchanged. Loci does not use it.
    pub execution_role_arn: Option<String>,
    /// The retention of events in days, 3 to 3,650.
    pub event_expiry_days: u32,
    /// The strategies of the memory, at most six.
    pub strategies: Vec<NewStrategy>,
    /// The metadata keys by which records can be filtered, at most ten.
    pub indexed_keys: Vec<IndexedKey>,
    /// The variables that namespace templates may use, at most five.
    pub namespace_keys: Vec<NamespaceKey>,
    /// The configuration of the stream of record changes, as JSON. It is returned byte for byte.
    pub stream: Option<Document>,
    /// The tags of the memory, at most fifty.
    pub tags: BTreeMap<String, String>,
    /// Settings that AgentCore does not have. `None` means the defaults, then those of a matching
    /// profile, then those in tags named `loci:<name>`.
    pub settings: Option<loci_model::memory::settings::MemorySettings>,
}

/// A strategy that a request adds to a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct NewStrategy {
    /// The built-in kind of strategy that determines the records it makes.
    pub base: StrategyBase,
    /// The name of the strategy: a letter, then letters, digits or `_`; unique in the memory.
    pub name: String,
    /// The description of the strategy.
    pub description: Option<String>,
    /// The namespace template of the strategy's records; `None` means the default in the server's
    /// settings.
    pub template: Option<NamespaceTemplate>,
    /// The configuration of a custom strategy; `None` for a built-in one.
    pub custom: Option<CustomConfiguration>,
    /// The configuration of reflections, for an episodic strategy only; `None` means the default.
    pub reflection: Option<NewReflection>,
    /// The metadata keys that the strategy fills in on its records.
    pub schema: Option<Vec<MetadataSchemaEntry>>,
    /// The expiry of the strategy's records in days, 1 to 36,500; `None` if they do not expire.
    pub record_expiry_days: Option<u32>,
}

/// The configuration of reflections that a request sets on an episodic strategy.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewReflection {
    /// The namespace template of reflections; `None` means the episodic template up to and
    /// including `{actorId}`.
    pub template: Option<NamespaceTemplate>,
    /// The metadata keys that are filled in on reflections.
    pub schema: Option<Vec<MetadataSchemaEntry>>,
    /// Instructions that replace the default prompt of reflections, for a custom strategy.
    pub step: Option<StepOverride>,
}

/// A requested change of a strategy; members that are `None` stay unchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct StrategyUpdate {
    /// The strategy to change.
    pub id: StrategyId,
    /// The new description of the strategy.
    pub description: Option<String>,
    /// The new namespace template. Existing records move to their new namespaces.
    pub template: Option<NamespaceTemplate>,
    /// The new metadata keys that the strategy fills in on its records.
    pub schema: Option<Vec<MetadataSchemaEntry>>,
    /// The new expiry of the strategy's records, or its removal.
    pub expiry: Option<loci_model::record::expiry::ExpirySpecification>,
    /// Instructions that replace the extraction prompt. The strategy base must be the strategy's
    /// own.
    pub extraction: Option<(StrategyBase, StepOverride)>,
    /// Instructions that replace the consolidation prompt. The strategy base must be the
    /// strategy's own.
    pub consolidation: Option<(StrategyBase, StepOverride)>,
    /// The new configuration of reflections, for an episodic strategy only.
    pub reflection: Option<NewReflection>,
    /// The new configuration of a self-managed strategy.
    pub self_managed: Option<SelfManagedUpdate>,
}

/// A requested change of a self-managed strategy, whose records the client extracts itself.
/// Members that are `None` stay unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SelfManagedUpdate {
    /// The new triggers, which replace all existing ones.
    pub triggers: Option<Vec<Trigger>>,
    /// The new ARN or name of the target that gets the notifications.
    pub topic_arn: Option<String>,
    /// The new bucket to which the messages are written.
    pub payload_bucket: Option<String>,
    /// The new number of earlier messages that each notification includes.
    pub history_messages: Option<u32>,
}

/// A memory after an update, with warnings.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryUpdated {
    /// The memory in its new form.
    pub memory: loci_model::memory::Memory,
    /// Warnings, for example that records did not move after the change of a namespace template.
    pub notices: loci_model::warning::Notices,
}

/// A requested change of a memory; members that are `None` or empty stay unchanged. It is applied
/// completely or not at all.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryUpdate {
    /// The new description of the memory.
    pub description: Option<String>,
    /// The new retention of events in days. It applies to events that are stored later.
    pub event_expiry_days: Option<u32>,
    /// The new value of an AgentCore member that Loci stores and returns without using it.
    pub execution_role_arn: Option<String>,
    /// Strategies to add.
    pub add_strategies: Vec<NewStrategy>,
    /// Strategies to change.
    pub modify_strategies: Vec<StrategyUpdate>,
    /// Strategies to delete. Their records stay.
    pub delete_strategies: Vec<StrategyId>,
    /// Metadata keys to add to those by which records can be filtered.
    pub add_indexed_keys: Vec<IndexedKey>,
    /// The new namespace variables, which replace all existing ones.
    pub namespace_keys: Option<Vec<NamespaceKey>>,
    /// The new configuration of the stream of record changes.
    pub stream: Option<Document>,
}
