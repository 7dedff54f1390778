//! The answer of a verb that changes a document, kept for a repetition of the same call. A caller
//! who may not read the tree gets nothing that the call did not send.

use loci_engine::document_text::path::DocumentPath;
use loci_model::record::{Record, RecordState};
use loci_model::trees::tree_entry::{DocumentOperation, TreeEntry};
use loci_model::{RecordId, Timestamp};
use serde::{Deserialize, Serialize};

use super::document_write::Writing;

/// The warning about an answer that leaves out stored content.
const UNREADABLE: &str = "UNREADABLE: the key has no grant of read on the tree: the answer leaves out path, etag, \
                          digest and size of what the call did not send";

/// What became of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentWritten {
    /// Where it lies; none where it lies in the tree no more.
    pub path: Option<String>,
    /// The record.
    pub record: RecordId,
    /// Its version.
    pub version: u32,
    /// The memory's sequence of the change.
    pub sequence: u64,
    /// What was done; none where it said the same before.
    pub operation: Option<DocumentOperation>,
    /// SHA-256 of its file in the native layout; none where it lies in the tree no more.
    pub file_sha256: Option<String>,
    /// SHA-256 of its text.
    pub content_sha256: Option<String>,
    /// Bytes of its text.
    pub bytes: u64,
    /// Where the record stands: what looks like instructions may be held back.
    pub state: RecordState,
    /// Lines that were added, where lines were to be.
    pub added: Option<u64>,
    /// When the record changed.
    pub updated_at: Timestamp,
    /// What is to be known beside.
    pub warnings: Vec<String>,
}

impl DocumentWritten {
    pub(super) fn of(record: &Record, entry: Option<&TreeEntry>, operation: DocumentOperation) -> Self {
        let mut warnings = Vec::new();
        if !record.findings.masked.is_empty() {
            warnings.push(format!("secrets were masked: {}", record.findings.masked.join(", ")));
        }
        if record.state == RecordState::Quarantined {
            let reason = record.state_reason.as_deref().unwrap_or("it looks like instructions");
            warnings.push(format!("the document is held back and not in the tree: {reason}"));
        }
        Self { operation: Some(operation), warnings, ..Self::unchanged(record, entry) }
    }

    pub(crate) fn unchanged(record: &Record, entry: Option<&TreeEntry>) -> Self {
        Self {
            path: entry.map(|entry| entry.path.clone()),
            record: record.id.clone(),
            version: record.version,
            sequence: record.sequence,
            operation: None,
            file_sha256: entry.map(|entry| entry.file_sha256.clone()),
            content_sha256: entry.map(|entry| entry.content_sha256.clone()),
            bytes: entry.map_or(0, |entry| entry.bytes),
            state: record.state,
            added: None,
            updated_at: record.updated_at,
            warnings: Vec::new(),
        }
    }

    /// Returns the answer for a caller who may not read the tree. Of a document that was there
    /// before, it has the path that the call named, and digest and size of the text only where the
    /// call sent all of it; its file has a head that others may have written.
    fn unread(self, path: Option<&DocumentPath>, is_text_sent: bool) -> Self {
        if self.operation == Some(DocumentOperation::Created) {
            return self;
        }
        let mut warnings = self.warnings;
        warnings.push(UNREADABLE.to_owned());
        Self {
            path: path.filter(|_| self.path.is_some()).map(|path| path.as_str().to_owned()),
            file_sha256: None,
            content_sha256: self.content_sha256.filter(|_| is_text_sent),
            bytes: if is_text_sent { self.bytes } else { 0 },
            warnings,
            ..self
        }
    }

    /// The entity tag of its file.
    pub fn etag(&self) -> Option<String> {
        self.file_sha256.as_deref().map(loci_engine::document_text::content::etag)
    }
}

impl Writing<'_> {
    /// Returns an answer as its caller may know it; `path` is the one that the call named.
    pub(super) fn answer(
        &self,
        written: DocumentWritten,
        path: Option<&DocumentPath>,
        is_text_sent: bool,
    ) -> DocumentWritten {
        if self.may_read { written } else { written.unread(path, is_text_sent) }
    }
}
