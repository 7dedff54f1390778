//! Strategies to add, as in requests: five members of a union, flat overrides.

use loci_engine::memories::{NewReflection, NewStrategy};
use loci_model::memory::strategy::{CustomConfiguration, StepOverride, StrategyBase};
use loci_model::record::expiry::ExpirySpecification;
use loci_model::record::metadata::MetadataSchemaEntry;
use serde::Deserialize;

use super::schema::SchemaShape;
use super::self_managed::SelfManagedShape;
use super::template::template;
use crate::agentcore::constraints::Refusal;
use crate::agentcore::errors::AgentCoreFailure;

/// `MemoryStrategyInput`: exactly one member set.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StrategyInput {
    semantic_memory_strategy: Option<PlainStrategy>,
    summary_memory_strategy: Option<PlainStrategy>,
    user_preference_memory_strategy: Option<PlainStrategy>,
    custom_memory_strategy: Option<CustomStrategy>,
    episodic_memory_strategy: Option<EpisodicStrategy>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlainStrategy {
    name: String,
    description: Option<String>,
    namespaces: Option<Vec<String>>,
    namespace_templates: Option<Vec<String>>,
    memory_record_schema: Option<SchemaShape>,
    record_expiry_specification: Option<ExpiryShape>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CustomStrategy {
    name: String,
    description: Option<String>,
    namespaces: Option<Vec<String>>,
    namespace_templates: Option<Vec<String>>,
    memory_record_schema: Option<SchemaShape>,
    record_expiry_specification: Option<ExpiryShape>,
    configuration: Option<CustomShape>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EpisodicStrategy {
    name: String,
    description: Option<String>,
    namespaces: Option<Vec<String>>,
    namespace_templates: Option<Vec<String>>,
    memory_record_schema: Option<SchemaShape>,
    record_expiry_specification: Option<ExpiryShape>,
    reflection_configuration: Option<ReflectionShape>,
}

/// `RecordExpirySpecification`: exactly one member set.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExpiryShape {
    record_expiry_duration_days: Option<u32>,
    action: Option<String>,
}

impl ExpiryShape {
    /// Returns the number of days until records expire, or the removal of their expiry.
    pub(crate) fn into_specification(self) -> ExpirySpecification {
        match (self.record_expiry_duration_days, self.action) {
            (Some(days), _) => ExpirySpecification::Days(days),
            (None, _) => ExpirySpecification::Remove,
        }
    }

    /// Returns the days. `REMOVE` is rejected for a new strategy.
    fn into_days(self) -> Result<u32, AgentCoreFailure> {
        match self.into_specification() {
            ExpirySpecification::Days(days) => Ok(days),
            ExpirySpecification::Remove => Err(Refusal::field(
                "recordExpirySpecification.action",
                "recordExpirySpecification.action REMOVE is for updates only: leave recordExpirySpecification out",
            )
            .into()),
        }
    }
}

/// `EpisodicReflectionConfigurationInput`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReflectionShape {
    namespaces: Option<Vec<String>>,
    namespace_templates: Option<Vec<String>>,
    memory_record_schema: Option<SchemaShape>,
}

impl ReflectionShape {
    /// Returns reflections without a prompt of their own.
    pub(crate) fn into_new(self) -> Result<NewReflection, AgentCoreFailure> {
        Ok(NewReflection {
            template: template(self.namespaces, self.namespace_templates)?,
            schema: self.memory_record_schema.map(SchemaShape::into_entries),
            step: None,
        })
    }
}

/// `Step`: a replaced prompt.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StepShape {
    append_to_prompt: String,
    model_id: String,
}

impl From<StepShape> for StepOverride {
    fn from(shape: StepShape) -> Self {
        Self { append_to_prompt: shape.append_to_prompt, model_id: shape.model_id }
    }
}

/// `ReflectionStep`: a replaced prompt, and the namespace of reflections.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReflectionStepShape {
    append_to_prompt: String,
    model_id: String,
    namespaces: Option<Vec<String>>,
    namespace_templates: Option<Vec<String>>,
    memory_record_schema: Option<SchemaShape>,
}

impl ReflectionStepShape {
    /// Returns reflections with a prompt of their own.
    pub(crate) fn into_new(self) -> Result<NewReflection, AgentCoreFailure> {
        Ok(NewReflection {
            template: template(self.namespaces, self.namespace_templates)?,
            schema: self.memory_record_schema.map(SchemaShape::into_entries),
            step: Some(StepOverride { append_to_prompt: self.append_to_prompt, model_id: self.model_id }),
        })
    }
}

/// `CustomConfigurationInput`: exactly one member set.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CustomShape {
    semantic_override: Option<OverrideShape>,
    summary_override: Option<ConsolidationShape>,
    user_preference_override: Option<OverrideShape>,
    episodic_override: Option<EpisodicOverrideShape>,
    self_managed_configuration: Option<SelfManagedShape>,
}

#[derive(Debug, Deserialize)]
struct OverrideShape {
    extraction: Option<StepShape>,
    consolidation: Option<StepShape>,
}

#[derive(Debug, Deserialize)]
struct ConsolidationShape {
    consolidation: Option<StepShape>,
}

#[derive(Debug, Deserialize)]
struct EpisodicOverrideShape {
    extraction: Option<StepShape>,
    consolidation: Option<StepShape>,
    reflection: Option<ReflectionStepShape>,
}

/// The content of a custom strategy's configuration.
struct Custom {
    base: StrategyBase,
    configuration: CustomConfiguration,
    reflection: Option<NewReflection>,
}

impl CustomShape {
    fn into_custom(self) -> Result<Custom, AgentCoreFailure> {
        let steps = |base, extraction: Option<StepShape>, consolidation: Option<StepShape>| Custom {
            base,
            configuration: CustomConfiguration {
                extraction: extraction.map(StepOverride::from),
                consolidation: consolidation.map(StepOverride::from),
                self_managed: None,
            },
            reflection: None,
        };
        if let Some(found) = self.semantic_override {
            return Ok(steps(StrategyBase::Semantic, found.extraction, found.consolidation));
        }
        if let Some(found) = self.summary_override {
            return Ok(steps(StrategyBase::Summary, None, found.consolidation));
        }
        if let Some(found) = self.user_preference_override {
            return Ok(steps(StrategyBase::UserPreference, found.extraction, found.consolidation));
        }
        if let Some(found) = self.episodic_override {
            let reflection = found.reflection.map(ReflectionStepShape::into_new).transpose()?;
            let custom = steps(StrategyBase::Episodic, found.extraction, found.consolidation);
            return Ok(Custom { reflection, ..custom });
        }
        let self_managed = self.self_managed_configuration.unwrap_or_default().into_new()?;
        Ok(Custom {
            base: StrategyBase::SelfManaged,
            configuration: CustomConfiguration {
                self_managed: Some(self_managed),
                ..CustomConfiguration::default()
            },
            reflection: None,
        })
    }
}

impl StrategyInput {
    /// Returns the strategy to add.
    pub(crate) fn into_new(self) -> Result<NewStrategy, AgentCoreFailure> {
        if let Some(plain) = self.semantic_memory_strategy {
            return plain.into_new(StrategyBase::Semantic);
        }
        if let Some(plain) = self.summary_memory_strategy {
            return plain.into_new(StrategyBase::Summary);
        }
        if let Some(plain) = self.user_preference_memory_strategy {
            return plain.into_new(StrategyBase::UserPreference);
        }
        if let Some(episodic) = self.episodic_memory_strategy {
            return episodic.into_new();
        }
        match self.custom_memory_strategy {
            Some(custom) => custom.into_new(),
            None => Err(Refusal::field("memoryStrategies", "a strategy must name its kind").into()),
        }
    }
}

fn schema(shape: Option<SchemaShape>) -> Option<Vec<MetadataSchemaEntry>> {
    shape.map(SchemaShape::into_entries)
}

impl PlainStrategy {
    fn into_new(self, base: StrategyBase) -> Result<NewStrategy, AgentCoreFailure> {
        Ok(NewStrategy {
            base,
            name: self.name,
            description: self.description,
            template: template(self.namespaces, self.namespace_templates)?,
            custom: None,
            reflection: None,
            schema: schema(self.memory_record_schema),
            record_expiry_days: self.record_expiry_specification.map(ExpiryShape::into_days).transpose()?,
        })
    }
}

impl EpisodicStrategy {
    fn into_new(self) -> Result<NewStrategy, AgentCoreFailure> {
        Ok(NewStrategy {
            base: StrategyBase::Episodic,
            name: self.name,
            description: self.description,
            template: template(self.namespaces, self.namespace_templates)?,
            custom: None,
            reflection: self.reflection_configuration.map(ReflectionShape::into_new).transpose()?,
            schema: schema(self.memory_record_schema),
            record_expiry_days: self.record_expiry_specification.map(ExpiryShape::into_days).transpose()?,
        })
    }
}

impl CustomStrategy {
    fn into_new(self) -> Result<NewStrategy, AgentCoreFailure> {
        let Some(configuration) = self.configuration else {
            return Err(Refusal::field(
                "customMemoryStrategy.configuration",
                "customMemoryStrategy needs a configuration: an override, or selfManagedConfiguration",
            )
            .into());
        };
        let custom = configuration.into_custom()?;
        Ok(NewStrategy {
            base: custom.base,
            name: self.name,
            description: self.description,
            template: template(self.namespaces, self.namespace_templates)?,
            custom: Some(custom.configuration),
            reflection: custom.reflection,
            schema: schema(self.memory_record_schema),
            record_expiry_days: self.record_expiry_specification.map(ExpiryShape::into_days).transpose()?,
        })
    }
}
