//! What a verb that changes a document answers, and keeps for a repetition of the same call.

use loci_model::record::{Record, RecordState};
use loci_model::tree_entry::{DocumentOperation, TreeEntry};
use loci_model::{RecordId, Timestamp};
use serde::{Deserialize, Serialize};

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

    pub(super) fn unchanged(record: &Record, entry: Option<&TreeEntry>) -> Self {
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

    /// The entity tag of its file.
    pub fn etag(&self) -> Option<String> {
        self.file_sha256.as_deref().map(super::document::etag)
    }
}
