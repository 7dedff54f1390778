//! Memories: the resource with its strategies, settings and tags. The native API cannot replace the
//! prompts of a custom strategy; only the AgentCore API can.

pub mod ensure;
pub mod recreate;

use std::collections::BTreeMap;

pub use loci_model::memory::settings::{
    EventLimits, InjectionMode, ModelMode, NamespaceReading as NamespaceMatch, SafetySettings, SecretsMode,
    TextDates, WindowSettings,
};
pub use loci_model::memory::strategy::StrategyBase as StrategyKind;
use loci_model::record::metadata::MetadataType;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::word_lists::twin_words;

twin_words! {
    /// The type of the values of a metadata key.
    MetadataKind = MetadataType {
        /// Text.
        String,
        /// A list of texts, treated as a set.
        StringList,
        /// A number.
        Number,
    }
}

/// A metadata key that the filters of a search or a list may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IndexedKey {
    /// Name of the metadata key.
    pub key: String,
    /// Type of the key's values.
    pub kind: MetadataKind,
}

/// A variable that the namespace templates of a memory may use, such as `{team}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NamespaceKey {
    /// Name of the variable, without braces.
    pub key: String,
    /// Values that events may set. Default: any value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<Vec<String>>,
    /// Regular expression that must match the whole value. Default: no restriction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

/// A metadata key that a strategy copies from events to its records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SchemaKey {
    /// Name of the metadata key.
    pub key: String,
    /// Type of the key's values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<MetadataKind>,
}

/// A strategy to be added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StrategyCreate {
    /// Kind of the strategy. Strategies of the kind `self_managed` are created over the AgentCore
    /// API.
    pub kind: StrategyKind,
    /// Name of the strategy: letters, digits and `_`; unique in the memory.
    pub name: String,
    /// Purpose of the strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Namespace template for the strategy's records, such as `/facts/{actorId}/`. Default: the
    /// template of the strategy's kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Namespace template for the strategy's reflections. Only for episodic strategies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection_namespace: Option<String>,
    /// Metadata keys that the strategy copies from events to its records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metadata: Vec<SchemaKey>,
    /// Days until the strategy's records expire, 1 to 36,500. Default: the value in the memory's
    /// profile; without one, they do not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_expiry_days: Option<u32>,
}

/// A strategy of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Strategy {
    /// Id of the strategy.
    pub id: String,
    /// Kind of the strategy.
    pub kind: StrategyKind,
    /// True if a request of the AgentCore API replaced prompts of the strategy.
    pub custom: bool,
    /// Name of the strategy.
    pub name: String,
    /// Purpose of the strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Namespace template for the strategy's records.
    pub namespace: String,
    /// Namespace template for the strategy's reflections; absent for strategies that are not
    /// episodic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection_namespace: Option<String>,
    /// Metadata keys that the strategy copies from events to its records.
    #[serde(default)]
    pub metadata: Vec<SchemaKey>,
    /// Days until the strategy's records expire; absent if they do not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_expiry_days: Option<u32>,
    /// Time at which the strategy was created.
    pub created_at: String,
    /// Time of the last change of the strategy.
    pub updated_at: String,
}

/// Settings for the consolidation of new records with stored ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationSettings {
    /// True if a new record may also supersede records that contain a message word for word.
    /// Default: false.
    pub verbatim: bool,
    /// Number of new episodes after which a reflection is created, 1 to 1,000. Default: 5.
    pub reflect_every: u32,
    /// Number of episodes that must support a reflection, 2 to 200. Default: 3.
    pub reflect_min_episodes: u32,
    /// Thresholds of the similarity at which records count as duplicates or contradictions.
    /// Default: the thresholds of this version of Loci.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub thresholds: Option<serde_json::Value>,
}

impl Default for ConsolidationSettings {
    fn default() -> Self {
        Self { verbatim: false, reflect_every: 5, reflect_min_episodes: 3, thresholds: None }
    }
}

/// Settings of a memory that the AgentCore API lacks. An absent member has its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemorySettings {
    /// Name of the profile from which the memory was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Interpretation of the member `namespaces` in searches and lists. Default: `exact`.
    pub namespace_match: NamespaceMatch,
    /// Handling of events whose content exceeds a limit. Default: `lenient`, which stores them.
    pub event_limits: EventLimits,
    /// Form in which the texts of extracted records contain dates. Default: `none`.
    pub text_dates: TextDates,
    /// True if searches over the AgentCore API also return messages that are not extracted yet, as
    /// provisional records. Searches over the native API return them by default. Default: false.
    pub read_your_writes: bool,
    /// True if responses of the AgentCore API contain the branch name `main` for events on the main
    /// branch. Default: true.
    pub main_branch_marker: bool,
    /// Milliseconds between the deletion of content and its erasure from the store. Default:
    /// 604,800,000 (7 days).
    pub erase_after_ms: u64,
    /// Days for which versions of records are kept after another version replaced them.
    /// Default: 365.
    pub history_days: u32,
    /// Weights of the ranking in searches: a complete set in the format of `weights.json`. Default:
    /// the weights of this version of Loci.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub retrieval_weights: Option<serde_json::Value>,
    /// Means by which strategies extract records from conversations: deterministic rules, a model
    /// that the server calls, or a model of the caller. Default: the setting of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_mode: Option<ModelMode>,
    /// Conditions under which a strategy asks a model about a session, and the number of messages
    /// in one question.
    pub window: WindowSettings,
    /// Safety checks of stored content.
    pub safety: SafetySettings,
    /// Settings for the consolidation of new records with stored ones.
    pub consolidation: ConsolidationSettings,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self {
            profile: None,
            namespace_match: NamespaceMatch::default(),
            event_limits: EventLimits::default(),
            text_dates: TextDates::default(),
            read_your_writes: false,
            main_branch_marker: true,
            erase_after_ms: 7 * 24 * 3600 * 1000,
            history_days: 365,
            retrieval_weights: None,
            model_mode: None,
            window: WindowSettings::default(),
            safety: SafetySettings::default(),
            consolidation: ConsolidationSettings::default(),
        }
    }
}

/// A memory to be created.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryCreate {
    /// Name of the memory: letters, digits and `_`, beginning with a letter; unique on the server.
    pub name: String,
    /// Purpose of the memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Days until events expire, 3 to 3650. Default: 90.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_expiry_days: Option<u32>,
    /// Strategies of the memory, at most 6.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strategies: Vec<StrategyCreate>,
    /// Metadata keys that filters may use, at most 10.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexed_keys: Vec<IndexedKey>,
    /// Variables of namespace templates, at most 5.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespace_keys: Vec<NamespaceKey>,
    /// Tags of the memory, at most 50.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// Settings of the memory. Default: the settings of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<MemorySettings>,
}

/// A change of a memory. Absent members stay unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryUpdate {
    /// New purpose of the memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// New number of days until events expire, 3 to 3650. It applies to events that are stored
    /// later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_expiry_days: Option<u32>,
    /// Strategies to add.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub add_strategies: Vec<StrategyCreate>,
    /// Ids of the strategies to delete. The records of these strategies stay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub delete_strategies: Vec<String>,
    /// Metadata keys to add to those that filters may use.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub add_indexed_keys: Vec<IndexedKey>,
    /// New namespace variables, which replace all existing ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace_keys: Option<Vec<NamespaceKey>>,
}

/// A memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Memory {
    /// Id of the memory.
    pub id: String,
    /// ARN of the memory in the AgentCore API.
    pub arn: String,
    /// Name of the memory.
    pub name: String,
    /// Purpose of the memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Days until events expire.
    pub event_expiry_days: u32,
    /// Strategies of the memory.
    pub strategies: Vec<Strategy>,
    /// Metadata keys that filters may use.
    pub indexed_keys: Vec<IndexedKey>,
    /// Variables of namespace templates.
    pub namespace_keys: Vec<NamespaceKey>,
    /// Tags of the memory. The response contains them only for administrators.
    pub tags: BTreeMap<String, String>,
    /// Settings of the memory.
    pub settings: MemorySettings,
    /// Time at which the memory was created.
    pub created_at: String,
    /// Time of the last change of the memory.
    pub updated_at: String,
}

/// A request to list memories.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryListing {
    /// Name of the only memory to list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Maximum number of memories per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of memories, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MemoryList {
    /// The memories on this page.
    pub memories: Vec<Memory>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Tags of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Tags {
    /// Tags of the memory: keys with their values.
    pub tags: BTreeMap<String, String>,
}

/// A request to remove tags.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TagKeys {
    /// Keys of the tags to remove.
    pub keys: Vec<String>,
}
