//! `document_get`: a document by its path, as text and as a file.

use loci_engine::access;
use loci_engine::document_text::content::{DocumentContent, etag, sha256};
use loci_engine::document_text::path::DocumentPath;
use loci_engine::memories::existing;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::record::{Record, RecordKind, TrustTier};
use loci_model::trees::tree_entry::{PathOrigin, TreeEntry};
use loci_model::{Error, RecordId, Result, Timestamp};

use super::document_write::{LiveDocument, find};
use crate::Documents;
use crate::trees::tree::{Tree, TreeAsk};
use crate::trees::tree_view::TreeView;
use crate::upkeep::CHANGELOG;

/// The maximum number of similar paths in the error for a missing document.
const NEAREST: usize = 3;

/// The minimum similarity of a suggested path to the requested one, 0 to 1.
const NEAR: f64 = 0.6;

/// A document as the API returns it.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentShown {
    /// The path of the document in its tree.
    pub path: String,
    /// The origin of the path: a document has its own, other records have a derived one.
    pub origin: PathOrigin,
    /// The path that the caller requested, if the document has moved away from there.
    pub redirected_from: Option<String>,
    /// The record that holds the document.
    pub record: RecordId,
    /// The kind of the record.
    pub kind: RecordKind,
    /// The version of the record.
    pub version: u32,
    /// The sequence of the memory at the last change of the record.
    pub sequence: u64,
    /// The content of the document.
    pub content: DocumentContent,
    /// The summary that listings show.
    pub summary: String,
    /// The document as a file, with its head.
    pub file: String,
    /// The SHA-256 of `file`, in hex digits.
    pub file_sha256: String,
    /// The SHA-256 of the text without the head, in hex digits.
    pub content_sha256: String,
    /// The tier of trust in the document.
    pub tier: TrustTier,
    /// The time at which the document expires. `None` if it does not expire.
    pub expires_at: Option<Timestamp>,
    /// The time at which the document was created.
    pub created_at: Timestamp,
    /// The time at which the document was last changed.
    pub updated_at: Timestamp,
}

impl DocumentShown {
    pub(super) fn of(found: LiveDocument) -> Self {
        let LiveDocument { entry, record, redirected_from } = found;
        Self { redirected_from, ..Self::of_version(&entry, &record) }
    }

    fn of_version(entry: &TreeEntry, record: &Record) -> Self {
        let content = DocumentContent::of(record);
        Self {
            path: entry.path.clone(),
            origin: entry.origin,
            redirected_from: None,
            record: record.id.clone(),
            kind: record.kind,
            version: record.version,
            sequence: record.sequence,
            summary: entry.summary.clone(),
            file: content.file(),
            file_sha256: entry.file_sha256.clone(),
            content_sha256: entry.content_sha256.clone(),
            tier: record.tier,
            expires_at: record.expires_at,
            created_at: record.created_at,
            updated_at: record.updated_at,
            content,
        }
    }

    /// Returns the entity tag of the document as a file.
    pub fn etag(&self) -> String {
        etag(&self.file_sha256)
    }
}

impl Documents {
    /// Returns a document by its path, and counts the read.
    ///
    /// # Errors
    /// `NotFound`, with the most similar paths; `Denied` without a grant of read on the whole
    /// namespace.
    pub async fn document_get(&self, caller: &Principal, ask: &TreeAsk, path: &str) -> Result<DocumentShown> {
        let shown = self.document_unread(caller, ask, path).await?;
        self.parts.reads.note(&ask.memory, [&shown.record], self.engine.now());
        Ok(shown)
    }

    /// Returns a document by its path without counting the read.
    pub(crate) async fn document_unread(
        &self,
        caller: &Principal,
        ask: &TreeAsk,
        path: &str,
    ) -> Result<DocumentShown> {
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read)?;
        let path = DocumentPath::parse(path)?;
        self.caught_up(ask).await?;
        let (tree, wanted, now) = (Tree::of(ask), path.clone(), self.engine.now());
        let found = self
            .engine
            .store()
            .read(move |tx| {
                existing(tx, &tree.memory)?;
                find(tx, &tree, &wanted, now)
            })
            .await?;
        if let Some(found) = found {
            return Ok(DocumentShown::of(found));
        }
        if path.key().as_str() == CHANGELOG
            && let Some(shown) = self.changelog_shown(ask).await?
        {
            return Ok(shown);
        }
        let view = self.tree_view(ask).await?;
        Err(missing(&path, &view, now))
    }
}

impl DocumentShown {
    /// Returns a document that Loci writes itself. It has no record, and callers cannot change it.
    pub(crate) fn rendered(path: &str, text: String, (sequence, at): (u64, Timestamp)) -> Result<Self> {
        let content = DocumentContent::raw(text);
        let file_sha256 = sha256(&content.body);
        Ok(Self {
            path: path.to_owned(),
            origin: PathOrigin::Given,
            redirected_from: None,
            record: RecordId::compose(sha256(path).get(..36).unwrap_or_default())?,
            kind: RecordKind::Document,
            version: 1,
            sequence,
            summary: content.shown_description(),
            file: content.body.clone(),
            content_sha256: file_sha256.clone(),
            file_sha256,
            tier: TrustTier::Agent,
            expires_at: None,
            created_at: at,
            updated_at: at,
            content,
        })
    }
}

/// Returns the error for a path without a document.
pub(crate) fn missing(path: &DocumentPath, view: &TreeView, now: Timestamp) -> Error {
    let near = nearest(path, view, now);
    let rule = format!("No memory file at {path}; paths must match the listing exactly.");
    if near.is_empty() {
        return Error::not_found(rule);
    }
    Error::not_found(format!("{rule} Nearest: {}", near.join(", "))).listing(near)
}

/// Returns the existing paths that are most similar to a missing one.
fn nearest(path: &DocumentPath, view: &TreeView, now: Timestamp) -> Vec<String> {
    let wanted = pairs(path.key().as_str());
    let name = pairs(path.file_name());
    let mut found: Vec<(f64, &str)> = Vec::new();
    for entry in view.live.iter().filter(|entry| entry.is_live(now)) {
        let last = entry.key.rsplit('/').next().unwrap_or_default();
        // Directories are mostly shared, so the name weighs more.
        let likeness = 0.75 * alike(&name, &pairs(last)) + 0.25 * alike(&wanted, &pairs(&entry.key));
        if likeness >= NEAR {
            found.push((likeness, &entry.path));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    found.into_iter().take(NEAREST).map(|(_, path)| path.to_owned()).collect()
}

/// Returns the pairs of adjacent characters of a text, sorted.
fn pairs(text: &str) -> Vec<(char, char)> {
    let mut pairs: Vec<_> = text.chars().zip(text.chars().skip(1)).collect();
    pairs.sort_unstable();
    pairs
}

/// Returns the Dice similarity of two sorted lists, 0 to 1.
fn alike(a: &[(char, char)], b: &[(char, char)]) -> f64 {
    let (mut left, mut right, mut common) = (a.iter().peekable(), b.iter().peekable(), 0_u32);
    while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
        match one.cmp(other) {
            std::cmp::Ordering::Less => drop(left.next()),
            std::cmp::Ordering::Greater => drop(right.next()),
            std::cmp::Ordering::Equal => {
                common += 1;
                left.next();
                right.next();
            }
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "lengths of paths")]
    let all = (a.len() + b.len()) as f64;
    if all == 0.0 { 0.0 } else { 2.0 * f64::from(common) / all }
}
