//! Records of a repository that contradict each other: list them, and record a person's decision.

use loci_api::coding::conflict as shape;
use loci_api::coding::table as api;
use loci_coding::{ConflictDecision, ConflictShown};
use loci_model::record::conflict::ConflictState;
use loci_model::{Error, RecordId, Result};

use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::cursor;
use crate::v1::protocol::table::Table;
use crate::v1::records::record_shape::record;
use crate::v1::verified::repositories::repo;

/// The decision to keep both.
const BOTH: &str = "both";

pub(super) fn operations(table: Table) -> Table {
    table.query(api::CONFLICTS_LIST, list).json(api::CONFLICT_RESOLVE, resolve)
}

async fn list(call: Call, asked: shape::ConflictListing) -> Result<shape::ConflictList> {
    let state = match asked.state.as_deref() {
        None => ConflictState::Open,
        Some(word) => ConflictState::parse(word)
            .ok_or_else(|| Error::invalid("state", "state must be open or resolved"))?,
    };
    let place = (cursor::read(asked.cursor.as_deref())?, cursor::limit(asked.limit)?);
    let (standing, repo) = (standing(&call)?, repo(&call)?);
    let page = call.doors.engine.coding.conflicts_list(&call.caller, &standing, &repo, state, place).await?;
    Ok(shape::ConflictList {
        conflicts: page.items.iter().map(shown).collect(),
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

async fn resolve(call: Call, asked: shape::ConflictResolve) -> Result<shape::Conflict> {
    let decision = match asked.keep.as_str() {
        BOTH => ConflictDecision::KeepBoth,
        id => ConflictDecision::Keep(RecordId::parse(id).map_err(|error| error.on("keep"))?),
    };
    let (standing, repo, id) = (standing(&call)?, repo(&call)?, call.path("conflict")?);
    let engine = &call.doors.engine;
    let resolved = engine.coding.conflict_resolve(&call.caller, &standing, &repo, id, decision).await?;
    Ok(shown(&resolved.shown))
}

fn shown(found: &ConflictShown) -> shape::Conflict {
    let ConflictShown { conflict, standing, against } = found;
    let resolution = conflict.resolution.as_ref();
    let kept = |keep: &Option<RecordId>| keep.as_ref().map_or(BOTH.to_owned(), ToString::to_string);
    shape::Conflict {
        id: conflict.id.clone(),
        state: conflict.state().as_str().to_owned(),
        reason: conflict.reason.clone(),
        found_at: conflict.found_at.to_rfc3339(),
        standing: standing.as_ref().map(record),
        against: against.as_ref().map(record),
        kept: resolution.map(|one| kept(&one.keep)),
        resolved_by: resolution.map(|one| one.by.clone()),
        resolved_at: resolution.map(|one| one.at.to_rfc3339()),
    }
}
