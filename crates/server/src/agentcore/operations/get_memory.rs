//! `GetMemory`: 200, in full or without the members that an encryption key protects.

use http::StatusCode;

use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};
use crate::agentcore::shapes::memory::{View, memory_answer};

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let view = match call.route.query_member("view") {
        Some("without_decryption") => View::WithoutDecryption,
        Some(_) | None => View::Full,
    };
    let memory = call.engine.memory_get(call.caller, &call.memory()?).await?;
    Ok(HandlerAnswer::text(StatusCode::OK, memory_answer(call.engine.settings(), &memory, view)?))
}
