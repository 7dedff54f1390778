//! `DeleteMemory`: 202; the next read finds nothing.

use http::StatusCode;
use serde::Serialize;

use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    memory_id: &'a str,
    status: &'static str,
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let memory = call.memory()?;
    let token = call.token(call.route.query_member("clientToken"))?;
    call.engine.memory_delete(call.caller, &memory, token).await?;
    HandlerAnswer::json(StatusCode::ACCEPTED, &Response { memory_id: memory.as_str(), status: "DELETING" })
}
