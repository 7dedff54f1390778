//! `DeleteMemoryRecord`: 200; hidden at once.

use http::StatusCode;
use loci_engine::records::RecordDelete;
use loci_model::{Namespace, RecordId};
use serde::Serialize;

use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    memory_record_id: &'a str,
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let id = RecordId::parse(call.route.member("memoryRecordId"))?;
    let namespace = call.route.query_member("namespace").map(Namespace::parse).transpose()?;
    let delete = RecordDelete { id: id.clone(), namespace };
    call.engine.record_delete(call.caller, &call.memory()?, delete).await?;
    HandlerAnswer::json(StatusCode::OK, &Response { memory_record_id: id.as_str() })
}
