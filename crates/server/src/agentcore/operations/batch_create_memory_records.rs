//! `BatchCreateMemoryRecords`: 201, item by item.

use std::collections::BTreeMap;

use http::StatusCode;
use loci_engine::records::{NewRecord, RecordsCreate};
use loci_model::Namespace;
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
    client_token: Option<String>,
    record_expiry_specification: Option<ExpiryShape>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    request_identifier: String,
    namespaces: Vec<String>,
    content: Content,
    timestamp: WireTime,
    memory_strategy_id: Option<String>,
    metadata: Option<BTreeMap<String, Option<ValueShape>>>,
}

#[derive(Deserialize)]
struct Content {
    text: Option<String>,
}

impl Item {
    fn into_new(self) -> Result<NewRecord, AgentCoreFailure> {
        let namespaces = self.namespaces.into_iter().map(Namespace::parse).collect::<Result<_, _>>()?;
        let text = self.content.text.unwrap_or_default();
        let mut new = NewRecord::fact(self.request_identifier, namespaces, text, self.timestamp.0);
        new.strategy = strategy_of(self.memory_strategy_id)?;
        new.metadata = metadata(self.metadata.unwrap_or_default());
        Ok(new)
    }
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let request: Request = call.request()?;
    let token = call.token(request.client_token.as_deref())?;
    let create = RecordsCreate {
        memory: call.memory()?,
        records: request.records.into_iter().map(Item::into_new).collect::<Result<_, _>>()?,
        expiry: request.record_expiry_specification.map(ExpiryShape::into_specification),
    };
    let outcome = call.engine.records_create(call.caller, create, token).await?;
    HandlerAnswer::json(StatusCode::CREATED, &BatchShape::of(&outcome))
}
