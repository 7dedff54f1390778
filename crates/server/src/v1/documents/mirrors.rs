//! Mirrors of trees: create, remove, synchronise, and the results.

use loci_api::documents::mirror as shape;
use loci_api::documents::table as api;
use loci_documents::mirror::{MirrorShown, NewMirror};
use loci_model::trees::mirror::{
    Mirror, MirrorDeletes, MirrorDirection, MirrorKind, MirrorOrigin, MirrorReport,
};
use loci_model::{Error, Result};

use super::files_shape::tree;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;

/// The default interval between checks of a mirror, in milliseconds.
const INTERVAL_MS: u64 = 15_000;
/// The default time in which writes of one author become one commit, in milliseconds.
const DEBOUNCE_MS: u64 = 2_000;

pub(super) fn operations(table: Table) -> Table {
    table
        .plain(api::MIRRORS_LIST, list)
        .json(api::MIRROR_ADD, add)
        .plain(api::MIRROR_STATUS, status)
        .plain(api::MIRROR_REMOVE, remove)
        .plain(api::MIRROR_SYNC, sync)
        .json(api::MIRROR_BASE, base)
        .json(api::MIRROR_PULL, pull)
}

async fn list(call: Call) -> Result<shape::MirrorList> {
    let mirrors = call.doors.engine.documents.mirrors_list(&call.caller, &call.memory().await?).await?;
    Ok(shape::MirrorList { mirrors: mirrors.into_iter().map(shown).collect() })
}

async fn add(call: Call, asked: shape::MirrorMake) -> Result<shape::Mirror> {
    let tree = tree(&call, asked.namespace.as_deref()).await?;
    let new = NewMirror {
        memory: tree.memory,
        name: asked.name,
        namespace: tree.namespace,
        layout: asked.layout.unwrap_or_else(|| "native".to_owned()),
        kind: word("kind", asked.kind, MirrorKind::parse, MirrorKind::Directory, "dir, git, s3")?,
        path: asked.path,
        direction: word(
            "direction",
            asked.direction,
            MirrorDirection::parse,
            MirrorDirection::TwoWay,
            "two-way, export, import",
        )?,
        deletes: word(
            "deletes",
            asked.deletes,
            MirrorDeletes::parse,
            MirrorDeletes::Enabled,
            "enabled, log_only, disabled",
        )?,
        interval_ms: asked.interval_ms.unwrap_or(INTERVAL_MS),
        debounce_ms: asked.debounce_ms.unwrap_or(DEBOUNCE_MS),
        render_ids: asked.render_ids,
        system: asked.system,
        sessions: asked.sessions,
        adopt: asked.adopt,
        origin: MirrorOrigin::Added,
    };
    let mirror = call.doors.engine.documents.mirror_add(&call.caller, new).await?;
    Ok(shown(MirrorShown { mirror, state: None, open_conflicts: 0 }))
}

fn word<T>(
    field: &str,
    asked: Option<String>,
    parse: impl Fn(&str) -> Option<T>,
    otherwise: T,
    words: &str,
) -> Result<T> {
    let Some(asked) = asked else { return Ok(otherwise) };
    parse(&asked).ok_or_else(|| Error::invalid(field, format!("{field} must be one of {words}")))
}

async fn status(call: Call) -> Result<shape::Mirror> {
    let (memory, name) = (call.memory().await?, call.path("mirror")?);
    call.doors.engine.documents.mirror_status(&call.caller, &memory, name).await.map(shown)
}

async fn remove(call: Call) -> Result<shape::Mirror> {
    let (memory, name) = (call.memory().await?, call.path("mirror")?);
    let mirror = call.doors.engine.documents.mirror_remove(&call.caller, &memory, name).await?;
    Ok(shown(MirrorShown { mirror, state: None, open_conflicts: 0 }))
}

async fn sync(call: Call) -> Result<shape::MirrorReport> {
    let (memory, name) = (call.memory().await?, call.path("mirror")?);
    call.doors.engine.documents.mirror_sync(&call.caller, &memory, name).await.map(report)
}

async fn base(call: Call, asked: shape::MirrorBaseAsk) -> Result<shape::MirrorBase> {
    let (memory, name) = (call.memory().await?, call.path("mirror")?);
    let base = call.doors.engine.documents.mirror_base(&call.caller, &memory, name, &asked.commits).await?;
    Ok(shape::MirrorBase { base })
}

async fn pull(call: Call, pull: shape::MirrorPull) -> Result<shape::MirrorReport> {
    let (memory, name) = (call.memory().await?, call.path("mirror")?);
    call.doors.engine.documents.mirror_pull(&call.caller, &memory, name, pull).await.map(report)
}

fn shown(shown: MirrorShown) -> shape::Mirror {
    let MirrorShown { mirror, state, open_conflicts } = shown;
    let Mirror { name, namespace, layout, kind, path, direction, deletes, interval_ms, origin, .. } = mirror;
    shape::Mirror {
        name,
        namespace: namespace.to_string(),
        layout,
        kind: kind.as_str().to_owned(),
        path,
        direction: direction.as_str().to_owned(),
        deletes: deletes.as_str().to_owned(),
        interval_ms,
        origin: origin.as_str().to_owned(),
        open_conflicts,
        last: state.map(|state| report(state.report)),
    }
}

fn report(report: MirrorReport) -> shape::MirrorReport {
    shape::MirrorReport {
        began_at: report.began_at.map(|at| at.to_rfc3339()),
        ended_at: report.ended_at.map(|at| at.to_rfc3339()),
        finding: report.finding,
        files: report.files,
        written: report.written,
        removed: report.removed,
        taken: report.taken,
        created: report.created,
        moved: report.moved,
        put_away: report.put_away,
        conflicts: report.conflicts,
        refused: report.refused,
        notes: report.notes,
        waiting_deletes: report.waiting_deletes,
        commits: report.commits,
        commit: report.commit,
        error: report.error,
    }
}
