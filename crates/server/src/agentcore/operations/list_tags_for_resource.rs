//! `ListTagsForResource`: 200.

use std::collections::BTreeMap;

use http::StatusCode;
use serde::Serialize;

use crate::agentcore::call::{Answer, Call, Outcome};

#[derive(Serialize)]
struct Response {
    tags: BTreeMap<String, String>,
}

pub(super) async fn serve(call: &Call<'_>) -> Outcome {
    let memory = call.memory_of_arn(call.route.member("resourceArn"))?;
    let tags = call.engine.tags_list(call.caller, &memory).await?;
    Answer::json(StatusCode::OK, &Response { tags })
}
