//! Strategies, keys and variables: conversion between the native shapes and the engine's types.

use loci_api::memory as shape;
use loci_engine::memories::{NewReflection, NewStrategy};
use loci_model::memory::index_key::{IndexedKey, NamespaceKey, NamespaceKeyValidation};
use loci_model::memory::strategy::{Strategy, StrategyBase};
use loci_model::record::metadata::{MetadataExtraction, MetadataSchemaEntry};
use loci_model::{Error, NamespaceTemplate, Result};

/// Returns a strategy to add.
pub(super) fn new_strategy(asked: shape::StrategyCreate) -> Result<NewStrategy> {
    let template = |text: Option<String>, field| {
        text.map(NamespaceTemplate::parse).transpose().map_err(|error: Error| error.on(field))
    };
    if asked.kind == StrategyBase::SelfManaged {
        let rule = "self-managed strategies name delivery targets and are made through the AgentCore wire";
        return Err(Error::invalid("kind", rule));
    }
    let reflection = template(asked.reflection_namespace, "reflection_namespace")?
        .map(|template| NewReflection { template: Some(template), ..NewReflection::default() });
    let schema: Vec<_> = asked.metadata.into_iter().map(schema_entry).collect();
    Ok(NewStrategy {
        base: asked.kind,
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
        kind: asked.kind.map(Into::into),
        extraction: Some(MetadataExtraction::StrictlyConsistent),
        llm: None,
    }
}

/// Returns a strategy for a response.
pub(super) fn strategy(strategy: &Strategy) -> shape::Strategy {
    let metadata = strategy
        .schema
        .iter()
        .flatten()
        .map(|entry| shape::SchemaKey { key: entry.key.clone(), kind: entry.kind.map(Into::into) });
    shape::Strategy {
        id: strategy.id.to_string(),
        kind: strategy.base,
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

/// Returns a filterable key of a request.
pub(super) fn indexed_key(asked: shape::IndexedKey) -> IndexedKey {
    IndexedKey { key: asked.key, kind: asked.kind.into() }
}

/// Returns a filterable key for a response.
pub(super) fn indexed_key_shown(key: &IndexedKey) -> shape::IndexedKey {
    shape::IndexedKey { key: key.key.clone(), kind: key.kind.into() }
}

/// Returns a namespace variable of a request.
pub(super) fn namespace_key(asked: shape::NamespaceKey) -> NamespaceKey {
    let validation = (asked.allowed.is_some() || asked.pattern.is_some())
        .then_some(NamespaceKeyValidation { allowed: asked.allowed, pattern: asked.pattern });
    NamespaceKey { key: asked.key, validation }
}

/// Returns a namespace variable for a response.
pub(super) fn namespace_key_shown(key: &NamespaceKey) -> shape::NamespaceKey {
    let validation = key.validation.as_ref();
    shape::NamespaceKey {
        key: key.key.clone(),
        allowed: validation.and_then(|validation| validation.allowed.clone()),
        pattern: validation.and_then(|validation| validation.pattern.clone()),
    }
}
