//! `document_history` and `tree_changes`: the changes of a document, and of a whole tree. Stored
//! versions have the former content, and telemetry has the author and the reason. Both are kept for
//! their own retention time.

use std::collections::BTreeMap;

use loci_api::documents::tree::{self as shape, DocumentVersion};
use loci_engine::access;
use loci_engine::calls::page::Page;
use loci_engine::document_text::content::{is_redacted, sha256};
use loci_engine::document_text::path::DocumentPath;
use loci_engine::memories::existing;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::feedback::verdict_of;
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordState};
use loci_model::trees::tree_entry::{DocumentOperation, TreeChange};
use loci_model::{RecordId, Result};

use super::diff::Point;
use super::versions::Versions;
use crate::Documents;
use crate::document::get::missing;
use crate::trees::state_names::StateNames;
use crate::trees::tree::{Tree, TreeAsk};

/// The maximum number of changes in an answer.
pub const CHANGES_MAX: usize = 1_000;

impl Documents {
    /// Returns the changes of the document at a path, the newest first. If no document is there
    /// now, it returns those of the last one that was there.
    ///
    /// # Errors
    /// `NotFound`; `Denied` without a grant of read on the whole namespace.
    pub async fn document_history(
        &self,
        caller: &Principal,
        ask: &TreeAsk,
        path: &str,
        (after, limit): (Option<u64>, u32),
    ) -> Result<Page<DocumentVersion, u64>> {
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read)?;
        let path = DocumentPath::parse(path)?;
        self.caught_up(ask).await?;
        let (tree, key, now) = (Tree::of(ask), path.key(), self.engine.now());
        let found = self
            .engine
            .store()
            .read(move |tx| {
                existing(tx, &tree.memory)?;
                let Some(entry) = tree.entry(tx, &key)? else { return Ok(None) };
                let Some(versions) = Versions::of(tx, &tree, &entry.record)? else { return Ok(None) };
                let mut telemetry = tx.telemetry().of_record(&tree.memory, &entry.record)?;
                // Verdicts about a document are no changes of it.
                telemetry.retain(|row| verdict_of(row).is_none());
                Ok(Some(told(&versions, &telemetry)))
            })
            .await?;
        let Some(mut all) = found else {
            let view = self.tree_view(ask).await?;
            return Err(missing(&path, &view, now));
        };
        all.reverse();
        // The position of an item is the number of earlier items: later changes do not move it.
        let count = all.len() as u64;
        let numbered = all.into_iter().enumerate().map(|(place, item)| (count - place as u64, item));
        let items = numbered.filter(|(number, _)| after.is_none_or(|after| *number < after));
        let page = Page::cut(items.take(limit as usize + 1).collect(), limit as usize, |(number, _)| *number);
        Ok(Page { items: page.items.into_iter().map(|(_, item)| item).collect(), next: page.next })
    }

    /// Returns the changes of a tree after a state, in order, and the name of the state after them,
    /// for the next call.
    ///
    /// # Errors
    /// `Denied` without a grant of read on the whole namespace; `Invalid` for the state of another
    /// tree.
    pub async fn tree_changes(
        &self,
        caller: &Principal,
        ask: &TreeAsk,
        since: Point,
        limit: usize,
    ) -> Result<(Vec<shape::TreeChange>, String)> {
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read)?;
        self.caught_up(ask).await?;
        let since = self.located(ask, since, "since").await?;
        let (tree, names) = (Tree::of(ask), self.state_names(ask).await?);
        let limit = limit.clamp(1, CHANGES_MAX);
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &tree.memory)?;
                let since = tree.sequence_of(tx, &since, "since")?;
                let changes = tree.changes_since(tx, since, limit)?;
                // The position of the last change, and not of the memory, which would reveal
                // others' activity.
                let next = changes.last().map_or(since, |last| last.sequence);
                Ok((with_paths(tx, &tree, &names, changes)?, names.seal(next)))
            })
            .await
    }
}

/// Returns changes, with the paths and digests of their versions added.
fn with_paths(
    tx: &dyn ReadTx,
    tree: &Tree,
    names: &StateNames,
    changes: Vec<TreeChange>,
) -> Result<Vec<shape::TreeChange>> {
    let mut known: BTreeMap<RecordId, Option<Versions>> = BTreeMap::new();
    let mut out = Vec::with_capacity(changes.len());
    for change in changes {
        if !known.contains_key(&change.record) {
            known.insert(change.record.clone(), Versions::of(tx, tree, &change.record)?);
        }
        let versions = known.get(&change.record).and_then(Option::as_ref);
        let of = |version: Option<u32>| Some((versions?, versions?.get(version?)?));
        let path = |version: Option<u32>| of(version).and_then(|(versions, one)| versions.path(one));
        let content = of(change.version).filter(|(_, one)| !is_redacted(one));
        out.push(shape::TreeChange {
            state: names.seal(change.sequence),
            operation: change.operation.as_str().to_owned(),
            op: if change.version.is_some() { "write" } else { "delete" }.to_owned(),
            path: path(change.version),
            path_before: path(change.before),
            record: change.record.to_string(),
            version: change.version,
            content_sha256: content.map(|(_, one)| sha256(&one.text)),
            by: change.by,
            run: change.run,
            at: change.at.to_rfc3339(),
        });
    }
    Ok(out)
}

/// Returns the changes of a record, the oldest first: every version, and every change of state that
/// made no version.
fn told(versions: &Versions, telemetry: &[StateChange]) -> Vec<DocumentVersion> {
    let mut out = Vec::new();
    let mut before: Option<&Record> = None;
    for version in &versions.all {
        let rows: Vec<&StateChange> = telemetry.iter().filter(|row| row.version == version.version).collect();
        if rows.is_empty() {
            out.push(of_version(versions, version, before, None));
        }
        for row in rows {
            out.push(of_version(versions, version, before, Some(row)));
            before = Some(version);
        }
        before = Some(version);
    }
    out
}

fn of_version(
    versions: &Versions,
    version: &Record,
    before: Option<&Record>,
    row: Option<&StateChange>,
) -> DocumentVersion {
    let (word, said) = match row.map(|row| row.reason.split_once(": ").unwrap_or((&row.reason, ""))) {
        Some((word, said)) => (DocumentOperation::parse(word), said),
        None => (None, ""),
    };
    let state = row.map_or(version.state, |row| row.to);
    let reason = match (word, row) {
        (Some(_), _) => Some(said.to_owned()).filter(|said| !said.is_empty()),
        (None, Some(row)) => Some(row.reason.clone()),
        (None, None) => version.state_reason.clone(),
    };
    let is_there = !is_redacted(version);
    let operation = word.unwrap_or_else(|| guessed(versions, version, before, row));
    DocumentVersion {
        version_id: format!("{}@{}", version.id, version.version),
        record: version.id.to_string(),
        version: version.version,
        operation: operation.as_str().to_owned(),
        path: versions.path(version),
        content_sha256: is_there.then(|| sha256(&version.text)),
        bytes: is_there.then(|| u64::try_from(version.text.len()).unwrap_or(u64::MAX)),
        by: row.map(|row| row.by.clone()),
        reason,
        at: row.map_or(version.updated_at, |row| row.at).to_rfc3339(),
        state: state.as_str().to_owned(),
        source_events: version.provenance.sources.iter().map(|source| source.event.to_string()).collect(),
    }
}

/// Returns the probable operation that made a version, if telemetry does not contain it.
fn guessed(
    versions: &Versions,
    version: &Record,
    before: Option<&Record>,
    row: Option<&StateChange>,
) -> DocumentOperation {
    let to = row.map_or(version.state, |row| row.to);
    let from = row.and_then(|row| row.from).or(before.map(|before| before.state));
    match (from, to) {
        (None, _) => DocumentOperation::Created,
        (_, RecordState::Superseded) => DocumentOperation::Superseded,
        (_, RecordState::Erased) => DocumentOperation::Deleted,
        (Some(RecordState::Active), RecordState::Active) => {
            let is_moved = before.is_some_and(|before| versions.path(before) != versions.path(version));
            if is_moved { DocumentOperation::Moved } else { DocumentOperation::Modified }
        }
        (Some(_), RecordState::Active) => DocumentOperation::Restored,
        (Some(_), _) => DocumentOperation::Archived,
    }
}
