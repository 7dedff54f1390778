//! The end of an investigation.

use loci_api::operations::investigation as shape;
use loci_api::operations::table as api;
use loci_model::Result;

use super::investigation_start::{incident, memory};
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table.json(api::INVESTIGATION_COMPLETE, investigation_complete)
}

async fn investigation_complete(
    call: Call,
    asked: shape::InvestigationComplete,
) -> Result<shape::InvestigationCompleted> {
    let of = (memory(&call, asked.memory.as_deref()).await?, incident(&call)?);
    let done = call.doors.engine.operations.investigation_complete(&call.caller, of, asked).await?;
    Ok(shape::InvestigationCompleted {
        saved: done.saved,
        reason: done.reason.map(str::to_owned),
        summary_id: done.summary.map(|id| id.to_string()),
        action: done.action.map(|action| action.as_str().to_owned()),
        status: done.status.as_str().to_owned(),
        status_source: done.status_source.to_owned(),
        infrastructure: done.captured.saved,
        preferences: [done.captured.pending, done.captured.preferences].concat(),
        rejected: done.captured.rejected,
        suggested_status: None,
        warnings: done.warnings,
    })
}
