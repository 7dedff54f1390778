//! `UntagResource`: 204; missing keys are ignored.

use http::StatusCode;

use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let memory = call.memory_of_arn(call.route.member("resourceArn"))?;
    let query = call.route.query.iter().filter(|(name, _)| name == "tagKeys");
    let keys: Vec<String> = query.map(|(_, key)| key.clone()).collect();
    call.engine.tags_remove(call.caller, &memory, &keys).await?;
    Ok(HandlerAnswer::empty(StatusCode::NO_CONTENT))
}
