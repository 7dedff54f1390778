//! `UpdateMemory`: 202, applied before the response, completely or not at all.

use http::StatusCode;
use loci_engine::memories::MemoryUpdate;
use loci_model::{Document, StrategyId};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};
use crate::agentcore::errors::AgentCoreFailure;
use crate::agentcore::shapes::memory::{IndexedKeyShape, NamespaceKeyShape, View, memory_answer};
use crate::agentcore::shapes::strategy_request::StrategyInput;
use crate::agentcore::shapes::strategy_update::StrategyChange;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    client_token: Option<String>,
    description: Option<String>,
    event_expiry_duration: Option<u32>,
    memory_execution_role_arn: Option<String>,
    memory_strategies: Option<Strategies>,
    add_indexed_keys: Option<Vec<IndexedKeyShape>>,
    namespace_keys: Option<Vec<NamespaceKeyShape>>,
    stream_delivery_resources: Option<Box<RawValue>>,
}

/// `ModifyMemoryStrategies`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Strategies {
    add_memory_strategies: Option<Vec<StrategyInput>>,
    modify_memory_strategies: Option<Vec<StrategyChange>>,
    delete_memory_strategies: Option<Vec<Deletion>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Deletion {
    memory_strategy_id: String,
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let request: Request = call.request()?;
    let token = call.token(request.client_token.as_deref())?;
    let strategies = request.memory_strategies.unwrap_or_default();
    let change = MemoryUpdate {
        description: request.description,
        event_expiry_days: request.event_expiry_duration,
        execution_role_arn: request.memory_execution_role_arn,
        add_strategies: strategies
            .add_memory_strategies
            .unwrap_or_default()
            .into_iter()
            .map(StrategyInput::into_new)
            .collect::<Result<_, AgentCoreFailure>>()?,
        modify_strategies: strategies
            .modify_memory_strategies
            .unwrap_or_default()
            .into_iter()
            .map(StrategyChange::into_update)
            .collect::<Result<_, AgentCoreFailure>>()?,
        delete_strategies: strategies
            .delete_memory_strategies
            .unwrap_or_default()
            .into_iter()
            .map(|deletion| StrategyId::parse(deletion.memory_strategy_id))
            .collect::<Result<_, _>>()?,
        add_indexed_keys: request.add_indexed_keys.unwrap_or_default().into_iter().map(Into::into).collect(),
        namespace_keys: request.namespace_keys.map(|keys| keys.into_iter().map(Into::into).collect()),
        stream: request.stream_delivery_resources.map(|raw| Document::from_raw(&raw)).transpose()?,
    };
    let changed = call.engine.memory_update(call.caller, &call.memory()?, change, token).await?;
    let body = memory_answer(call.engine.settings(), &changed.memory, View::Full)?;
    Ok(HandlerAnswer::text(StatusCode::ACCEPTED, body).with_notices(changed.notices))
}
