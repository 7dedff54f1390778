//! Memories: the resource, its strategies, settings and tags. Only the AgentCore API supports
//! replaced prompts of custom strategies.

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
    /// The type of a metadata key.
    MetadataKind = MetadataType {
        /// Text.
        String,
        /// A list of texts, treated as a set.
        StringList,
        /// A number.
        Number,
    }
}

/// A metadata key that filters may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IndexedKey {
    /// Metadata key.
    pub key: String,
    /// Type of the key.
    pub kind: MetadataKind,
}

/// A variable of namespace templates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NamespaceKey {
    /// Name of the variable.
    pub key: String,
    /// Allowed values. Default: any value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<Vec<String>>,
    /// Regular expression that must match the whole value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

/// A metadata key that a strategy copies from events to its records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SchemaKey {
    /// Metadata key.
    pub key: String,
    /// Type of the key.
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
    /// Name: letters, digits and `_`; unique in the memory.
    pub name: String,
    /// Purpose of the strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Template of the namespace for its records, such as `/facts/{actorId}/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Template of the namespace for reflections. Only for episodic strategies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection_namespace: Option<String>,
    /// Metadata keys that the strategy copies from events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metadata: Vec<SchemaKey>,
    /// Days until its records expire, 1 to 36,500.
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
    /// True if prompts of the strategy are replaced.
    pub custom: bool,
    /// Name of the strategy.
    pub name: String,
    /// Purpose of the strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Template of the namespace for its records.
    pub namespace: String,
    /// Template of the namespace for reflections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection_namespace: Option<String>,
    /// Metadata keys that the strategy sets.
    #[serde(default)]
    pub metadata: Vec<SchemaKey>,
    /// Days until its records expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_expiry_days: Option<u32>,
    /// Time of creation.
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
}

/// Settings for the consolidation of new records with stored ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationSettings {
    /// True if records that contain a turn word for word may be superseded, too. Default: false.
    pub verbatim: bool,
    /// Number of new episodes after which a reflection is created, 1 to 1,000. Default: 5.
    pub reflect_every: u32,
    /// Number of episodes that must support a reflection, 2 to 200. Default: 3.
    pub reflect_min_episodes: u32,
    /// Thresholds. Default: the shipped thresholds.
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
    /// Name of a ready-made profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Interpretation of `namespace` in requests. Default: `exact`.
    pub namespace_match: NamespaceMatch,
    /// Handling of event content over a limit. Default: `lenient`.
    pub event_limits: EventLimits,
    /// Dates in the text of records. Default: `none`.
    pub text_dates: TextDates,
    /// True if searches over the AgentCore API also return turns that wait for extraction, as
    /// provisional records. Searches over the native API return them by default. Default: false.
    pub read_your_writes: bool,
    /// True if responses of the AgentCore API contain the branch name `main` for events on the main
    /// branch. Default: true.
    pub main_branch_marker: bool,
    /// Milliseconds after which deleted content is erased. Default: 7 days.
    pub erase_after_ms: u64,
    /// Days for which non-active versions of records are kept. Default: 365.
    pub history_days: u32,
    /// Weights of the ranking: a complete set in the format of `weights.json`. Default: the shipped
    /// weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub retrieval_weights: Option<serde_json::Value>,
    /// Reader of the conversations: deterministic rules, a model that the server calls, or a model
    /// of the caller. Default: the setting of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_mode: Option<ModelMode>,
    /// Conditions for asking a model about a session, and the number of messages in one question.
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
    /// Name: letters, digits and `_`, beginning with a letter; unique on the server.
    pub name: String,
    /// Purpose of the memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Days until events expire, 3 to 3650. Default: 90.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_expiry_days: Option<u32>,
    /// Strategies, at most 6.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strategies: Vec<StrategyCreate>,
    /// Metadata keys that filters may use, at most 10.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexed_keys: Vec<IndexedKey>,
    /// Variables of namespace templates, at most 5.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespace_keys: Vec<NamespaceKey>,
    /// Tags, at most 50.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// Settings. Default: the settings of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<MemorySettings>,
}

/// A change of a memory. Absent members stay unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryUpdate {
    /// New description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// New number of days until events expire, for later events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_expiry_days: Option<u32>,
    /// Strategies to add.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub add_strategies: Vec<StrategyCreate>,
    /// Ids of the strategies to delete. Their records stay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub delete_strategies: Vec<String>,
    /// Filterable metadata keys to add.
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
    /// Tags. Only administrators see them.
    pub tags: BTreeMap<String, String>,
    /// Settings of the memory.
    pub settings: MemorySettings,
    /// Time of creation.
    pub created_at: String,
    /// Time of the last change.
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
    /// Cursor from the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of memories, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MemoryList {
    /// The memories.
    pub memories: Vec<Memory>,
    /// Cursor of the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Tags of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Tags {
    /// Tag keys with their values.
    pub tags: BTreeMap<String, String>,
}

/// A request to remove tags.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TagKeys {
    /// Keys of the tags to remove.
    pub keys: Vec<String>,
}
