//! Records and filters: conversion between the native shapes and the engine's types.

use loci_api::record as shape;
use loci_api::record::derivation as making_shape;
use loci_engine::records::{NamespaceAsk, check_namespaces};
use loci_model::record::derivation::RecordDerivation;
use loci_model::record::findings::Findings;
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::record::metadata_filter::{FilterOperator, MetadataFilter};
use loci_model::record::scope::StrategyChoice;
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{Error, Namespace, Result, StrategyId, Timestamp};

/// Returns a record for a response.
pub(in crate::v1) fn record(record: &Record) -> shape::Record {
    let from = &record.provenance;
    let sources = from.sources.iter().map(|source| shape::Source {
        event: source.event.to_string(),
        message: source.message,
        part: source.part,
    });
    shape::Record {
        id: record.id.to_string(),
        memory: record.memory.to_string(),
        version: record.version,
        kind: record.kind.as_str().to_owned(),
        subtype: record.subtype.clone(),
        title: record.title.clone(),
        path: record.path.clone(),
        description: record.description.clone(),
        scope: record.scope.clone(),
        namespace: record.namespace.to_string(),
        strategy: record.strategy.as_ref().map(ToString::to_string),
        text: record.text.clone(),
        metadata: record.metadata.iter().map(|(key, value)| (key.clone(), value_shown(value))).collect(),
        provenance: shape::Provenance {
            actor: from.actor.as_ref().map(ToString::to_string),
            session: from.session.as_ref().map(ToString::to_string),
            sources: sources.collect(),
            verbatim: from.verbatim,
            role: from.role.map(Into::into),
        },
        origin: record.origin.as_str().to_owned(),
        trust: record.trust,
        tier: (!record.tier.is_plain()).then(|| record.tier.as_str().to_owned()),
        making: record.making.as_deref().map(making),
        derived_from: record.derived_from.iter().map(ToString::to_string).collect(),
        findings: (!record.findings.is_empty()).then(|| findings(&record.findings)),
        state: record.state.as_str().to_owned(),
        state_reason: record.state_reason.clone(),
        superseded_by: record.superseded_by.as_ref().map(ToString::to_string),
        supersedes: record.supersedes.iter().map(ToString::to_string).collect(),
        valid_from: record.valid_from.to_rfc3339(),
        valid_to: record.valid_to.map(Timestamp::to_rfc3339),
        timestamp: record.timestamp.to_rfc3339(),
        created_at: record.created_at.to_rfc3339(),
        updated_at: record.updated_at.to_rfc3339(),
        expires_at: record.expires_at.map(Timestamp::to_rfc3339),
    }
}

fn making(making: &RecordDerivation) -> making_shape::Making {
    making_shape::Making {
        prompt: making.prompt.as_ref().map(ToString::to_string),
        model: making.model.clone(),
        mode: making.mode.as_str().to_owned(),
        decided: making.decided.clone(),
        evidence: making.evidence.clone(),
    }
}

fn findings(findings: &Findings) -> making_shape::Findings {
    let Findings { injection, reasons, masked } = findings.clone();
    making_shape::Findings { injection, reasons, masked }
}

/// Returns a change of state for a response.
pub(super) fn change(change: &StateChange) -> shape::StateChange {
    shape::StateChange {
        at: change.at.to_rfc3339(),
        version: change.version,
        from: change.from.map(|state| state.as_str().to_owned()),
        to: change.to.as_str().to_owned(),
        reason: (!change.reason.is_empty()).then(|| change.reason.clone()),
        by: change.by.clone(),
    }
}

fn value_shown(value: &MetadataValue) -> shape::MetadataValue {
    match value {
        MetadataValue::String(text) => shape::MetadataValue::String(text.clone()),
        MetadataValue::StringList(items) => shape::MetadataValue::StringList(items.clone()),
        MetadataValue::Number(number) => shape::MetadataValue::Number(*number),
        MetadataValue::DateTime(time) => shape::MetadataValue::String(time.to_rfc3339()),
    }
}

/// Returns metadata of a request.
pub(super) fn metadata(asked: std::collections::BTreeMap<String, shape::MetadataValue>) -> Metadata {
    asked.into_iter().map(|(key, asked)| (key, value(asked))).collect()
}

fn value(asked: shape::MetadataValue) -> MetadataValue {
    match asked {
        shape::MetadataValue::String(text) => MetadataValue::String(text),
        shape::MetadataValue::StringList(items) => MetadataValue::StringList(items),
        shape::MetadataValue::Number(number) => MetadataValue::Number(number),
    }
}

/// Returns a filter of a request. `before` and `after` compare with a time.
pub(in crate::v1) fn filter(asked: shape::MetadataFilter) -> Result<MetadataFilter> {
    let operator = FilterOperator::from(asked.operator);
    let right = match (operator, asked.value) {
        (FilterOperator::Before | FilterOperator::After, Some(shape::MetadataValue::String(text))) => {
            let time = Timestamp::parse(&text).map_err(|error| error.on("metadata.value"))?;
            Some(MetadataValue::DateTime(time))
        }
        (_, asked) => asked.map(value),
    };
    Ok(MetadataFilter { key: asked.key, operator, right })
}

/// Parses a kind of a request; `knowledge` means `fact`.
pub(super) fn kind(word: &str) -> Result<RecordKind> {
    let word = if word == "knowledge" { "fact" } else { word };
    RecordKind::parse(word).ok_or_else(|| {
        let words: Vec<_> = RecordKind::ALL.iter().map(|kind| kind.as_str()).collect();
        Error::invalid("kind", format!("kind must be one of {}", words.join(", ")))
    })
}

/// Returns the kinds of a request, each once.
pub(in crate::v1) fn kinds(words: &[String]) -> Result<Vec<RecordKind>> {
    let mut kinds = Vec::new();
    for word in words {
        let kind = kind(word)?;
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    Ok(kinds)
}

/// Returns the states of a request, each once.
pub(in crate::v1) fn states(words: &[String]) -> Result<Vec<RecordState>> {
    let mut states = Vec::new();
    for word in words {
        let state = state(word)?;
        if !states.contains(&state) {
            states.push(state);
        }
    }
    Ok(states)
}

/// Parses a state of a request.
pub(in crate::v1) fn state(word: &str) -> Result<RecordState> {
    RecordState::parse(word).ok_or_else(|| {
        let words: Vec<_> = RecordState::ALL.iter().map(|state| state.as_str()).collect();
        Error::invalid("states", format!("a state must be one of {}", words.join(", ")))
    })
}

/// Returns the namespaces of a request.
pub(in crate::v1) fn places(nodes: Vec<String>, paths: Vec<String>) -> Result<Vec<NamespaceAsk>> {
    let node = |text| Namespace::parse(text).map(NamespaceAsk::Node).map_err(|error| error.on("namespaces"));
    let path =
        |text| Namespace::parse(text).map(NamespaceAsk::Path).map_err(|error| error.on("namespace_paths"));
    let longer = if nodes.len() >= paths.len() { "namespaces" } else { "namespace_paths" };
    check_namespaces(nodes.len() + paths.len()).map_err(|error| error.on(longer))?;
    nodes.into_iter().map(node).chain(paths.into_iter().map(path)).collect()
}

/// Returns the strategy of a request.
pub(super) fn strategy(id: Option<String>) -> Result<Option<StrategyId>> {
    id.map(StrategyId::parse).transpose().map_err(|error: Error| error.on("strategy"))
}

/// Returns the strategy of a filter.
pub(in crate::v1) fn choice(id: Option<String>) -> Result<Option<StrategyChoice>> {
    Ok(strategy(id)?.map(StrategyChoice::Of))
}

#[cfg(test)]
mod tests {
    use loci_model::limits;

    use super::*;

    #[test]
    fn a_request_names_so_many_places() {
        let check = |nodes: usize, paths: usize, expect: Option<&str>| {
            let named = |count: usize| (0..count).map(|at| format!("/n{at}")).collect();
            let field = places(named(nodes), named(paths)).err().and_then(|error| error.field);
            assert_eq!(field.as_deref(), expect, "{nodes} {paths}");
        };
        let most = limits::NAMESPACES_MAX;
        check(most, 0, None);
        check(0, most, None);
        check(most / 2, most - most / 2, None);
        check(most + 1, 0, Some("namespaces"));
        check(0, most + 1, Some("namespace_paths"));
        check(1, most, Some("namespace_paths"));
    }

    #[test]
    fn kinds_and_states_count_once() {
        let words = |words: &[&str]| vec![words; 500].concat().into_iter().map(str::to_owned).collect();
        let many: Vec<String> = words(&["fact", "knowledge", "episode"]);
        assert_eq!(kinds(&many).unwrap(), [RecordKind::Fact, RecordKind::Episode]);
        let many: Vec<String> = words(&["active", "stale"]);
        assert_eq!(states(&many).unwrap(), [RecordState::Active, RecordState::Stale]);
        assert!(kinds(&["guess".to_owned()]).is_err() && states(&["guess".to_owned()]).is_err());
    }
}
