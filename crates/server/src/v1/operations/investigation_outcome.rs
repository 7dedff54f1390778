//! The outcome of an investigation, as a person reports it.

use loci_api::operations::investigation as shape;
use loci_api::operations::table as api;
use loci_model::{RecordId, Result};
use loci_operations::InvestigationOutcome;

use super::investigation_start::{incident, memory};
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;
use crate::v1::protocol::values::time;

pub(super) fn operations(table: Table) -> Table {
    table.json(api::INVESTIGATION_OUTCOME, investigation_outcome)
}

/// Parses the record ids in a member of the request.
fn record_ids(field: &'static str, ids: &[String]) -> Result<Vec<RecordId>> {
    ids.iter().map(|id| RecordId::parse(id.as_str()).map_err(|error| error.on(field))).collect()
}

async fn investigation_outcome(
    call: Call,
    asked: shape::InvestigationOutcome,
) -> Result<shape::InvestigationOutcomeTold> {
    let outcome = InvestigationOutcome {
        memory: memory(&call, asked.memory.as_deref()).await?,
        incident: incident(&call)?,
        session: asked.session_id,
        resolved_at: time("resolved_at", asked.resolved_at.as_deref())?,
        root_cause_confirmed: asked.root_cause_confirmed,
        root_cause: asked.root_cause,
        postmortem_url: asked.postmortem_url,
        fix: asked.fix,
        useful: record_ids("useful_record_ids", &asked.useful_record_ids)?,
        wrong: record_ids("wrong_record_ids", &asked.wrong_record_ids)?,
    };
    let effects = call.doors.engine.operations.investigation_outcome(&call.caller, outcome).await?;
    let shown = effects
        .into_iter()
        .map(|one| shape::OutcomeEffect { record_id: one.record.to_string(), effect: one.effect.to_owned() });
    Ok(shape::InvestigationOutcomeTold { updated: shown.collect() })
}
