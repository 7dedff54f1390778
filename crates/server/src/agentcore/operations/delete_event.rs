//! `DeleteEvent`: 200; records extracted from the event stay.

use http::StatusCode;
use serde::Serialize;

use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    event_id: &'a str,
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let event = call.event()?;
    call.engine.event_delete(call.caller, &call.memory()?, &call.actor()?, &call.session()?, &event).await?;
    HandlerAnswer::json(StatusCode::OK, &Response { event_id: event.as_str() })
}
