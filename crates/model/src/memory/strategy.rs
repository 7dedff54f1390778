//! Strategies: the configured rules of a memory that turn events into records.

use serde::{Deserialize, Serialize};

use crate::record::metadata::MetadataSchemaEntry;
use crate::{NamespaceTemplate, StrategyId, Timestamp};

/// The kind of records that a strategy makes. Custom strategies have a base, except self-managed
/// ones, which the caller runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(utoipa::ToSchema),
    schema(as = StrategyKind, description = "What a strategy makes.")
)]
#[serde(rename_all = "snake_case")]
pub enum StrategyBase {
    /// The strategy makes facts.
    Semantic,
    /// The strategy makes a summary of each session.
    Summary,
    /// The strategy makes preferences of users.
    UserPreference,
    /// The strategy makes episodes, and reflections over several episodes.
    Episodic,
    /// The caller extracts the records; the server only delivers the events.
    SelfManaged,
}

/// A replaced prompt of one step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepOverride {
    /// Instructions that replace the default ones.
    pub append_to_prompt: String,
    /// The id of the model that the step requests.
    pub model_id: String,
}

/// The configuration of reflections over episodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reflection {
    /// The namespace template of the reflections: that of the episodes, or a shallower prefix of
    /// it.
    pub template: NamespaceTemplate,
    /// Metadata of reflections.
    pub schema: Option<Vec<MetadataSchemaEntry>>,
    /// A replaced prompt (custom strategies).
    pub step: Option<StepOverride>,
}

/// The trigger of a notification to a self-managed strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// A number of messages, 1 to 50.
    Messages(u32),
    /// A number of tokens, 100 to 500,000.
    Tokens(u32),
    /// A time without an event in seconds, 10 to 3,000.
    IdleSeconds(u32),
}

/// The settings of a self-managed strategy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfManaged {
    /// One trigger of each kind, including defaults.
    pub triggers: Vec<Trigger>,
    /// The target of the notification.
    pub topic_arn: String,
    /// The target of the payload.
    pub payload_bucket: String,
    /// Number of earlier messages that are included, 0 to 50.
    pub history_messages: u32,
}

/// The changes of a custom strategy.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CustomConfiguration {
    /// The extraction prompt.
    pub extraction: Option<StepOverride>,
    /// The consolidation prompt.
    pub consolidation: Option<StepOverride>,
    /// Settings of a self-managed strategy.
    pub self_managed: Option<SelfManaged>,
}

/// One strategy of a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Strategy {
    /// The id: name, dash, ten letters or digits.
    pub id: StrategyId,
    /// The name, unique in the memory.
    pub name: String,
    /// The purpose of the strategy.
    pub description: Option<String>,
    /// The kind of the strategy's records.
    pub base: StrategyBase,
    /// `Some` for a custom strategy.
    pub custom: Option<CustomConfiguration>,
    /// The namespace template of the strategy's records.
    pub template: NamespaceTemplate,
    /// The configuration of the strategy's reflections (episodic only).
    pub reflection: Option<Reflection>,
    /// Metadata of the strategy's records.
    pub schema: Option<Vec<MetadataSchemaEntry>>,
    /// Retention of the strategy's records, in days.
    pub record_expiry_days: Option<u32>,
    /// The time at which the strategy was added.
    pub created_at: Timestamp,
    /// The time at which the strategy was last changed.
    pub updated_at: Timestamp,
}
