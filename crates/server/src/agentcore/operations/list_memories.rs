//! `ListMemories`: 200, newest first.

use http::StatusCode;
use loci_model::MemoryId;
use serde::{Deserialize, Serialize};

use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};
use crate::agentcore::page_token::{parse_time, time_part};
use crate::agentcore::shapes::memory::SummaryShape;

/// The default page size, smaller than that of other lists.
const PAGE_DEFAULT: u32 = 10;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    max_results: Option<u32>,
    next_token: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    memories: Vec<SummaryShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let request: Request = call.request()?;
    let after = match call.page_start(request.next_token.as_deref(), 2)?.as_deref() {
        Some([time, id]) => Some((parse_time(time)?, MemoryId::parse(id.as_str())?)),
        Some(_) | None => None,
    };
    let limit = request.max_results.unwrap_or(PAGE_DEFAULT);
    let page = call.engine.memory_list(call.caller, after, limit).await?;
    let next_token = match &page.next {
        Some((time, id)) => Some(call.page_token(&[&time_part(*time), id.as_str()])?),
        None => None,
    };
    let settings = call.engine.settings();
    let memories = page.items.iter().map(|memory| SummaryShape::of(settings, memory)).collect();
    HandlerAnswer::json(StatusCode::OK, &Response { memories, next_token })
}
