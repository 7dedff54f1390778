//! Strategies in responses.

use loci_model::memory::strategy::{CustomConfiguration, Reflection, StepOverride, Strategy, StrategyBase};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::schema::SchemaShape;
use super::self_managed::SelfManagedShape;
use crate::agentcore::time::WireTime;

/// The minimum of `recordExpiryDurationDays`, in days.
const EXPIRY_DAYS_MIN: u32 = 31;

/// `MemoryStrategy`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StrategyShape<'a> {
    strategy_id: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    configuration: Option<Value>,
    #[serde(rename = "type")]
    kind: &'static str,
    namespaces: [&'a str; 1],
    namespace_templates: [&'a str; 1],
    created_at: WireTime,
    updated_at: WireTime,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_record_schema: Option<SchemaShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record_expiry_duration_days: Option<u32>,
}

impl<'a> StrategyShape<'a> {
    /// Returns the shape for a response, with both names of its template.
    pub(crate) fn of(strategy: &'a Strategy) -> Self {
        Self {
            strategy_id: strategy.id.as_str(),
            name: &strategy.name,
            description: strategy.description.as_deref(),
            configuration: configuration(strategy),
            kind: kind(strategy),
            namespaces: [strategy.template.as_str()],
            namespace_templates: [strategy.template.as_str()],
            created_at: WireTime(strategy.created_at),
            updated_at: WireTime(strategy.updated_at),
            status: "ACTIVE",
            memory_record_schema: strategy.schema.as_deref().map(SchemaShape::of),
            // A profile may set fewer days than the API admits. A client would fail to parse them,
            // so they are left out.
            record_expiry_duration_days: strategy.record_expiry_days.filter(|days| *days >= EXPIRY_DAYS_MIN),
        }
    }
}

fn kind(strategy: &Strategy) -> &'static str {
    if strategy.custom.is_some() {
        return "CUSTOM";
    }
    match strategy.base {
        StrategyBase::Semantic => "SEMANTIC",
        StrategyBase::Summary => "SUMMARIZATION",
        StrategyBase::UserPreference => "USER_PREFERENCE",
        StrategyBase::Episodic => "EPISODIC",
        StrategyBase::SelfManaged => "CUSTOM",
    }
}

/// Returns `StrategyConfiguration`. Built-in strategies have none, except for the reflections of an
/// episodic one.
fn configuration(strategy: &Strategy) -> Option<Value> {
    let mut members = Map::new();
    if let Some(custom) = &strategy.custom {
        members.insert("type".into(), json!(override_kind(strategy.base)));
        overrides(&mut members, strategy.base, custom);
    }
    if let Some(reflection) = &strategy.reflection {
        members.insert("reflection".into(), reflection_value(reflection));
    }
    (!members.is_empty()).then_some(Value::Object(members))
}

fn override_kind(base: StrategyBase) -> &'static str {
    match base {
        StrategyBase::Semantic => "SEMANTIC_OVERRIDE",
        StrategyBase::Summary => "SUMMARY_OVERRIDE",
        StrategyBase::UserPreference => "USER_PREFERENCE_OVERRIDE",
        StrategyBase::Episodic => "EPISODIC_OVERRIDE",
        StrategyBase::SelfManaged => "SELF_MANAGED",
    }
}

fn overrides(members: &mut Map<String, Value>, base: StrategyBase, custom: &CustomConfiguration) {
    let word = match base {
        StrategyBase::Semantic => "semantic",
        StrategyBase::Summary => "summary",
        StrategyBase::UserPreference => "userPreference",
        StrategyBase::Episodic => "episodic",
        StrategyBase::SelfManaged => "selfManaged",
    };
    if let Some(step) = &custom.extraction {
        let step = json!({ format!("{word}ExtractionOverride"): step_value(step) });
        members.insert("extraction".into(), json!({ "customExtractionConfiguration": step }));
    }
    if let Some(step) = &custom.consolidation {
        let step = json!({ format!("{word}ConsolidationOverride"): step_value(step) });
        members.insert("consolidation".into(), json!({ "customConsolidationConfiguration": step }));
    }
    if let Some(self_managed) = &custom.self_managed {
        members.insert("selfManagedConfiguration".into(), json!(SelfManagedShape::of(self_managed)));
    }
}

fn step_value(step: &StepOverride) -> Value {
    json!({ "appendToPrompt": step.append_to_prompt, "modelId": step.model_id })
}

fn reflection_value(reflection: &Reflection) -> Value {
    let mut members = Map::new();
    if let Some(step) = &reflection.step {
        members.insert("appendToPrompt".into(), json!(step.append_to_prompt));
        members.insert("modelId".into(), json!(step.model_id));
    }
    let template = [reflection.template.as_str()];
    members.insert("namespaces".into(), json!(template));
    members.insert("namespaceTemplates".into(), json!(template));
    if let Some(schema) = &reflection.schema {
        members.insert("memoryRecordSchema".into(), json!(SchemaShape::of(schema)));
    }
    match reflection.step {
        Some(_) => json!({ "customReflectionConfiguration": { "episodicReflectionOverride": members } }),
        None => json!({ "episodicReflectionConfiguration": members }),
    }
}
