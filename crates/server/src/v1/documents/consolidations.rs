//! Consolidation runs over trees.

use loci_api::documents::consolidation as shape;
use loci_api::documents::table as api;
use loci_documents::upkeep::{ConsolidationListing, ConsolidationRun};
use loci_model::Result;
use loci_model::trees::consolidation_run::RunStatus;

use super::consolidations_shape::{asked, run, status};
use super::files_shape::tree;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::cursor;
use crate::v1::protocol::table::Table;
use crate::v1::protocol::values::flag;

pub(super) fn operations(table: Table) -> Table {
    let start = api::CONSOLIDATION_START;
    table
        .json(start, begin)
        .query(api::CONSOLIDATIONS_LIST, list)
        .query(api::CONSOLIDATION_GET, show)
        .json(api::CONSOLIDATION_APPLY, apply)
        .json(api::CONSOLIDATION_REVERT, revert)
        .json(api::CONSOLIDATION_CANCEL, cancel)
        .json(api::CONSOLIDATION_REPLAN, replan)
}

async fn begin(call: Call, start: shape::ConsolidationStart) -> Result<shape::ConsolidationRun> {
    let ask = asked(tree(&call, start.namespace.as_deref()).await?, start)?;
    let begun = call.doors.engine.documents.consolidation_start(&call.caller, &ask).await?;
    shown(&call, &ask.tree, begun).await
}

async fn list(call: Call, listing: shape::ConsolidationListing) -> Result<shape::ConsolidationList> {
    let ask = ConsolidationListing {
        tree: tree(&call, listing.namespace.as_deref()).await?,
        status: listing.status.as_deref().map(status).transpose()?,
        held: flag("held", listing.held.as_deref())?,
        after: cursor::read(listing.cursor.as_deref())?,
        limit: cursor::limit(listing.limit)?,
    };
    let page = call.doors.engine.documents.consolidations_list(&call.caller, &ask).await?;
    Ok(shape::ConsolidationList {
        runs: page.items.into_iter().map(|one| run(one, Vec::new())).collect::<Result<_>>()?,
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

async fn show(call: Call, asked: shape::ConsolidationAsk) -> Result<shape::ConsolidationRun> {
    let tree = tree(&call, asked.namespace.as_deref()).await?;
    let found = call.doors.engine.documents.consolidation_get(&call.caller, &tree, call.path("run")?).await?;
    shown(&call, &tree, found).await
}

async fn apply(call: Call, asked: shape::ConsolidationApply) -> Result<shape::ConsolidationRun> {
    let (tree, token) = (tree(&call, asked.namespace.as_deref()).await?, call.token()?);
    let of = (&tree, call.path("run")?);
    let done =
        call.doors.engine.documents.consolidation_apply(&call.caller, of, asked.actions, token).await?;
    shown(&call, &tree, done).await
}

async fn revert(call: Call, asked: shape::ConsolidationRevert) -> Result<shape::ConsolidationRun> {
    let (tree, token) = (tree(&call, asked.namespace.as_deref()).await?, call.token()?);
    let of = (&tree, call.path("run")?);
    let done = call.doors.engine.documents.consolidation_revert(&call.caller, of, asked.force, token).await?;
    shown(&call, &tree, done.run).await
}

async fn cancel(call: Call, asked: shape::ConsolidationAsk) -> Result<shape::ConsolidationRun> {
    let tree = tree(&call, asked.namespace.as_deref()).await?;
    let off =
        call.doors.engine.documents.consolidation_cancel(&call.caller, &tree, call.path("run")?).await?;
    run(off, Vec::new())
}

async fn replan(call: Call, asked: shape::ConsolidationAsk) -> Result<shape::ConsolidationRun> {
    let tree = tree(&call, asked.namespace.as_deref()).await?;
    let anew =
        call.doors.engine.documents.consolidation_replan(&call.caller, &tree, call.path("run")?).await?;
    shown(&call, &tree, anew).await
}

/// Returns a run with its proposed or applied changes.
async fn shown(
    call: &Call,
    tree: &loci_documents::TreeAsk,
    found: ConsolidationRun,
) -> Result<shape::ConsolidationRun> {
    let differences = match found.status {
        RunStatus::Planned | RunStatus::Applied | RunStatus::Reverted => {
            call.doors.engine.documents.consolidation_differences(&call.caller, tree, &found).await?
        }
        RunStatus::Planning
        | RunStatus::Applying
        | RunStatus::Failed
        | RunStatus::Cancelled
        | RunStatus::Conflict => Vec::new(),
    };
    run(found, differences)
}
