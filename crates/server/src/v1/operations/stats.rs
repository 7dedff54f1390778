//! Statistics of investigations, and those without a reported outcome.

use loci_api::operations::investigation as shape;
use loci_api::operations::table as api;
use loci_model::Result;
use loci_operations::SreStatsAsk;

use super::investigation_start::memory;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;
use crate::v1::protocol::values::time;

pub(super) fn operations(table: Table) -> Table {
    table.query(api::SRE_STATS, sre_stats).query(api::SRE_PENDING_OUTCOMES, sre_pending_outcomes)
}

async fn sre_stats(call: Call, asked: shape::SreStatsAsk) -> Result<shape::SreStats> {
    let memory = memory(&call, asked.memory.as_deref()).await?;
    let ask = SreStatsAsk { service: asked.service, since: time("since", asked.since.as_deref())? };
    call.doors.engine.operations.sre_stats(&call.caller, &memory, &ask).await
}

async fn sre_pending_outcomes(
    call: Call,
    asked: shape::PendingOutcomesAsk,
) -> Result<shape::PendingOutcomes> {
    let memory = memory(&call, asked.memory.as_deref()).await?;
    call.doors.engine.operations.sre_pending_outcomes(&call.caller, &memory).await
}
