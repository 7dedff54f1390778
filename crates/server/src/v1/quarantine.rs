//! Quarantine: hold records back, list them, release or reject them.

use loci_api::quarantine as shape;
use loci_api::table as api;
use loci_engine::records::{QuarantineAsk, QuarantinedRecords, Verdict};
use loci_model::{RecordId, Result};

use super::events::{actor, session};
use super::protocol::call::Call;
use super::protocol::cursor;
use super::protocol::table::Table;
use super::protocol::values::time;
use super::records::record_shape::record;

pub(super) fn operations(table: Table) -> Table {
    table
        .json(api::RECORDS_QUARANTINE, quarantine)
        .query(api::QUARANTINE_LIST, list)
        .json(api::QUARANTINE_RELEASE, release)
        .json(api::QUARANTINE_REJECT, reject)
}

async fn quarantine(call: Call, asked: shape::Quarantine) -> Result<shape::Quarantined> {
    let ask = QuarantineAsk {
        ids: ids(&asked.ids)?,
        pattern: asked.pattern,
        actor: asked.actor.map(actor).transpose()?,
        session: asked.session.map(session).transpose()?,
        since: time("since", asked.since.as_deref())?,
        until: time("until", asked.until.as_deref())?,
        reason: asked.reason,
        dry_run: asked.dry_run,
    };
    Ok(shown(&call.doors.engine.records_quarantine(&call.caller, &call.memory().await?, ask).await?))
}

async fn list(call: Call, asked: shape::QuarantineListing) -> Result<shape::QuarantineList> {
    let after = cursor::read(asked.cursor.as_deref())?;
    let limit = cursor::limit(asked.limit)?;
    let page = call.doors.engine.quarantine_list(&call.caller, &call.memory().await?, after, limit).await?;
    Ok(shape::QuarantineList {
        records: page.items.iter().map(record).collect(),
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

async fn release(call: Call, asked: shape::QuarantineDecision) -> Result<shape::Quarantined> {
    decide(call, asked, Verdict::Release).await
}

async fn reject(call: Call, asked: shape::QuarantineDecision) -> Result<shape::Quarantined> {
    decide(call, asked, Verdict::Reject).await
}

async fn decide(
    call: Call,
    asked: shape::QuarantineDecision,
    verdict: Verdict,
) -> Result<shape::Quarantined> {
    let (memory, ids) = (call.memory().await?, ids(&asked.ids)?);
    let engine = &call.doors.engine;
    Ok(shown(&engine.quarantine_decide(&call.caller, &memory, ids, verdict, asked.reason).await?))
}

pub(super) fn ids(asked: &[String]) -> Result<Vec<RecordId>> {
    asked.iter().map(|id| RecordId::parse(id.as_str()).map_err(|error| error.on("ids"))).collect()
}

pub(super) fn shown(done: &QuarantinedRecords) -> shape::Quarantined {
    shape::Quarantined {
        matched: done.matched,
        ids: done.ids.iter().map(ToString::to_string).collect(),
        applied: done.applied,
    }
}
