//! The answer of an operation that changes a document. It is stored for a retry of the call. A
//! caller without read access gets only data that the call itself sent.

use loci_engine::document_text::path::DocumentPath;
use loci_model::record::{Record, RecordState};
use loci_model::trees::tree_entry::{DocumentOperation, TreeEntry};
use loci_model::{RecordId, Timestamp};
use serde::{Deserialize, Serialize};

use super::document_write::DocumentWriter;

/// The warning that an answer leaves out stored content, because the caller may not read it.
const UNREADABLE: &str = "UNREADABLE: the key has no grant of read on the tree: the answer leaves out path, etag, \
                          digest and size of what the call did not send";

/// The result of an operation that changes a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentWritten {
    /// The path of the document. `None` if it is no longer in the tree.
    pub path: Option<String>,
    /// The record that holds the document.
    pub record: RecordId,
    /// The version of the record.
    pub version: u32,
    /// The sequence of the memory at the change.
    pub sequence: u64,
    /// The operation that was done. `None` if the document is unchanged.
    pub operation: Option<DocumentOperation>,
    /// The SHA-256 of the document as a file, in hex digits. `None` if it is no longer in the tree.
    pub file_sha256: Option<String>,
    /// The SHA-256 of the text without the head, in hex digits.
    pub content_sha256: Option<String>,
    /// The size of the text without the head, in bytes.
    pub bytes: u64,
    /// The state of the record. A text that looks like instructions may be quarantined.
    pub state: RecordState,
    /// The number of appended lines, if the operation appends lines.
    pub added: Option<u64>,
    /// The time at which the record was changed.
    pub updated_at: Timestamp,
    /// The warnings about the change, such as masked secrets.
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

    /// Returns the answer for a caller who may not read the tree. It contains the path that the
    /// call named, and digest and size of the text only if the call sent the whole text. The digest
    /// of the file is left out, because others may have written its head.
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

    /// Returns the entity tag of the document as a file. `None` if it is no longer in the tree.
    pub fn etag(&self) -> Option<String> {
        self.file_sha256.as_deref().map(loci_engine::document_text::content::etag)
    }
}

impl DocumentWriter<'_> {
    /// Returns the answer, limited to what the caller may read. `path` is the path that the call
    /// named.
    pub(super) fn answer(
        &self,
        written: DocumentWritten,
        path: Option<&DocumentPath>,
        is_text_sent: bool,
    ) -> DocumentWritten {
        if self.may_read { written } else { written.unread(path, is_text_sent) }
    }
}
