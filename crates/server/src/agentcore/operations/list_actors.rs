//! `ListActors`: 200, actors with a live event, ascending.

use http::StatusCode;
use loci_model::ActorId;
use serde::{Deserialize, Serialize};

use super::PAGE_DEFAULT;
use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    max_results: Option<u32>,
    next_token: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    actor_summaries: Vec<Actor<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Actor<'a> {
    actor_id: &'a str,
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let request: Request = call.request()?;
    let start = call.page_start(request.next_token.as_deref(), 1)?;
    let after = start.and_then(|place| place.into_iter().next()).map(ActorId::parse).transpose()?;
    let limit = request.max_results.unwrap_or(PAGE_DEFAULT);
    let page = call.engine.actor_list(call.caller, &call.memory()?, after, limit).await?;
    let next_token = match &page.next {
        Some(actor) => Some(call.page_token(&[actor.as_str()])?),
        None => None,
    };
    let actor_summaries = page.items.iter().map(|actor| Actor { actor_id: actor.as_str() }).collect();
    HandlerAnswer::json(StatusCode::OK, &Response { actor_summaries, next_token })
}
