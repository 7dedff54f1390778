//! Retrieval of operations memory by type, question, namespace and time.

use loci_api::operations::knowledge as shape;
use loci_api::operations::table as api;
use loci_model::services::knowledge::SreType;
use loci_model::{RecordId, Result, Timestamp};
use loci_operations::{SreFound, SreRetrieve, SreRetrieved, SreTimeFilter, origin};

use super::save::memory_type;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table.json(api::SRE_RETRIEVE, sre_retrieve)
}

async fn sre_retrieve(call: Call, asked: shape::SreRetrieve) -> Result<shape::SreRetrieved> {
    let types = asked.types.iter().map(|word| memory_type(word, "types"));
    let as_of = asked.as_of.as_deref().map(Timestamp::parse).transpose();
    let wanted = SreRetrieve {
        memory: call.memory().await?,
        kinds: types.collect::<Result<Vec<SreType>>>()?,
        query: asked.query.unwrap_or_default(),
        actor: asked.actor.filter(|actor| !actor.is_empty()),
        session: asked.session,
        since: asked.since,
        until: asked.until,
        tz: asked.tz,
        services: asked.service,
        environments: asked.environment,
        filters_boost: false,
        min_confidence: asked.min_confidence,
        top_k: asked.top_k.map(|top_k| usize::try_from(top_k).unwrap_or(usize::MAX)),
        include_superseded: asked.include.contains(&shape::SreInclude::Superseded),
        as_of: as_of.map_err(|error| error.on("as_of"))?,
        explain: asked.explain,
        leave_out: Vec::new(),
    };
    Ok(shown(call.doors.engine.operations.sre_retrieve(&call.caller, wanted).await?))
}

pub(crate) fn shown(found: SreRetrieved) -> shape::SreRetrieved {
    shape::SreRetrieved {
        results: found.results.into_iter().map(result).collect(),
        time_filter: found.time_filter.map(time_filter),
        skipped: skipped(found.skipped),
        degraded: found.degraded,
        warnings: found.warnings,
    }
}

pub(super) fn skipped(all: Vec<(RecordId, String)>) -> Vec<shape::SreSkipped> {
    let one =
        |(record, reason): (RecordId, String)| shape::SreSkipped { record_id: record.to_string(), reason };
    all.into_iter().map(one).collect()
}

fn result(found: SreFound) -> shape::SreResult {
    let (provenance, source) = origin(found.kind, &found.record, &found.content);
    let record = &found.record;
    let state = if found.conflict { "conflict" } else { record.state.as_str() };
    shape::SreResult {
        record_id: record.id.to_string(),
        memory_type: found.kind.as_str().to_owned(),
        score: found.score,
        score_parts: found.parts,
        state: state.to_owned(),
        source: source.to_owned(),
        namespaces: found.namespaces.iter().map(ToString::to_string).collect(),
        created_at: record.created_at.to_rfc3339(),
        updated_at: record.updated_at.to_rfc3339(),
        observed_at: record.timestamp.to_rfc3339(),
        age_days: found.age_days,
        stale: found.stale,
        provenance,
        content: found.content,
    }
}

fn time_filter(filter: SreTimeFilter) -> shape::SreTimeFilter {
    shape::SreTimeFilter {
        from: filter.from.map(Timestamp::to_rfc3339),
        to: filter.to.map(Timestamp::to_rfc3339),
        phrase: filter.phrase,
        source: filter.source.as_str().to_owned(),
        relaxed: filter.relaxed,
    }
}
