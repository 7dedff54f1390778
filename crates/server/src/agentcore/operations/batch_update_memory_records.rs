//! `BatchUpdateMemoryRecords`: 200, item by item; absent members stay unchanged.

use std::collections::BTreeMap;

use http::StatusCode;
use loci_engine::records::RecordUpdate;
use loci_model::{Namespace, RecordId};
use serde::Deserialize;

use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};
use crate::agentcore::errors::AgentCoreFailure;
use crate::agentcore::shapes::record::{BatchShape, strategy_of};
use crate::agentcore::shapes::record_metadata::{ValueShape, metadata};
use crate::agentcore::shapes::strategy_request::ExpiryShape;
use crate::agentcore::time::WireTime;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    records: Vec<Item>,
    record_expiry_specification: Option<ExpiryShape>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    memory_record_id: String,
    timestamp: WireTime,
    content: Option<Content>,
    namespaces: Option<Vec<String>>,
    source_namespaces: Option<Vec<String>>,
    memory_strategy_id: Option<String>,
    metadata: Option<BTreeMap<String, Option<ValueShape>>>,
}

#[derive(Deserialize)]
struct Content {
    text: Option<String>,
}

fn namespaces(given: Option<Vec<String>>) -> Result<Option<Vec<Namespace>>, AgentCoreFailure> {
    let parse = |list: Vec<String>| list.into_iter().map(Namespace::parse).collect::<Result<Vec<_>, _>>();
    Ok(given.map(parse).transpose()?)
}

impl Item {
    fn into_update(self) -> Result<RecordUpdate, AgentCoreFailure> {
        Ok(RecordUpdate {
            id: RecordId::parse(self.memory_record_id)?,
            timestamp: self.timestamp.0,
            text: self.content.and_then(|content| content.text),
            namespaces: namespaces(self.namespaces)?,
            source_namespaces: namespaces(self.source_namespaces)?,
            strategy: strategy_of(self.memory_strategy_id)?,
            metadata: self.metadata.map(metadata),
            if_version: None,
        })
    }
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let request: Request = call.request()?;
    let updates = request.records.into_iter().map(Item::into_update).collect::<Result<_, _>>()?;
    let expiry = request.record_expiry_specification.map(ExpiryShape::into_specification);
    let outcome = call.engine.records_update(call.caller, &call.memory()?, updates, expiry).await?;
    HandlerAnswer::json(StatusCode::OK, &BatchShape::of(&outcome))
}
