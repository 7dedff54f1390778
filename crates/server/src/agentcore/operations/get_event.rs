//! `GetEvent`: 200; memory, actor, session and id must all match.

use http::StatusCode;
use serde::Serialize;

use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};
use crate::agentcore::shapes::event::{EventShape, EventView};

#[derive(Serialize)]
struct Response<'a> {
    event: EventShape<'a>,
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let memory = call.memory()?;
    let event =
        call.engine.event_get(call.caller, &memory, &call.actor()?, &call.session()?, &call.event()?).await?;
    let main_branch = call.memory_settings(&memory).await?.main_branch_marker;
    let view = EventView { payloads: true, main_branch };
    HandlerAnswer::json(StatusCode::OK, &Response { event: EventShape::of(&event, view) })
}
