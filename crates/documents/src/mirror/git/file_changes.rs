//! The effects of a tree's changes on files, computed from stored versions. A version that has
//! expired or was redacted contributes what is left of it.

use std::collections::BTreeMap;

use loci_engine::document_text::DocumentContent;
use loci_engine::document_text::content::committed_path;
use loci_model::ports::files::FileChange;
use loci_model::ports::files::Precondition;
use loci_model::ports::store::ReadTx;
use loci_model::record::feedback::verdict_of;
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordState};
use loci_model::trees::tree_entry::TreeChange;
use loci_model::{RecordId, Result};

use super::message::DocumentEvent;
use crate::document_history::versions::Versions;
use crate::mirror::spelling::composed;
use crate::trees::tree::Tree;

/// A change of a tree and its effect on files.
#[derive(Debug, Clone)]
pub(super) struct TreeChangeEffect {
    pub(super) happened: DocumentEvent,
    /// The author of the change. `None` if unknown.
    pub(super) by: Option<String>,
    /// The path that the document had before, if the change moved or archived it.
    left: Option<String>,
    /// The path of the file after the change, and the file.
    lies: Option<(String, FileState)>,
}

/// The bytes of a file; the flag is true if it is executable.
type FileState = (Vec<u8>, bool);

/// Returns the effects of some changes, in order.
pub(super) fn told(tx: &dyn ReadTx, tree: &Tree, changes: &[TreeChange]) -> Result<Vec<TreeChangeEffect>> {
    let mut ids: Vec<RecordId> = changes.iter().map(|change| change.record.clone()).collect();
    ids.sort();
    ids.dedup();
    let current = tx.records().get_many(&tree.memory, &ids)?;
    let current: BTreeMap<RecordId, Record> =
        current.into_iter().map(|record| (record.id.clone(), record)).collect();
    let mut histories: BTreeMap<RecordId, Option<Versions>> = BTreeMap::new();
    let mut told = Vec::with_capacity(changes.len());
    for change in changes {
        let is_all = |record: &&Record| {
            change.before.is_none() && change.version == Some(record.version) && is_told(tree, record)
        };
        let one = match current.get(&change.record).filter(is_all) {
            // A record with one version needs no history.
            Some(record) => {
                let versions = Versions::current(tx, tree, record.clone())?;
                of_versions(tx, tree, change, Some(&versions))?
            }
            None => {
                if !histories.contains_key(&change.record) {
                    let versions = Versions::of(tx, tree, &change.record)?;
                    histories.insert(change.record.clone(), versions);
                }
                let versions = histories.get(&change.record).and_then(Option::as_ref);
                of_versions(tx, tree, change, versions)?
            }
        };
        told.push(one);
    }
    Ok(told)
}

fn is_told(tree: &Tree, record: &Record) -> bool {
    record.namespace.normal() == tree.normal && record.state != RecordState::Erased
}

fn of_versions(
    tx: &dyn ReadTx,
    tree: &Tree,
    change: &TreeChange,
    versions: Option<&Versions>,
) -> Result<TreeChangeEffect> {
    let get = |version: Option<u32>| versions.and_then(|versions| versions.get(version?));
    let path = |version: Option<&Record>| version.and_then(|version| versions?.path(version));
    let (since, before) = (get(change.version), get(change.before));
    let (lies_at, lay_at) = (path(since), path(before));
    // The paths as they were committed.
    let (lies_at, lay_at) = (spelled(since, lies_at), spelled(before, lay_at));
    let newest = since.or_else(|| versions.and_then(|versions| versions.at(change.sequence)));
    let lies = since.zip(lies_at.clone()).map(|(record, path)| {
        let content = DocumentContent::of(record);
        (path, (content.file().into_bytes(), content.is_executable()))
    });
    let happened = DocumentEvent {
        operation: change.operation,
        path: lies_at
            .as_ref()
            .or(lay_at.as_ref())
            .map_or_else(|| change.record.to_string(), |path| composed(path)),
        record: change.record.to_string(),
        reason: newest.and_then(|record| record.state_reason.clone()),
        sources: newest.map(sources).unwrap_or_default(),
    };
    let by = match &change.by {
        Some(by) => Some(by.clone()),
        None => made_by(tx, tree, change, newest)?,
    };
    Ok(TreeChangeEffect { happened, by, left: lay_at.filter(|path| Some(path) != lies_at.as_ref()), lies })
}

/// Returns the path of a version's file in its committed spelling, while it still has that path.
fn spelled(version: Option<&Record>, path: Option<String>) -> Option<String> {
    let path = path?;
    let committed = version.and_then(committed_path).filter(|committed| composed(committed) == path);
    Some(committed.map_or(path, ToOwned::to_owned))
}

fn sources(record: &Record) -> Vec<String> {
    record.provenance.sources.iter().map(|source| source.event.to_string()).collect()
}

/// Returns the author of a write outside of the tree: the actor of its conversation, else the one
/// in telemetry.
fn made_by(
    tx: &dyn ReadTx,
    tree: &Tree,
    change: &TreeChange,
    newest: Option<&Record>,
) -> Result<Option<String>> {
    let provenance = newest.map(|record| &record.provenance);
    if let Some((actor, session)) = provenance.and_then(|from| from.actor.as_ref().zip(from.session.as_ref()))
    {
        return Ok(Some(format!("{actor}/{session}")));
    }
    let rows = tx.telemetry().of_record(&tree.memory, &change.record)?;
    let wrote = |row: &StateChange| {
        Some(row.version) == change.version.or(change.before) && verdict_of(row).is_none()
    };
    let row = rows.into_iter().rev().find(wrote);
    Ok(row.map(|row| row.by))
}

/// Returns the files after changes, by path.
pub(super) fn files(told: &[TreeChangeEffect]) -> Vec<FileChange> {
    let mut files: BTreeMap<&str, Option<&FileState>> = BTreeMap::new();
    for one in told {
        if let Some(left) = &one.left {
            files.insert(left, None);
        }
        if let Some((path, file)) = &one.lies {
            files.insert(path, Some(file));
        }
    }
    let change = |(path, file): (&str, Option<&FileState>)| FileChange {
        path: path.to_owned(),
        bytes: file.map(|(bytes, _)| bytes.clone()),
        executable: file.map(|(_, executable)| *executable),
        like: None,
        only_if: Precondition::Any,
    };
    files.into_iter().map(change).collect()
}
