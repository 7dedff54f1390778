//! Documents that were put away or erased do not come back by an import or by a file of a mirror. Whoever
//! writes one by hand, or restores it, decides otherwise.

use loci_model::ports::store::{ReadTx, Tx};
use loci_model::record::{Record, RecordState};
use loci_model::tree_entry::EntryStanding;
use loci_model::{Error, Reason, Result, Timestamp};

use super::document::DocumentContent;
use super::path::DocumentPath;
use super::writing::Writing;
use crate::erasure::{Source, Tombstones, refusal};

/// The reason a document was put away whose file was deleted in a mirror: its file may come back there,
/// too.
pub(super) const DELETED_IN_A_MIRROR: &str = "deleted in a mirror";

/// Refuses an imported document that was put away or erased here.
///
/// # Errors
/// `SOURCE_ERASED`.
pub(super) fn check_import(tx: &mut dyn Tx, writing: &Writing<'_>, path: &DocumentPath) -> Result<()> {
    if writing.find(tx, path)?.is_some() {
        return Ok(());
    }
    let at = match put_away(tx, writing, path)? {
        Some(record) => Some(record.updated_at),
        None => erased(tx, writing, path)?,
    };
    at.map_or(Ok(()), |at| Err(refusal("the document", at)))
}

/// Refuses a new file of a mirror that says what a document said that was put away here, or that lies where a
/// forgotten person's did.
///
/// # Errors
/// `SOURCE_ERASED`.
pub(super) fn check_file(
    tx: &mut dyn Tx,
    writing: &Writing<'_>,
    path: &DocumentPath,
    content: &DocumentContent,
) -> Result<()> {
    if writing.find(tx, path)?.is_some() {
        return Ok(());
    }
    let key = path.key();
    let source = Source::ForgottenDocument { namespace: &writing.tree.normal, key: key.as_str() };
    if let Some(at) = tombstones(writing).get(tx, &source)? {
        return Err(stays(at));
    }
    let is_its_own = |record: &Record| record.state_reason.as_deref() == Some(DELETED_IN_A_MIRROR);
    match put_away(tx, writing, path)?.filter(|record| !is_its_own(record)) {
        Some(record) if record.text.trim() == content.body.trim() => Err(stays(record.updated_at)),
        Some(_) | None => Ok(()),
    }
}

/// The document that was put away from a path, where nothing else took its place there.
fn put_away(tx: &dyn ReadTx, writing: &Writing<'_>, path: &DocumentPath) -> Result<Option<Record>> {
    let entry = writing.tree.entry(tx, &path.key())?;
    let Some(entry) = entry.filter(|entry| entry.standing == EntryStanding::Gone) else { return Ok(None) };
    let record = tx.records().get(&writing.memory.id, &entry.record)?;
    Ok(record.filter(|record| matches!(record.state, RecordState::Archived | RecordState::Erased)))
}

fn erased(tx: &dyn ReadTx, writing: &Writing<'_>, path: &DocumentPath) -> Result<Option<Timestamp>> {
    let key = path.key();
    let source = Source::Document { namespace: &writing.tree.normal, key: key.as_str() };
    tombstones(writing).get(tx, &source)
}

fn tombstones<'a>(writing: &'a Writing<'_>) -> Tombstones<'a> {
    Tombstones { vault: writing.vault, memory: &writing.memory.id }
}

fn stays(at: Timestamp) -> Error {
    let day: String = at.to_rfc3339().chars().take(10).collect();
    let rule = format!("a document that lay here was deleted on {day}, and the file does not bring it back");
    Error::conflict(format!("{rule}: write it with loci files put, or restore it"))
        .because(Reason::SourceErased)
}
