//! `BatchDeleteMemoryRecords`: 200, item by item.

use http::StatusCode;
use loci_engine::records::RecordDelete;
use loci_model::{Namespace, RecordId};
use serde::Deserialize;

use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};
use crate::agentcore::errors::AgentCoreFailure;
use crate::agentcore::shapes::record::BatchShape;

#[derive(Deserialize)]
struct Request {
    records: Vec<Item>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    memory_record_id: String,
    namespace: Option<String>,
}

impl Item {
    fn into_delete(self) -> Result<RecordDelete, AgentCoreFailure> {
        Ok(RecordDelete {
            id: RecordId::parse(self.memory_record_id)?,
            namespace: self.namespace.map(Namespace::parse).transpose()?,
        })
    }
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let request: Request = call.request()?;
    let deletes = request.records.into_iter().map(Item::into_delete).collect::<Result<_, _>>()?;
    let outcome = call.engine.records_delete(call.caller, &call.memory()?, deletes).await?;
    HandlerAnswer::json(StatusCode::OK, &BatchShape::of(&outcome))
}
