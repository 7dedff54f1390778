//! `CreateMemory`: 202, ACTIVE at once.

use std::collections::BTreeMap;

use http::StatusCode;
use loci_engine::memories::NewMemory;
use loci_model::Document;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};
use crate::agentcore::errors::AgentCoreFailure;
use crate::agentcore::shapes::memory::{IndexedKeyShape, NamespaceKeyShape, View, memory_answer};
use crate::agentcore::shapes::strategy_request::StrategyInput;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    client_token: Option<String>,
    name: String,
    description: Option<String>,
    encryption_key_arn: Option<String>,
    memory_execution_role_arn: Option<String>,
    event_expiry_duration: u32,
    memory_strategies: Option<Vec<StrategyInput>>,
    indexed_keys: Option<Vec<IndexedKeyShape>>,
    namespace_keys: Option<Vec<NamespaceKeyShape>>,
    stream_delivery_resources: Option<Box<RawValue>>,
    tags: Option<BTreeMap<String, Option<String>>>,
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let request: Request = call.request()?;
    let token = call.token(request.client_token.as_deref())?;
    let strategies = request
        .memory_strategies
        .unwrap_or_default()
        .into_iter()
        .map(StrategyInput::into_new)
        .collect::<Result<Vec<_>, AgentCoreFailure>>()?;
    let new = NewMemory {
        name: request.name,
        description: request.description,
        encryption_key_arn: request.encryption_key_arn,
        execution_role_arn: request.memory_execution_role_arn,
        event_expiry_days: request.event_expiry_duration,
        strategies,
        indexed_keys: request.indexed_keys.unwrap_or_default().into_iter().map(Into::into).collect(),
        namespace_keys: request.namespace_keys.unwrap_or_default().into_iter().map(Into::into).collect(),
        stream: request.stream_delivery_resources.map(|raw| Document::from_raw(&raw)).transpose()?,
        tags: request
            .tags
            .unwrap_or_default()
            .into_iter()
            .filter_map(|(key, value)| value.map(|value| (key, value)))
            .collect(),
        settings: None,
    };
    let memory = call.engine.memory_create(call.caller, new, token).await?;
    let body = memory_answer(call.engine.settings(), &memory, View::Full)?;
    Ok(HandlerAnswer::text(StatusCode::ACCEPTED, body))
}
