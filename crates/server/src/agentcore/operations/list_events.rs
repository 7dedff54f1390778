//! `ListEvents`: 200, newest first, filters before paging.

use http::StatusCode;
use loci_engine::events::EventListing;
use loci_model::{BranchName, EventId};
use serde::{Deserialize, Serialize};

use super::PAGE_DEFAULT;
use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};
use crate::agentcore::shapes::event::{EventShape, EventView};
use crate::agentcore::shapes::event_filter::{FilterShape, conditions};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    include_payloads: Option<bool>,
    filter: Option<FilterShape>,
    max_results: Option<u32>,
    next_token: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    events: Vec<EventShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let request: Request = call.request()?;
    let memory = call.memory()?;
    let start = call.page_start(request.next_token.as_deref(), 1)?;
    let filter = request.filter.unwrap_or_default();
    let branch = match filter.branch {
        Some(given) => {
            Some((BranchName::parse(given.name)?, given.include_parent_branches.unwrap_or_default()))
        }
        None => None,
    };
    let payloads = request.include_payloads.unwrap_or(true);
    let listing = EventListing {
        memory: memory.clone(),
        actor: call.actor()?,
        session: call.session()?,
        branch,
        metadata: conditions(filter.event_metadata)?,
        before: start.and_then(|place| place.into_iter().next()).map(EventId::parse).transpose()?,
        limit: request.max_results.unwrap_or(PAGE_DEFAULT),
        with_payload: payloads,
    };
    let page = call.engine.event_list(call.caller, listing).await?;
    let main_branch = call.memory_settings(&memory).await?.main_branch_marker;
    let view = EventView { payloads, main_branch };
    let next_token = match &page.next {
        Some(event) => Some(call.page_token(&[event.as_str()])?),
        None => None,
    };
    let events = page.items.iter().map(|event| EventShape::of(event, view)).collect();
    HandlerAnswer::json(StatusCode::OK, &Response { events, next_token })
}
