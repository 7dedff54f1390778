//! Numbers over investigations, and those whose outcome nobody told (sre-memory.md §11).

use loci_api::operations::investigation as shape;
use loci_api::operations::table as api;
use loci_model::Result;
use loci_operations::SreStatsAsk;

use super::investigation_start::memory;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;
use crate::v1::protocol::values::time;

const PARTIAL: &str = "stats: only the newest 10000 investigations are counted";
const LOOKED_AT: &str = "pending-outcomes: only the newest 10000 investigations are looked at";

pub(super) fn operations(table: Table) -> Table {
    table.query(api::SRE_STATS, sre_stats).query(api::SRE_PENDING_OUTCOMES, sre_pending_outcomes)
}

async fn sre_stats(call: Call, asked: shape::SreStatsAsk) -> Result<shape::SreStats> {
    let memory = memory(&call, asked.memory.as_deref()).await?;
    let ask = SreStatsAsk { service: asked.service, since: time("since", asked.since.as_deref())? };
    let stats = call.doors.engine.operations.sre_stats(&call.caller, &memory, &ask).await?;
    let count = |count: usize| count as u64;
    Ok(shape::SreStats {
        investigations: count(stats.investigations),
        by_status: stats.by_status.into_iter().map(|(status, all)| (status.to_owned(), count(all))).collect(),
        resolved: count(stats.resolved),
        mttr_median_s: stats.mttr_median_s,
        mttr_p90_s: stats.mttr_p90_s,
        judged: count(stats.judged),
        confirmed_share: stats.confirmed_share,
        recurrence: stats
            .recurrence
            .into_iter()
            .map(|(fingerprint, all)| shape::AlertRecurrence { fingerprint, count: count(all) })
            .collect(),
        mttr_with_memory_s: stats.mttr_with_memory_s,
        mttr_without_memory_s: stats.mttr_without_memory_s,
        degraded: stats.is_partial,
        warnings: stats.is_partial.then(|| PARTIAL.to_owned()).into_iter().collect(),
    })
}

async fn sre_pending_outcomes(
    call: Call,
    asked: shape::PendingOutcomesAsk,
) -> Result<shape::PendingOutcomes> {
    let memory = memory(&call, asked.memory.as_deref()).await?;
    let found = call.doors.engine.operations.sre_pending_outcomes(&call.caller, &memory).await?;
    let shown = found.waiting.into_iter().map(|one| shape::PendingOutcome {
        incident_id: one.incident,
        session_id: one.session,
        user_id: one.user,
        query: one.query,
        status: one.status.to_owned(),
        started_at: one.began.to_rfc3339(),
    });
    Ok(shape::PendingOutcomes {
        investigations: shown.collect(),
        degraded: found.is_partial,
        warnings: found.is_partial.then(|| LOOKED_AT.to_owned()).into_iter().collect(),
    })
}
