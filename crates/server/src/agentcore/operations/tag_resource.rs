//! `TagResource`: 204; adds to the existing tags.

use std::collections::BTreeMap;

use http::StatusCode;
use serde::Deserialize;

use crate::agentcore::call::{Answer, Call, Outcome};

#[derive(Deserialize)]
struct Request {
    tags: BTreeMap<String, Option<String>>,
}

pub(super) async fn serve(call: &Call<'_>) -> Outcome {
    let request: Request = call.request()?;
    let memory = call.memory_of_arn(call.route.member("resourceArn"))?;
    let tags = request.tags.into_iter().filter_map(|(key, value)| value.map(|value| (key, value))).collect();
    call.engine.tags_add(call.caller, &memory, tags).await?;
    Ok(Answer::empty(StatusCode::NO_CONTENT))
}
