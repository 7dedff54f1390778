//! Protection against archived or erased documents that return through an import or a file of a
//! mirror. A write by a caller, or a restore, is permitted.

use loci_engine::admin::erasure::{Source, Tombstones, day, forgotten_text, refusal};
use loci_engine::document_text::content::DocumentContent;
use loci_engine::document_text::path::DocumentPath;
use loci_engine::safety;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::record::{Record, RecordState};
use loci_model::trees::tree_entry::EntryStanding;
use loci_model::{Error, Reason, Result, Timestamp};

use crate::document::document_write::DocumentWriter;

/// The reason of a document that was archived because its file was deleted in a mirror: such a file
/// may come back there.
pub(crate) const DELETED_IN_A_MIRROR: &str = "deleted in a mirror";

/// The description of a document of a file's path in an error.
const LAY_HERE: &str = "a document that lay here";

/// Rejects an imported document that was archived or erased here, or that has the text of an erased
/// person's document, in any namespace.
///
/// # Errors
/// `SOURCE_ERASED`.
pub(crate) fn check_import(
    tx: &mut dyn Tx,
    writing: &DocumentWriter<'_>,
    path: Option<&DocumentPath>,
    content: &DocumentContent,
) -> Result<()> {
    if let Some(at) = forgotten(tx, writing, path, content)? {
        return Err(refusal("a document with this text", at));
    }
    let Some(path) = path else { return Ok(()) };
    if writing.find(tx, path)?.is_some() {
        return Ok(());
    }
    if tombstones(writing).is_any(tx)?
        && let Some(text) = short_text(writing, path, content)
        && let Some(at) = tombstones(writing).get(tx, &Source::ForgottenText { text: &text })?
    {
        return Err(refusal("a document with this path and text", at));
    }
    let at = match put_away(tx, writing, path)? {
        Some(record) => Some(record.updated_at),
        None => erased(tx, writing, path)?,
    };
    at.map_or(Ok(()), |at| Err(refusal("the document", at)))
}

/// Removes the tombstones of a document that is restored on request.
///
/// # Errors
/// The errors of the store and of the vault.
pub(crate) fn lift(
    tx: &mut dyn Tx,
    writing: &DocumentWriter<'_>,
    path: Option<&DocumentPath>,
    content: &DocumentContent,
) -> Result<()> {
    lift_text(tx, writing, path, content)?;
    let Some(key) = path.map(DocumentPath::key) else { return Ok(()) };
    let (tombstones, namespace, key) = (tombstones(writing), writing.tree.normal.as_str(), key.as_str());
    tombstones.lift(tx, &Source::Document { namespace, key })?;
    tombstones.lift(tx, &Source::ForgottenDocument { namespace, key })
}

/// Removes the tombstone of a text that is written by hand, so that edits of its file may return to
/// it.
///
/// # Errors
/// The errors of the store and of the vault.
pub(crate) fn lift_text(
    tx: &mut dyn Tx,
    writing: &DocumentWriter<'_>,
    path: Option<&DocumentPath>,
    content: &DocumentContent,
) -> Result<()> {
    let tombstones = tombstones(writing);
    if !tombstones.is_any(tx)? {
        return Ok(());
    }
    let short = path.and_then(|path| short_text(writing, path, content));
    for text in [kept_text(writing, path, content), short].into_iter().flatten() {
        tombstones.lift(tx, &Source::ForgottenText { text: &text })?;
    }
    Ok(())
}

/// Rejects a new file of a mirror that has the text of a version of an archived document, or the
/// path or the text of an erased person's document.
///
/// # Errors
/// `SOURCE_ERASED`.
pub(crate) fn check_file(
    tx: &mut dyn Tx,
    writing: &DocumentWriter<'_>,
    path: &DocumentPath,
    content: &DocumentContent,
) -> Result<()> {
    check_text(tx, writing, path, content)?;
    if writing.find(tx, path)?.is_some() {
        return Ok(());
    }
    let key = path.key();
    let source = Source::ForgottenDocument { namespace: &writing.tree.normal, key: key.as_str() };
    if let Some(at) = tombstones(writing).get(tx, &source)? {
        return Err(stays(LAY_HERE, at));
    }
    let is_its_own = |record: &Record| record.state_reason.as_deref() == Some(DELETED_IN_A_MIRROR);
    let Some(record) = put_away(tx, writing, path)?.filter(|record| !is_its_own(record)) else {
        return Ok(());
    };
    // The file of a folder that is adopted again may be older than the last version.
    let earlier = tx.records().history(&writing.memory.id, &record.id)?;
    let has_text = |version: &Record| version.has_content() && version.text.trim() == content.body.trim();
    if has_text(&record) || earlier.iter().any(has_text) {
        return Err(stays(LAY_HERE, record.updated_at));
    }
    Ok(())
}

/// Rejects a file of a mirror that has the text of an erased person's document, in any namespace.
///
/// # Errors
/// `SOURCE_ERASED`.
pub(crate) fn check_text(
    tx: &mut dyn Tx,
    writing: &DocumentWriter<'_>,
    path: &DocumentPath,
    content: &DocumentContent,
) -> Result<()> {
    let at = forgotten(tx, writing, Some(path), content)?;
    at.map_or(Ok(()), |at| Err(stays("a document with this text", at)))
}

/// Returns the time at which a text was erased with a person's document; `None` if the document at
/// the path already has that text, because it was written by hand.
fn forgotten(
    tx: &dyn ReadTx,
    writing: &DocumentWriter<'_>,
    path: Option<&DocumentPath>,
    content: &DocumentContent,
) -> Result<Option<Timestamp>> {
    let tombstones = tombstones(writing);
    if !tombstones.is_any(tx)? {
        return Ok(None);
    }
    let Some(text) = kept_text(writing, path, content) else { return Ok(None) };
    let Some(at) = tombstones.get(tx, &Source::ForgottenText { text: &text })? else { return Ok(None) };
    let found = match path {
        Some(path) => writing.find(tx, path)?,
        None => None,
    };
    let current = found.and_then(|found| forgotten_text::digest(&DocumentContent::of(&found.record)));
    Ok((current.as_deref() != Some(text.as_str())).then_some(at))
}

/// Returns the digest of a document's text in its stored form, which identifies its tombstone.
fn kept_text(
    writing: &DocumentWriter<'_>,
    path: Option<&DocumentPath>,
    content: &DocumentContent,
) -> Option<String> {
    forgotten_text::digest(&kept(writing, path, content))
}

/// Returns the digest of a document's path and text, for a text that is too short to identify it
/// alone.
fn short_text(
    writing: &DocumentWriter<'_>,
    path: &DocumentPath,
    content: &DocumentContent,
) -> Option<String> {
    forgotten_text::short_digest(path.key().as_str(), &kept(writing, Some(path), content))
}

/// Returns a document's text in its stored form.
fn kept(
    writing: &DocumentWriter<'_>,
    path: Option<&DocumentPath>,
    content: &DocumentContent,
) -> DocumentContent {
    let body = safety::prepare(content.body.clone(), None, &writing.policy).text;
    let kept = DocumentContent { body, is_raw: content.is_raw, ..DocumentContent::default() };
    match path {
        Some(path) => kept.at(path),
        None => kept,
    }
}

/// Returns the document that was archived from a path, unless another one is there now.
fn put_away(tx: &dyn ReadTx, writing: &DocumentWriter<'_>, path: &DocumentPath) -> Result<Option<Record>> {
    let entry = writing.tree.entry(tx, &path.key())?;
    let Some(entry) = entry.filter(|entry| entry.standing == EntryStanding::Gone) else { return Ok(None) };
    let record = tx.records().get(&writing.memory.id, &entry.record)?;
    Ok(record.filter(|record| matches!(record.state, RecordState::Archived | RecordState::Erased)))
}

fn erased(tx: &dyn ReadTx, writing: &DocumentWriter<'_>, path: &DocumentPath) -> Result<Option<Timestamp>> {
    let key = path.key();
    let source = Source::Document { namespace: &writing.tree.normal, key: key.as_str() };
    tombstones(writing).get(tx, &source)
}

fn tombstones<'a>(writing: &'a DocumentWriter<'_>) -> Tombstones<'a> {
    Tombstones { vault: writing.vault, memory: &writing.memory.id }
}

fn stays(what: &str, at: Timestamp) -> Error {
    let day = day(at);
    let rule = format!("{what} was deleted on {day}, and the file does not bring it back");
    Error::conflict(format!("{rule}: write it with loci files put, or restore it"))
        .because(Reason::SourceErased)
}
