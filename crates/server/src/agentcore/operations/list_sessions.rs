//! `ListSessions`: 200, newest first.

use http::StatusCode;
use loci_model::SessionId;
use loci_model::ports::store::SessionEntry;
use serde::{Deserialize, Serialize};

use super::PAGE_DEFAULT;
use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};
use crate::agentcore::page_token::{parse_time, time_part};
use crate::agentcore::time::WireTime;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    filter: Option<Filter>,
    max_results: Option<u32>,
    next_token: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Filter {
    /// The filter; its only value is `HAS_EVENTS`.
    event_filter: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    session_summaries: Vec<Session<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Session<'a> {
    session_id: &'a str,
    actor_id: &'a str,
    created_at: WireTime,
}

impl<'a> Session<'a> {
    fn of(entry: &'a SessionEntry) -> Self {
        Self {
            session_id: entry.session.as_str(),
            actor_id: entry.actor.as_str(),
            created_at: WireTime(entry.created_at),
        }
    }
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let request: Request = call.request()?;
    let after = match call.page_start(request.next_token.as_deref(), 2)?.as_deref() {
        Some([time, id]) => Some((parse_time(time)?, SessionId::parse(id.as_str())?)),
        Some(_) | None => None,
    };
    let with_events_only = request.filter.is_some_and(|filter| filter.event_filter.is_some());
    let limit = request.max_results.unwrap_or(PAGE_DEFAULT);
    let page = call
        .engine
        .session_list(call.caller, &call.memory()?, &call.actor()?, with_events_only, after, limit)
        .await?;
    let next_token = match &page.next {
        Some((time, id)) => Some(call.page_token(&[&time_part(*time), id.as_str()])?),
        None => None,
    };
    let session_summaries = page.items.iter().map(Session::of).collect();
    HandlerAnswer::json(StatusCode::OK, &Response { session_summaries, next_token })
}
