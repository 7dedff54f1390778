//! Every version of what is known of a service, with the time in which it held (sre-memory.md §10.1).

use loci_api::operations::knowledge as shape;
use loci_api::operations::table as api;
use loci_model::services::knowledge::{KnowledgeType, SreType};
use loci_model::{Error, Result, Timestamp};
use loci_operations::{SreHistoryAsk, SreOrigin, SreVersion};

use super::retrieve::{provenance, skipped};
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table.query(api::SRE_HISTORY, sre_history)
}

async fn sre_history(call: Call, asked: shape::SreHistoryAsk) -> Result<shape::SreHistory> {
    let words: Vec<_> = KnowledgeType::ALL.iter().map(|kind| kind.as_str()).collect();
    let unknown = || Error::invalid("type", format!("type must be one of {}", words.join(", ")));
    let kind = asked.knowledge_type.as_deref();
    let kind = kind.map(|word| KnowledgeType::parse(word).ok_or_else(unknown)).transpose()?;
    let ask = SreHistoryAsk {
        memory: call.memory().await?,
        service: asked.service,
        kind,
        metric: asked.metric,
        environment: asked.environment,
    };
    let history = call.doors.engine.operations.sre_history(&call.caller, ask).await?;
    let cut = "only the newest records were looked at: name a type, a metric or an environment";
    Ok(shape::SreHistory {
        versions: history.versions.into_iter().map(version).collect(),
        skipped: skipped(history.skipped),
        degraded: history.is_cut,
        warnings: history.is_cut.then(|| cut.to_owned()).into_iter().collect(),
    })
}

fn version(version: SreVersion) -> shape::SreVersion {
    let record = &version.record;
    let origin = SreOrigin::of(SreType::Infrastructure, record, &version.content);
    shape::SreVersion {
        record_id: record.id.to_string(),
        state: record.state.as_str().to_owned(),
        valid_from: record.valid_from.to_rfc3339(),
        valid_to: record.valid_to.map(Timestamp::to_rfc3339),
        superseded_by: record.superseded_by.as_ref().map(ToString::to_string),
        keys: version.keys,
        superseded_keys: version.gone,
        source: origin.source.to_owned(),
        provenance: provenance(origin),
        content: version.content,
    }
}
