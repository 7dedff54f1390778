//! Verbs of memories: create, get, list, update, delete, tags, settings. Requests here, one file per verb.

mod create;
mod delete;
mod descriptions;
mod get;
mod list;
mod meant;
mod naming;
mod profile;
pub mod profiles;
mod recreate;
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
pub use meant::only_granted;
pub use naming::{is_name, memory_arn};
pub(crate) use profile::recognised;
pub use recreate::MemoryRecreated;
pub(crate) use settings::check as check_settings;
pub(crate) use update::{add_indexed_keys, check_whole};

use crate::calls::page::Page;

/// A page of memories, newest first.
pub type MemoryPage = Page<loci_model::memory::Memory, (Timestamp, MemoryId)>;

/// A memory to be made.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewMemory {
    /// Letters, digits, `_`; unique on the server.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Echoed, without effect.
    pub encryption_key_arn: Option<String>,
    /// Echoed, without effect.
    pub execution_role_arn: Option<String>,
    /// 3 to 3650.
    pub event_expiry_days: u32,
    /// At most six.
    pub strategies: Vec<NewStrategy>,
    /// At most ten.
    pub indexed_keys: Vec<IndexedKey>,
    /// At most five.
    pub namespace_keys: Vec<NamespaceKey>,
    /// Echoed byte for byte.
    pub stream: Option<Document>,
    /// At most fifty.
    pub tags: BTreeMap<String, String>,
    /// Settings the wire lacks; `None`: defaults, profile lookup, tags `loci:<name>`.
    pub settings: Option<loci_model::memory::settings::MemorySettings>,
}

/// A strategy to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct NewStrategy {
    /// What it makes.
    pub base: StrategyBase,
    /// Letters, digits, `_`; unique in the memory.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Where its records go; `None`: the default of the engine's settings.
    pub template: Option<NamespaceTemplate>,
    /// `Some` for a custom strategy.
    pub custom: Option<CustomConfiguration>,
    /// Where reflections go (episodic only); `None`: the default.
    pub reflection: Option<NewReflection>,
    /// Metadata of its records.
    pub schema: Option<Vec<MetadataSchemaEntry>>,
    /// 1 to 36,500.
    pub record_expiry_days: Option<u32>,
}

/// Where reflections go, and how they are made.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewReflection {
    /// Their namespace; `None`: the episodic template cut after `{actorId}`.
    pub template: Option<NamespaceTemplate>,
    /// Metadata of reflections.
    pub schema: Option<Vec<MetadataSchemaEntry>>,
    /// A replaced prompt (custom strategies).
    pub step: Option<StepOverride>,
}

/// A change of a strategy; absent members stay.
#[derive(Debug, Clone, PartialEq)]
pub struct StrategyUpdate {
    /// Which one.
    pub id: StrategyId,
    /// A new description.
    pub description: Option<String>,
    /// A new template.
    pub template: Option<NamespaceTemplate>,
    /// A new metadata schema.
    pub schema: Option<Vec<MetadataSchemaEntry>>,
    /// A new expiry, or none any more.
    pub expiry: Option<loci_model::record::expiry::ExpirySpecification>,
    /// A replaced extraction prompt; the base it was written for must be the strategy's.
    pub extraction: Option<(StrategyBase, StepOverride)>,
    /// A replaced consolidation prompt, likewise.
    pub consolidation: Option<(StrategyBase, StepOverride)>,
    /// A new reflection configuration (episodic only).
    pub reflection: Option<NewReflection>,
    /// New settings of a self-managed strategy.
    pub self_managed: Option<SelfManagedUpdate>,
}

/// A change of a self-managed strategy; absent members stay.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SelfManagedUpdate {
    /// The whole new set of triggers.
    pub triggers: Option<Vec<Trigger>>,
    /// A new topic.
    pub topic_arn: Option<String>,
    /// A new bucket.
    pub payload_bucket: Option<String>,
    /// A new window of history.
    pub history_messages: Option<u32>,
}

/// A memory as it is after a change, and what to know about it.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryUpdated {
    /// The memory.
    pub memory: loci_model::memory::Memory,
    /// Warnings: records that did not move with a changed template.
    pub notices: loci_model::warning::Notices,
}

/// A change of a memory; absent members stay. Applied whole or not at all.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryUpdate {
    /// A new description.
    pub description: Option<String>,
    /// A new expiry, for later events.
    pub event_expiry_days: Option<u32>,
    /// A new role, echoed.
    pub execution_role_arn: Option<String>,
    /// Strategies to add.
    pub add_strategies: Vec<NewStrategy>,
    /// Strategies to change.
    pub modify_strategies: Vec<StrategyUpdate>,
    /// Strategies to delete; their records stay.
    pub delete_strategies: Vec<StrategyId>,
    /// Filterable keys to add.
    pub add_indexed_keys: Vec<IndexedKey>,
    /// The whole new set of namespace variables.
    pub namespace_keys: Option<Vec<NamespaceKey>>,
    /// A new stream configuration.
    pub stream: Option<Document>,
}
