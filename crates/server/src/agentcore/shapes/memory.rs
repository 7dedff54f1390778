//! A memory in responses, and the keys that it declares, in requests and responses.

use loci_engine::EngineSettings;
use loci_engine::memories::memory_arn;
use loci_model::memory::Memory;
use loci_model::memory::index_key::{IndexedKey, NamespaceKey, NamespaceKeyValidation};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::schema::TypeShape;
use super::strategy_response::StrategyShape;
use crate::agentcore::errors::AgentCoreFailure;
use crate::agentcore::time::WireTime;

/// `IndexedKey`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct IndexedKeyShape {
    key: String,
    #[serde(rename = "type")]
    kind: TypeShape,
}

/// `NamespaceKeyEntry`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct NamespaceKeyShape {
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    validation: Option<NamespaceKeyValidationShape>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct NamespaceKeyValidationShape {
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_values: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    regex_pattern: Option<String>,
}

impl From<IndexedKeyShape> for IndexedKey {
    fn from(shape: IndexedKeyShape) -> Self {
        Self { key: shape.key, kind: shape.kind.into() }
    }
}

impl From<NamespaceKeyShape> for NamespaceKey {
    fn from(shape: NamespaceKeyShape) -> Self {
        let validation = |given: NamespaceKeyValidationShape| NamespaceKeyValidation {
            allowed: given.allowed_values,
            pattern: given.regex_pattern,
        };
        Self { key: shape.key, validation: shape.validation.map(validation) }
    }
}

impl NamespaceKeyShape {
    fn of(key: &NamespaceKey) -> Self {
        let validation = |given: &NamespaceKeyValidation| NamespaceKeyValidationShape {
            allowed_values: given.allowed.clone(),
            regex_pattern: given.pattern.clone(),
        };
        Self { key: key.key.clone(), validation: key.validation.as_ref().map(validation) }
    }
}

/// `Memory`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct MemoryShape<'a> {
    arn: String,
    id: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encryption_key_arn: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_execution_role_arn: Option<&'a str>,
    event_expiry_duration: u32,
    status: &'static str,
    created_at: WireTime,
    updated_at: WireTime,
    strategies: Vec<StrategyShape<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    indexed_keys: Vec<IndexedKeyShape>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    namespace_keys: Vec<NamespaceKeyShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_delivery_resources: Option<&'a RawValue>,
}

/// `MemorySummary`: without the name.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SummaryShape<'a> {
    arn: String,
    id: &'a str,
    status: &'static str,
    created_at: WireTime,
    updated_at: WireTime,
}

impl<'a> SummaryShape<'a> {
    pub(crate) fn of(settings: &EngineSettings, memory: &'a Memory) -> Self {
        Self {
            arn: memory_arn(settings, &memory.id),
            id: memory.id.as_str(),
            status: "ACTIVE",
            created_at: WireTime(memory.created_at),
            updated_at: WireTime(memory.updated_at),
        }
    }
}

/// The members of a memory that a response includes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    Full,
    /// Without the members that an encryption key protects: descriptions, prompts, metadata
    /// definitions and instructions.
    WithoutDecryption,
}

/// Returns `{"memory": …}`.
pub(crate) fn memory_answer(
    settings: &EngineSettings,
    memory: &Memory,
    view: View,
) -> Result<String, AgentCoreFailure> {
    let shape = MemoryShape {
        arn: memory_arn(settings, &memory.id),
        id: memory.id.as_str(),
        name: &memory.name,
        description: memory.description.as_deref(),
        encryption_key_arn: memory.encryption_key_arn.as_deref(),
        memory_execution_role_arn: memory.execution_role_arn.as_deref(),
        event_expiry_duration: memory.event_expiry_days,
        status: "ACTIVE",
        created_at: WireTime(memory.created_at),
        updated_at: WireTime(memory.updated_at),
        strategies: memory.strategies.iter().map(StrategyShape::of).collect(),
        indexed_keys: memory
            .indexed_keys
            .iter()
            .map(|key| IndexedKeyShape { key: key.key.clone(), kind: key.kind.into() })
            .collect(),
        namespace_keys: memory.namespace_keys.iter().map(NamespaceKeyShape::of).collect(),
        stream_delivery_resources: memory.stream.as_ref().map(loci_model::Document::raw),
    };
    let written = |error: serde_json::Error| {
        AgentCoreFailure::Engine(
            loci_model::Error::bug("a memory cannot be written as JSON").caused_by(error),
        )
    };
    let mut value = serde_json::to_value(&shape).map_err(written)?;
    if view == View::WithoutDecryption {
        strip(&mut value);
    }
    serde_json::to_string(&serde_json::json!({ "memory": value })).map_err(written)
}

/// Removes the encrypted members at any depth.
fn strip(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for name in ["description", "appendToPrompt", "definition", "llmExtractionInstruction"] {
                members.shift_remove(name);
            }
            members.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
