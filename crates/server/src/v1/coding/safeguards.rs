//! Safeguards of a repository's memory: quarantine and release, decisions on pending records,
//! rollback, erasure.

use loci_api::coding::safeguard as shape;
use loci_api::coding::table as api;
use loci_api::quarantine as quarantined_shape;
use loci_api::record::Record;
use loci_coding::{HeldDecision, PurgeAsk, RepositoryQuarantineAsk, Selection};
use loci_model::record::RecordState;
use loci_model::{Namespace, RecordId, Result, TaskId};

use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::cursor;
use crate::v1::protocol::table::Table;
use crate::v1::protocol::values::time;
use crate::v1::quarantine;
use crate::v1::records::record_shape::{record, state};
use crate::v1::verified::repositories::repo;

pub(super) fn operations(table: Table) -> Table {
    table
        .json(api::REPOSITORY_QUARANTINE, quarantine_some)
        .json(api::REPOSITORY_RELEASE, release_some)
        .query(api::HELD_LIST, held_list)
        .json(api::HELD_ACCEPT, held_accept)
        .json(api::HELD_REJECT, held_reject)
        .query(api::SNAPSHOTS_LIST, snapshots_list)
        .json(api::REPOSITORY_ROLLBACK, rollback)
        .json(api::REPOSITORY_PURGE, purge_some)
}

async fn quarantine_some(
    call: Call,
    asked: shape::RepositoryQuarantine,
) -> Result<quarantined_shape::Quarantined> {
    let (standing, repo, ask) = (standing(&call)?, repo(&call)?, quarantine_ask(asked)?);
    let done = call.doors.engine.coding.repository_quarantine(&call.caller, &standing, &repo, ask).await?;
    Ok(quarantine::shown(&done))
}

async fn release_some(
    call: Call,
    asked: shape::RepositoryQuarantine,
) -> Result<quarantined_shape::Quarantined> {
    let (standing, repo, ask) = (standing(&call)?, repo(&call)?, quarantine_ask(asked)?);
    let done = call.doors.engine.coding.repository_release(&call.caller, &standing, &repo, ask).await?;
    Ok(quarantine::shown(&done))
}

fn quarantine_ask(asked: shape::RepositoryQuarantine) -> Result<RepositoryQuarantineAsk> {
    let which = Selection {
        ids: quarantine::ids(&asked.ids)?,
        query: asked.query,
        pattern: asked.pattern,
        task: TaskId::read("task_id", asked.task_id.as_deref())?,
        reviewer: asked.reviewer,
        since: time("since", asked.since.as_deref())?,
        until: time("until", asked.until.as_deref())?,
        ..Selection::default()
    };
    Ok(RepositoryQuarantineAsk { which, reason: asked.reason, dry_run: asked.dry_run })
}

async fn held_list(call: Call, asked: shape::HeldListing) -> Result<shape::HeldList> {
    let held = asked.state.as_deref().map(state).transpose().map_err(|error| error.on("state"))?;
    let state = held.unwrap_or(RecordState::Candidate);
    let place = (cursor::read(asked.cursor.as_deref())?, cursor::limit(asked.limit)?);
    let (standing, repo) = (standing(&call)?, repo(&call)?);
    let page = call.doors.engine.coding.held_list(&call.caller, &standing, &repo, state, place).await?;
    Ok(shape::HeldList {
        records: page.items.iter().map(record).collect(),
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

async fn held_accept(call: Call, asked: shape::HeldDecide) -> Result<Record> {
    decide(call, HeldDecision::Accept, &asked.reason).await
}

async fn held_reject(call: Call, asked: shape::HeldDecide) -> Result<Record> {
    decide(call, HeldDecision::Reject, &asked.reason).await
}

async fn decide(call: Call, decision: HeldDecision, reason: &str) -> Result<Record> {
    let id = RecordId::parse(call.path("record")?).map_err(|error| error.on("record"))?;
    let (standing, repo) = (standing(&call)?, repo(&call)?);
    let engine = &call.doors.engine;
    Ok(record(&engine.coding.held_decide(&call.caller, &standing, &repo, (&id, decision), reason).await?))
}

async fn snapshots_list(call: Call, asked: shape::SnapshotListing) -> Result<shape::SnapshotList> {
    let (standing, limit) = (standing(&call)?, cursor::limit(asked.limit)?);
    let snapshots =
        call.doors.engine.coding.snapshots_list(&call.caller, &standing, &repo(&call)?, limit).await?;
    Ok(shape::SnapshotList { snapshots })
}

async fn rollback(call: Call, ask: shape::RollbackAsk) -> Result<shape::RolledBack> {
    let standing = standing(&call)?;
    call.doors.engine.coding.repository_rollback(&call.caller, &standing, &repo(&call)?, ask).await
}

async fn purge_some(call: Call, asked: shape::PurgeAsk) -> Result<shape::Purged> {
    let shape::PurgeAsk { filter, reason, dry_run, confirm } = asked;
    let namespace = filter.namespace.map(Namespace::parse).transpose();
    let which = Selection {
        ids: quarantine::ids(&filter.ids)?,
        query: None,
        content: filter.content,
        pattern: filter.pattern,
        kind: filter.kind,
        namespace: namespace.map_err(|error| error.on("namespace"))?,
        task: TaskId::read("task", filter.task.as_deref())?,
        reviewer: filter.reviewer,
        user: filter.user,
        since: time("since", filter.since.as_deref())?,
        until: time("until", filter.until.as_deref())?,
    };
    let ask = PurgeAsk { which, reason, dry_run, confirm };
    let standing = standing(&call)?;
    call.doors.engine.coding.repository_purge(&call.caller, &standing, &repo(&call)?, ask).await
}
