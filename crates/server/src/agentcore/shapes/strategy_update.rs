//! Changes of strategies, as in requests. They are nested one level deeper than strategies to add.

use loci_engine::memories::{NewReflection, SelfManagedUpdate, StrategyUpdate};
use loci_model::StrategyId;
use loci_model::memory::strategy::{StepOverride, StrategyBase};
use serde::Deserialize;

use super::schema::SchemaShape;
use super::self_managed::{SelfManagedShape, triggers};
use super::strategy_request::{ExpiryShape, ReflectionShape, ReflectionStepShape, StepShape};
use super::template::template;
use crate::agentcore::errors::AgentCoreFailure;

/// `ModifyMemoryStrategyInput`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StrategyChange {
    memory_strategy_id: String,
    description: Option<String>,
    namespaces: Option<Vec<String>>,
    namespace_templates: Option<Vec<String>>,
    configuration: Option<ConfigurationChange>,
    memory_record_schema: Option<SchemaShape>,
    record_expiry_specification: Option<ExpiryShape>,
}

/// `ModifyStrategyConfiguration`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ConfigurationChange {
    extraction: Option<ExtractionChange>,
    consolidation: Option<ConsolidationChange>,
    reflection: Option<ReflectionChange>,
    self_managed_configuration: Option<SelfManagedShape>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExtractionChange {
    custom_extraction_configuration: Option<ExtractionOverride>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExtractionOverride {
    semantic_extraction_override: Option<StepShape>,
    user_preference_extraction_override: Option<StepShape>,
    episodic_extraction_override: Option<StepShape>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ConsolidationChange {
    custom_consolidation_configuration: Option<ConsolidationOverride>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ConsolidationOverride {
    semantic_consolidation_override: Option<StepShape>,
    summary_consolidation_override: Option<StepShape>,
    user_preference_consolidation_override: Option<StepShape>,
    episodic_consolidation_override: Option<StepShape>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReflectionChange {
    episodic_reflection_configuration: Option<ReflectionShape>,
    custom_reflection_configuration: Option<ReflectionOverride>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReflectionOverride {
    episodic_reflection_override: Option<ReflectionStepShape>,
}

impl StrategyChange {
    /// Returns the change in the engine's form.
    pub(crate) fn into_update(self) -> Result<StrategyUpdate, AgentCoreFailure> {
        let configuration = self.configuration.unwrap_or_default();
        Ok(StrategyUpdate {
            id: StrategyId::parse(self.memory_strategy_id)?,
            description: self.description,
            template: template(self.namespaces, self.namespace_templates)?,
            schema: self.memory_record_schema.map(SchemaShape::into_entries),
            expiry: self.record_expiry_specification.map(ExpiryShape::into_specification),
            extraction: configuration.extraction.and_then(ExtractionChange::into_step),
            consolidation: configuration.consolidation.and_then(ConsolidationChange::into_step),
            reflection: configuration.reflection.map(ReflectionChange::into_new).transpose()?.flatten(),
            self_managed: configuration.self_managed_configuration.map(self_managed).transpose()?,
        })
    }
}

/// A prompt, and the base for which it was written.
type Step = (StrategyBase, StepOverride);

/// Returns the first prompt that is set.
fn first(choices: impl IntoIterator<Item = (StrategyBase, Option<StepShape>)>) -> Option<Step> {
    choices.into_iter().find_map(|(base, step)| step.map(|step| (base, StepOverride::from(step))))
}

impl ExtractionChange {
    fn into_step(self) -> Option<Step> {
        let change = self.custom_extraction_configuration?;
        first([
            (StrategyBase::Semantic, change.semantic_extraction_override),
            (StrategyBase::UserPreference, change.user_preference_extraction_override),
            (StrategyBase::Episodic, change.episodic_extraction_override),
        ])
    }
}

impl ConsolidationChange {
    fn into_step(self) -> Option<Step> {
        let change = self.custom_consolidation_configuration?;
        first([
            (StrategyBase::Semantic, change.semantic_consolidation_override),
            (StrategyBase::Summary, change.summary_consolidation_override),
            (StrategyBase::UserPreference, change.user_preference_consolidation_override),
            (StrategyBase::Episodic, change.episodic_consolidation_override),
        ])
    }
}

impl ReflectionChange {
    fn into_new(self) -> Result<Option<NewReflection>, AgentCoreFailure> {
        if let Some(plain) = self.episodic_reflection_configuration {
            return plain.into_new().map(Some);
        }
        let custom =
            self.custom_reflection_configuration.and_then(|custom| custom.episodic_reflection_override);
        custom.map(ReflectionStepShape::into_new).transpose()
    }
}

fn self_managed(change: SelfManagedShape) -> Result<SelfManagedUpdate, AgentCoreFailure> {
    let invocation = change.invocation_configuration.unwrap_or_default();
    Ok(SelfManagedUpdate {
        triggers: change.trigger_conditions.map(triggers).transpose()?,
        topic_arn: invocation.topic_arn,
        payload_bucket: invocation.payload_delivery_bucket_name,
        history_messages: change.history_context_window_size,
    })
}
