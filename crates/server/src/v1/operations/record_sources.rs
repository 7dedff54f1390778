//! The source events of a record.

use loci_api::record::sources as shape;
use loci_api::table as api;
use loci_model::{EventId, RecordId, Result};

use super::investigation_start::memory;
use crate::v1::events::shown;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table.query(api::RECORD_SOURCES, record_sources)
}

async fn record_sources(call: Call, asked: shape::RecordSourcesAsk) -> Result<shape::RecordSources> {
    let memory = memory(&call, asked.memory.as_deref()).await?;
    let record = RecordId::parse(call.path("record")?).map_err(|error| error.on("record"))?;
    let after = asked.after.as_deref().map(EventId::parse).transpose().map_err(|error| error.on("after"))?;
    let found = call.doors.engine.record_sources(&call.caller, &memory, &record, after.as_ref()).await?;
    let mut warnings = Vec::new();
    if found.unread > 0 {
        warnings.push(format!("sources: {} events are gone, or not yours to read", found.unread));
    }
    if let Some(last) = found.last.filter(|_| found.behind > 0) {
        warnings.push(format!("sources: {} events more: ask with after={last}", found.behind));
    }
    Ok(shape::RecordSources {
        events: found.events.iter().map(shown).collect::<Result<_>>()?,
        degraded: !warnings.is_empty(),
        warnings,
    })
}
