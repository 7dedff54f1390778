//! `GetMemoryRecord`: 200; the only operation that returns `expiresAt`.

use http::StatusCode;
use loci_model::{Namespace, RecordId};
use serde::Serialize;

use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};
use crate::agentcore::shapes::record::RecordShape;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    memory_record: RecordShape<'a>,
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let id = RecordId::parse(call.route.member("memoryRecordId"))?;
    let namespace = call.route.query_member("namespace").map(Namespace::parse).transpose()?;
    let record = call.engine.record_get(call.caller, &call.memory()?, &id, namespace.as_ref()).await?;
    HandlerAnswer::json(StatusCode::OK, &Response { memory_record: RecordShape::single(&record) })
}
