//! Strategies: how events become records, as configured on a memory.

use serde::{Deserialize, Serialize};

use crate::record::metadata::MetadataSchemaEntry;
use crate::{NamespaceTemplate, StrategyId, Timestamp};

/// What a strategy makes. Custom strategies have a base, except the self-managed, which the caller runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(utoipa::ToSchema),
    schema(as = StrategyKind, description = "What a strategy makes.")
)]
#[serde(rename_all = "snake_case")]
pub enum StrategyBase {
    /// Facts.
    Semantic,
    /// A session in short.
    Summary,
    /// What someone prefers.
    UserPreference,
    /// Episodes, and reflections over them.
    Episodic,
    /// The caller extracts; the server only delivers.
    SelfManaged,
}

/// A replaced prompt of one step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepOverride {
    /// Instructions that replace the default ones.
    pub append_to_prompt: String,
    /// The model to ask.
    pub model_id: String,
}

/// Where reflections over episodes go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reflection {
    /// Their namespace: the episodic template, or a shallower prefix of it.
    pub template: NamespaceTemplate,
    /// Metadata of reflections.
    pub schema: Option<Vec<MetadataSchemaEntry>>,
    /// A replaced prompt (custom strategies).
    pub step: Option<StepOverride>,
}

/// When a self-managed strategy is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// After so many messages, 1 to 50.
    Messages(u32),
    /// After so many tokens, 100 to 500,000.
    Tokens(u32),
    /// After so many seconds without an event, 10 to 3,000.
    IdleSeconds(u32),
}

/// What a self-managed strategy needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfManaged {
    /// One of each kind, defaults filled in.
    pub triggers: Vec<Trigger>,
    /// Where the notification goes.
    pub topic_arn: String,
    /// Where the payload goes.
    pub payload_bucket: String,
    /// Earlier messages sent along, 0 to 50.
    pub history_messages: u32,
}

/// What a custom strategy changes.
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
    /// Name, dash, ten letters or digits.
    pub id: StrategyId,
    /// Unique in the memory.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// What it makes.
    pub base: StrategyBase,
    /// `Some` for a custom strategy.
    pub custom: Option<CustomConfiguration>,
    /// Where its records go.
    pub template: NamespaceTemplate,
    /// Where reflections go (episodic only).
    pub reflection: Option<Reflection>,
    /// Metadata of its records.
    pub schema: Option<Vec<MetadataSchemaEntry>>,
    /// Records vanish after so many days.
    pub record_expiry_days: Option<u32>,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}
