//! Strategies, keys and variables between the native shapes and the engine's nouns.

use loci_api::memory as shape;
use loci_engine::memories::{NewReflection, NewStrategy};
use loci_model::memory::index_key::{IndexedKey, NamespaceKey, NamespaceKeyValidation};
use loci_model::memory::strategy::{Strategy, StrategyBase};
use loci_model::record::metadata::{MetadataExtraction, MetadataSchemaEntry, MetadataType};
use loci_model::{Error, NamespaceTemplate, Result};

/// A strategy to be added.
pub(super) fn new_strategy(asked: shape::StrategyCreate) -> Result<NewStrategy> {
    let template = |text: Option<String>, field| {
        text.map(NamespaceTemplate::parse).transpose().map_err(|error: Error| error.on(field))
    };
    let base = match asked.kind {
        shape::StrategyKind::Semantic => StrategyBase::Semantic,
        shape::StrategyKind::Summary => StrategyBase::Summary,
        shape::StrategyKind::UserPreference => StrategyBase::UserPreference,
        shape::StrategyKind::Episodic => StrategyBase::Episodic,
        shape::StrategyKind::SelfManaged => {
            let rule =
                "self-managed strategies name delivery targets and are made through the AgentCore wire";
            return Err(Error::invalid("kind", rule));
        }
    };
    let reflection = template(asked.reflection_namespace, "reflection_namespace")?
        .map(|template| NewReflection { template: Some(template), ..NewReflection::default() });
    let schema: Vec<_> = asked.metadata.into_iter().map(schema_entry).collect();
    Ok(NewStrategy {
        base,
        name: asked.name,
        description: asked.description,
        template: template(asked.namespace, "namespace")?,
        custom: None,
        reflection,
        schema: (!schema.is_empty()).then_some(schema),
        record_expiry_days: asked.record_expiry_days,
    })
}

fn schema_entry(asked: shape::SchemaKey) -> MetadataSchemaEntry {
    MetadataSchemaEntry {
        key: asked.key,
        kind: asked.kind.map(metadata_type),
        extraction: Some(MetadataExtraction::StrictlyConsistent),
        llm: None,
    }
}

/// A strategy as shown.
pub(super) fn strategy(strategy: &Strategy) -> shape::Strategy {
    let kind = match strategy.base {
        StrategyBase::Semantic => shape::StrategyKind::Semantic,
        StrategyBase::Summary => shape::StrategyKind::Summary,
        StrategyBase::UserPreference => shape::StrategyKind::UserPreference,
        StrategyBase::Episodic => shape::StrategyKind::Episodic,
        StrategyBase::SelfManaged => shape::StrategyKind::SelfManaged,
    };
    let metadata = strategy
        .schema
        .iter()
        .flatten()
        .map(|entry| shape::SchemaKey { key: entry.key.clone(), kind: entry.kind.map(metadata_kind) });
    shape::Strategy {
        id: strategy.id.to_string(),
        kind,
        custom: strategy.custom.is_some(),
        name: strategy.name.clone(),
        description: strategy.description.clone(),
        namespace: strategy.template.to_string(),
        reflection_namespace: strategy.reflection.as_ref().map(|reflection| reflection.template.to_string()),
        metadata: metadata.collect(),
        record_expiry_days: strategy.record_expiry_days,
        created_at: strategy.created_at.to_rfc3339(),
        updated_at: strategy.updated_at.to_rfc3339(),
    }
}

fn metadata_type(kind: shape::MetadataKind) -> MetadataType {
    match kind {
        shape::MetadataKind::String => MetadataType::String,
        shape::MetadataKind::StringList => MetadataType::StringList,
        shape::MetadataKind::Number => MetadataType::Number,
    }
}

fn metadata_kind(kind: MetadataType) -> shape::MetadataKind {
    match kind {
        MetadataType::String => shape::MetadataKind::String,
        MetadataType::StringList => shape::MetadataKind::StringList,
        MetadataType::Number => shape::MetadataKind::Number,
    }
}

/// A filterable key.
pub(super) fn indexed_key(asked: shape::IndexedKey) -> IndexedKey {
    IndexedKey { key: asked.key, kind: metadata_type(asked.kind) }
}

/// A filterable key as shown.
pub(super) fn indexed_key_shown(key: &IndexedKey) -> shape::IndexedKey {
    shape::IndexedKey { key: key.key.clone(), kind: metadata_kind(key.kind) }
}

/// A namespace variable.
pub(super) fn namespace_key(asked: shape::NamespaceKey) -> NamespaceKey {
    let validation = (asked.allowed.is_some() || asked.pattern.is_some())
        .then_some(NamespaceKeyValidation { allowed: asked.allowed, pattern: asked.pattern });
    NamespaceKey { key: asked.key, validation }
}

/// A namespace variable as shown.
pub(super) fn namespace_key_shown(key: &NamespaceKey) -> shape::NamespaceKey {
    let validation = key.validation.as_ref();
    shape::NamespaceKey {
        key: key.key.clone(),
        allowed: validation.and_then(|validation| validation.allowed.clone()),
        pattern: validation.and_then(|validation| validation.pattern.clone()),
    }
}
