//! `ListMemoryRecords`: 200, newest first, without a query or a score.

use http::StatusCode;
use loci_engine::records::RecordListing;
use loci_model::RecordId;
use serde::{Deserialize, Serialize};

use super::PAGE_DEFAULT;
use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};
use crate::agentcore::page_token::{parse_time, time_part};
use crate::agentcore::shapes::record::{RecordShape, namespace_ask, strategy_choice};
use crate::agentcore::shapes::record_filter::{FilterShape, filters};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    namespace: Option<String>,
    namespace_path: Option<String>,
    memory_strategy_id: Option<String>,
    metadata_filters: Option<Vec<FilterShape>>,
    max_results: Option<u32>,
    next_token: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    memory_record_summaries: Vec<RecordShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let request: Request = call.request()?;
    let after = match call.page_start(request.next_token.as_deref(), 2)?.as_deref() {
        Some([time, id]) => Some((parse_time(time)?, RecordId::parse(id.as_str())?)),
        Some(_) | None => None,
    };
    let listing = RecordListing {
        memory: call.memory()?,
        namespaces: vec![namespace_ask(request.namespace, request.namespace_path)?],
        strategy: strategy_choice(request.memory_strategy_id)?,
        metadata: filters(request.metadata_filters),
        kinds: Vec::new(),
        states: Vec::new(),
        after,
        limit: request.max_results.unwrap_or(PAGE_DEFAULT),
    };
    let list = call.engine.record_list(call.caller, listing).await?;
    let next_token = match &list.page.next {
        Some((time, id)) => Some(call.page_token(&[&time_part(*time), id.as_str()])?),
        None => None,
    };
    let memory_record_summaries = list.page.items.iter().map(RecordShape::summary).collect();
    let response = Response { memory_record_summaries, next_token };
    Ok(HandlerAnswer::json(StatusCode::OK, &response)?.with_notices(list.notices))
}
