//! `UntagResource`: 204; missing keys are ignored.

use http::StatusCode;

use crate::agentcore::call::{Answer, Call, Outcome};

pub(super) async fn serve(call: &Call<'_>) -> Outcome {
    let memory = call.memory_of_arn(call.route.member("resourceArn"))?;
    let query = call.route.query.iter().filter(|(name, _)| name == "tagKeys");
    let keys: Vec<String> = query.map(|(_, key)| key.clone()).collect();
    call.engine.tags_remove(call.caller, &memory, &keys).await?;
    Ok(Answer::empty(StatusCode::NO_CONTENT))
}
