//! Trees: entries, the listing for a model, changes, and restoring.

use axum::Json;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use loci_api::documents::table as api;
use loci_api::documents::tree as shape;
use loci_documents::{LISTING_VERSION, Point, TreeRestore};
use loci_engine::document_text::content::etag;
use loci_model::{Error, Result};

use super::files::with_etag;
use super::files_shape::{snapshot, tree};
use crate::doors::Doors;
use crate::v1::protocol::call::{self, Call};
use crate::v1::protocol::cursor;
use crate::v1::protocol::table::{Described, SchemaForm, Table};

pub(super) fn operations(table: Table) -> Table {
    let listing = Described {
        place: api::TREE_LISTING.place,
        request: SchemaForm::query::<shape::ListingQuery>(),
        answer: SchemaForm::json::<shape::TreeListing>(),
    };
    table
        .query(api::TREE_LIST, list)
        .stream(listing, |doors, request| async move { tree_listing(doors, request).await })
        .query(api::TREE_SYSTEM, system)
        .query(api::DOCUMENT_HISTORY, history)
        .query(api::TREE_CHANGES, changes)
        .query(api::TREE_DIFF, compare)
        .json(api::TREE_SNAPSHOT, snapshot_make)
        .query(api::TREE_SNAPSHOTS, snapshots)
        .json(api::TREE_RESTORE, restore)
        .json(api::TREE_GREP, grep)
}

async fn list(call: Call, asked: shape::TreeQuery) -> Result<shape::TreePage> {
    let tree = tree(&call, asked.namespace.as_deref()).await?;
    let below = (asked.prefix.as_deref(), asked.depth);
    let place = (cursor::read(asked.cursor.as_deref())?, cursor::limit(asked.limit)?);
    let page = call.doors.engine.documents.documents_list(&call.caller, &tree, below, place).await?;
    Ok(shape::TreePage {
        entries: page.items,
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

async fn tree_listing(doors: Doors, request: Request) -> Result<Response> {
    let (call, parts) = Call::begin(doors, request).await?;
    let asked: shape::ListingQuery = call::query(&parts)?;
    let tree = tree(&call, asked.namespace.as_deref()).await?;
    let within = (asked.prefix.as_deref(), asked.budget_tokens);
    let is_text = match asked.format.as_deref() {
        None | Some("json") => false,
        Some("text") => true,
        Some(_) => return Err(Error::invalid("format", "format must be json or text")),
    };
    let listing = call.doors.engine.documents.tree_listing(&call.caller, &tree, within).await?;
    let etag = etag(&listing.text_sha256);
    if call.header("if-none-match")?.is_some_and(|tag| tag == etag) {
        return with_etag(StatusCode::NOT_MODIFIED.into_response(), &etag);
    }
    if is_text {
        let kind = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
        return with_etag((kind, listing.text).into_response(), &etag);
    }
    let shown = shape::TreeListing {
        text: listing.text,
        etag: etag.clone(),
        tokens: listing.tokens,
        listing_version: LISTING_VERSION,
        entries: listing.lines,
        entries_total: listing.lines_total,
        files_total: listing.files_total,
    };
    with_etag(Json(shown).into_response(), &etag)
}

async fn system(call: Call, asked: shape::SystemQuery) -> Result<shape::SystemListing> {
    let tree = tree(&call, asked.namespace.as_deref()).await?;
    let found = call.doors.engine.documents.tree_system(&call.caller, &tree, asked.budget_tokens).await?;
    Ok(shape::SystemListing {
        etag: etag(&found.text_sha256),
        text: found.text,
        tokens: found.tokens,
        paths: found.paths,
        omitted: found.omitted,
    })
}

async fn history(call: Call, asked: shape::HistoryQuery) -> Result<shape::DocumentHistory> {
    let tree = tree(&call, asked.namespace.as_deref()).await?;
    let place = (cursor::read(asked.cursor.as_deref())?, cursor::limit(asked.limit)?);
    let page = call.doors.engine.documents.document_history(&call.caller, &tree, &asked.path, place).await?;
    Ok(shape::DocumentHistory {
        versions: page.items,
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

async fn changes(call: Call, asked: shape::ChangesQuery) -> Result<shape::TreeChanges> {
    let tree = tree(&call, asked.namespace.as_deref()).await?;
    let limit = cursor::limit(asked.limit)? as usize;
    let since = asked.since.map_or(Ok(Point::Sequence(0)), |since| Point::parse(&since, "since"))?;
    let (changes, next_since) =
        call.doors.engine.documents.tree_changes(&call.caller, &tree, since, limit).await?;
    Ok(shape::TreeChanges { changes, next_since })
}

async fn compare(call: Call, asked: shape::DiffQuery) -> Result<shape::TreeDiff> {
    let tree = tree(&call, asked.namespace.as_deref()).await?;
    let a = Point::parse(&asked.a, "a")?;
    let b = asked.b.as_deref().map_or(Ok(Point::Now), |b| Point::parse(b, "b"))?;
    call.doors.engine.documents.tree_diff(&call.caller, &tree, (a, b), asked.path.as_deref()).await
}

async fn snapshot_make(call: Call, asked: shape::SnapshotMake) -> Result<shape::TreeSnapshot> {
    let (tree, token) = (tree(&call, asked.namespace.as_deref()).await?, call.token()?);
    call.doors.engine.documents.tree_snapshot(&call.caller, &tree, &asked.label, token).await.map(snapshot)
}

async fn snapshots(call: Call, asked: shape::TreeSnapshotListing) -> Result<shape::TreeSnapshotList> {
    let tree = tree(&call, asked.namespace.as_deref()).await?;
    let after = cursor::read(asked.cursor.as_deref())?;
    let limit = cursor::limit(asked.limit)?;
    let page = call.doors.engine.documents.tree_snapshots(&call.caller, &tree, after, limit).await?;
    Ok(shape::TreeSnapshotList {
        snapshots: page.items.into_iter().map(snapshot).collect(),
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

async fn restore(call: Call, asked: shape::RestoreAsk) -> Result<shape::TreeRestored> {
    let token = call.token()?;
    let to = match (asked.snapshot, asked.state) {
        (Some(label), None) => Point::Label(label),
        (None, Some(state)) => Point::parse(&state, "state")?,
        (Some(_), Some(_)) | (None, None) => {
            return Err(Error::invalid("snapshot", "send either snapshot or state"));
        }
    };
    let ask = TreeRestore {
        tree: tree(&call, asked.namespace.as_deref()).await?,
        to,
        paths: asked.paths,
        dry_run: asked.dry_run,
        reason: asked.reason,
    };
    call.doors.engine.documents.tree_restore(&call.caller, ask, token).await
}

async fn grep(call: Call, asked: shape::GrepAsk) -> Result<shape::GrepResult> {
    let tree = tree(&call, asked.namespace.as_deref()).await?;
    call.doors.engine.documents.tree_grep(&call.caller, &tree, &asked).await
}
