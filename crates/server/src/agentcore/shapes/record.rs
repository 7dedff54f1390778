//! Records in responses, and the members that several record operations share.

use std::collections::BTreeMap;

use loci_engine::records::{BatchOutcome, NamespaceAsk};
use loci_model::record::Record;
use loci_model::record::scope::StrategyChoice;
use loci_model::{Namespace, StrategyId};
use serde::Serialize;

use super::record_metadata::{ValueShape, shown};
use crate::agentcore::constraints::Refusal;
use crate::agentcore::errors::{AgentCoreFailure, item_code};
use crate::agentcore::time::WireTime;

/// The strategy id of records without a strategy, in responses and in filters.
const NO_STRATEGY: &str = "none";

/// Returns the namespaces that a read covers: exactly one of the two members.
pub(crate) fn namespace_ask(
    namespace: Option<String>,
    path: Option<String>,
) -> Result<NamespaceAsk, AgentCoreFailure> {
    match (namespace, path) {
        (Some(node), None) => Ok(NamespaceAsk::Node(Namespace::parse(node)?)),
        (None, Some(path)) => Ok(NamespaceAsk::Path(parse_path(path)?)),
        (Some(_), Some(_)) => Err(Refusal::field(
            "namespacePath",
            "namespace and namespacePath are both given: give one, namespace for that node alone, namespacePath for everything beneath it",
        )
        .into()),
        (None, None) => {
            Err(Refusal::field("namespace", "namespace or namespacePath is missing: give one of them").into())
        }
    }
}

fn parse_path(path: String) -> Result<Namespace, AgentCoreFailure> {
    Namespace::parse(path).map_err(|error| error.on("namespacePath").into())
}

/// Returns the requested strategy; `none` requests records without one.
pub(crate) fn strategy_choice(id: Option<String>) -> Result<Option<StrategyChoice>, AgentCoreFailure> {
    match id {
        None => Ok(None),
        Some(id) if id == NO_STRATEGY => Ok(Some(StrategyChoice::None)),
        Some(id) => Ok(Some(StrategyChoice::Of(StrategyId::parse(id)?))),
    }
}

/// Returns the strategy of a record to create.
pub(crate) fn strategy_of(id: Option<String>) -> Result<Option<StrategyId>, AgentCoreFailure> {
    id.filter(|id| id != NO_STRATEGY).map(StrategyId::parse).transpose().map_err(AgentCoreFailure::from)
}

/// `MemoryRecordSummary`, and `MemoryRecord` with `expiresAt`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecordShape<'a> {
    memory_record_id: &'a str,
    content: ContentShape<'a>,
    memory_strategy_id: &'a str,
    namespaces: [&'a str; 1],
    created_at: WireTime,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f32>,
    timestamp: WireTime,
    metadata: BTreeMap<String, ValueShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<WireTime>,
}

#[derive(Debug, Serialize)]
struct ContentShape<'a> {
    text: &'a str,
}

impl<'a> RecordShape<'a> {
    /// Returns the shape for a list, without score and expiry.
    pub(crate) fn summary(record: &'a Record) -> Self {
        Self {
            memory_record_id: record.id.as_str(),
            content: ContentShape { text: &record.text },
            memory_strategy_id: record.strategy.as_ref().map_or(NO_STRATEGY, StrategyId::as_str),
            namespaces: [record.namespace.as_str()],
            created_at: WireTime(record.created_at),
            score: None,
            timestamp: WireTime(record.timestamp),
            metadata: shown(record),
            expires_at: None,
        }
    }

    /// Returns the shape for a search, with the calibrated score.
    pub(crate) fn scored(record: &'a Record, text: &'a str, score: f32) -> Self {
        Self { score: Some(score), content: ContentShape { text }, ..Self::summary(record) }
    }

    /// Returns the shape for a single read, with the expiry.
    pub(crate) fn single(record: &'a Record) -> Self {
        Self { expires_at: record.expires_at.map(WireTime), ..Self::summary(record) }
    }
}

/// `successfulRecords` and `failedRecords`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchShape<'a> {
    successful_records: Vec<ItemShape<'a>>,
    failed_records: Vec<ItemShape<'a>>,
}

/// `MemoryRecordOutput`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ItemShape<'a> {
    memory_record_id: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_identifier: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_message: Option<&'a str>,
}

impl<'a> BatchShape<'a> {
    /// Returns both lists, each in the order of the request.
    pub(crate) fn of(outcome: &'a BatchOutcome) -> Self {
        let mut shape = Self { successful_records: Vec::new(), failed_records: Vec::new() };
        for item in &outcome.items {
            let (status, failure) = match &item.result {
                Ok(()) => ("SUCCEEDED", None),
                Err((kind, message)) => ("FAILED", Some((item_code(*kind), message.as_str()))),
            };
            let list =
                if failure.is_none() { &mut shape.successful_records } else { &mut shape.failed_records };
            list.push(ItemShape {
                memory_record_id: item.id.as_str(),
                status,
                request_identifier: item.request.as_deref(),
                error_code: failure.map(|(code, _)| code),
                error_message: failure.map(|(_, message)| message),
            });
        }
        shape
    }
}
