//! Memories: the resource, its strategies, settings and tags. Replaced prompts of custom strategies are on the wire only.

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

use crate::twin_words::twin_words;

twin_words! {
    /// The type of a metadata key.
    MetadataKind = MetadataType {
        /// Text.
        String,
        /// A list of texts, read as a set.
        StringList,
        /// A number.
        Number,
    }
}

/// A metadata key that can be filtered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IndexedKey {
    /// The key.
    pub key: String,
    /// Its type.
    pub kind: MetadataKind,
}

/// A variable of namespace templates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NamespaceKey {
    /// The variable.
    pub key: String,
    /// Only these values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<Vec<String>>,
    /// Only values that this regular expression matches whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

/// A metadata key that a strategy copies from events to its records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SchemaKey {
    /// The key.
    pub key: String,
    /// Its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<MetadataKind>,
}

/// A strategy to be added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StrategyCreate {
    /// What it makes; `self_managed` is made on the wire.
    pub kind: StrategyKind,
    /// Letters, digits and `_`; unique in the memory.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Template of the namespace its records go to, such as `/facts/{actorId}/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Template for reflections; episodic only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection_namespace: Option<String>,
    /// Metadata keys copied from events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metadata: Vec<SchemaKey>,
    /// Days until its records vanish, 1 to 36,500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_expiry_days: Option<u32>,
}

/// A strategy of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Strategy {
    /// Its id.
    pub id: String,
    /// What it makes.
    pub kind: StrategyKind,
    /// Prompts are replaced.
    pub custom: bool,
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Template of the namespace its records go to.
    pub namespace: String,
    /// Template for reflections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection_namespace: Option<String>,
    /// Metadata keys it fills.
    #[serde(default)]
    pub metadata: Vec<SchemaKey>,
    /// Days until its records vanish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_expiry_days: Option<u32>,
    /// When it was made.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
}

/// How new records meet those that are there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationSettings {
    /// Turns kept word for word may be superseded too.
    pub verbatim: bool,
    /// A reflection is made after so many new episodes, 1 to 1,000.
    pub reflect_every: u32,
    /// Episodes that must bear a reflection out, 2 to 200.
    pub reflect_min_episodes: u32,
    /// Thresholds, in place of the shipped ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub thresholds: Option<serde_json::Value>,
}

impl Default for ConsolidationSettings {
    fn default() -> Self {
        Self { verbatim: false, reflect_every: 5, reflect_min_episodes: 3, thresholds: None }
    }
}

/// Settings that the wire lacks. An absent member has its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemorySettings {
    /// A ready-made profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// How `namespace` is read.
    pub namespace_match: NamespaceMatch,
    /// What happens to event content over a limit.
    pub event_limits: EventLimits,
    /// Whether records show dates.
    pub text_dates: TextDates,
    /// Searches also show what was said and is not extracted yet, as provisional records.
    pub read_your_writes: bool,
    /// Events on the main branch say so.
    pub main_branch_marker: bool,
    /// Deleted content is erased after this long.
    pub erase_after_ms: u64,
    /// Old versions are kept so many days.
    pub history_days: u32,
    /// Weights of the ranking: a whole set in the form of `weights.json`, in place of the shipped ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub retrieval_weights: Option<serde_json::Value>,
    /// Who reads its conversations; absent: as the server is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_mode: Option<ModelMode>,
    /// When a model is asked, and how much at once.
    pub window: WindowSettings,
    /// How careful it is with what it stores.
    pub safety: SafetySettings,
    /// How new records meet those that are there.
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

/// A memory to be made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryCreate {
    /// Letters, digits and `_`, first a letter; unique on the server.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Days until events vanish, 3 to 3650; 90 where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_expiry_days: Option<u32>,
    /// At most six.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strategies: Vec<StrategyCreate>,
    /// At most ten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexed_keys: Vec<IndexedKey>,
    /// At most five.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespace_keys: Vec<NamespaceKey>,
    /// At most fifty.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// Settings; where they are absent, the profile's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<MemorySettings>,
}

/// A change of a memory; absent members stay.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryUpdate {
    /// A new description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A new expiry, for later events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_expiry_days: Option<u32>,
    /// Strategies to add.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub add_strategies: Vec<StrategyCreate>,
    /// Ids of strategies to delete; their records stay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub delete_strategies: Vec<String>,
    /// Filterable keys to add.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub add_indexed_keys: Vec<IndexedKey>,
    /// The whole new set of namespace variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace_keys: Option<Vec<NamespaceKey>>,
}

/// A memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Memory {
    /// Its id.
    pub id: String,
    /// Its ARN on the wire.
    pub arn: String,
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Days until events vanish.
    pub event_expiry_days: u32,
    /// Its strategies.
    pub strategies: Vec<Strategy>,
    /// Keys that can be filtered.
    pub indexed_keys: Vec<IndexedKey>,
    /// Variables of namespace templates.
    pub namespace_keys: Vec<NamespaceKey>,
    /// Tags; for administrators only.
    pub tags: BTreeMap<String, String>,
    /// Settings.
    pub settings: MemorySettings,
    /// When it was made.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
}

/// Which memories to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryListing {
    /// Only the memory of this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// 1 to 100; 100 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where an earlier page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of memories, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MemoryList {
    /// The memories.
    pub memories: Vec<Memory>,
    /// Where the next page starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Tags of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Tags {
    /// Keys and values.
    pub tags: BTreeMap<String, String>,
}

/// Tags to take off.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TagKeys {
    /// Their keys.
    pub keys: Vec<String>,
}
