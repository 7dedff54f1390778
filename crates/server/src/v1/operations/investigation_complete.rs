//! The end of an investigation (sre-memory.md §6.3).

use loci_api::operations::investigation as shape;
use loci_api::operations::table as api;
use loci_model::services::knowledge::ResolutionStatus;
use loci_model::{Error, RecordId, Result};
use loci_operations::InvestigationComplete;

use super::investigation_start::{incident, memory};
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;
use crate::v1::protocol::values::word;

const EXECUTED: &str = "executed";
const AWAITS: &str = "awaiting_approval";

pub(super) fn operations(table: Table) -> Table {
    table.json(api::INVESTIGATION_COMPLETE, investigation_complete)
}

/// Ids of records in a member of the request.
pub(super) fn record_ids(field: &'static str, ids: &[String]) -> Result<Vec<RecordId>> {
    ids.iter().map(|id| RecordId::parse(id.as_str()).map_err(|error| error.on(field))).collect()
}

async fn investigation_complete(
    call: Call,
    asked: shape::InvestigationComplete,
) -> Result<shape::InvestigationCompleted> {
    let awaits_approval = match asked.plan_state.as_deref() {
        None | Some(EXECUTED) => false,
        Some(AWAITS) => true,
        Some(_) => {
            return Err(Error::invalid("plan_state", "plan_state must be executed or awaiting_approval"));
        }
    };
    let status = asked.status.as_deref();
    let done = InvestigationComplete {
        memory: memory(&call, asked.memory.as_deref()).await?,
        incident: incident(&call)?,
        session: asked.session_id,
        query: asked.query,
        final_response: asked.final_response,
        agent_results: asked.agent_results,
        status: word(
            "status",
            status,
            ResolutionStatus::ALL,
            ResolutionStatus::parse,
            ResolutionStatus::as_str,
        )?,
        root_cause: asked.root_cause,
        actions: asked.actions,
        findings: asked.findings,
        timeline: asked.timeline,
        services: asked.services,
        awaits_approval,
        used: record_ids("used_record_ids", &asked.used_record_ids)?,
        harmful: record_ids("harmful_record_ids", &asked.harmful_record_ids)?,
    };
    let done = call.doors.engine.operations.investigation_complete(&call.caller, done).await?;
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
