//! `ListTagsForResource`: 200.

use std::collections::BTreeMap;

use http::StatusCode;
use serde::Serialize;

use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};

#[derive(Serialize)]
struct Response {
    tags: BTreeMap<String, String>,
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let memory = call.memory_of_arn(call.route.member("resourceArn"))?;
    let tags = call.engine.tags_list(call.caller, &memory).await?;
    HandlerAnswer::json(StatusCode::OK, &Response { tags })
}
