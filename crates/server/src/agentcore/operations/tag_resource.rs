//! `TagResource`: 204; adds to the existing tags.

use std::collections::BTreeMap;

use http::StatusCode;
use serde::Deserialize;

use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};

#[derive(Deserialize)]
struct Request {
    tags: BTreeMap<String, Option<String>>,
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let request: Request = call.request()?;
    let memory = call.memory_of_arn(call.route.member("resourceArn"))?;
    let tags = request.tags.into_iter().filter_map(|(key, value)| value.map(|value| (key, value))).collect();
    call.engine.tags_add(call.caller, &memory, tags).await?;
    Ok(HandlerAnswer::empty(StatusCode::NO_CONTENT))
}
