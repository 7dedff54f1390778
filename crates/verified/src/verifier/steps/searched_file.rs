//! A file that was searched for a block, and the verdict for a match in it. The module does not
//! search.

use std::sync::Arc;

use loci_model::facts::citation::LineRange;
use loci_model::facts::code::ObjectId;
use loci_model::facts::verdict::{CitationVerdict, Method, Verdict};

use super::file_search::InFile;
use crate::verifier::lines::file_lines::FileLines;

/// The cited file in its earlier version.
pub(super) struct EarlierFile {
    pub(super) file: Arc<FileLines>,
    /// The first cited line.
    pub(super) first: usize,
}

/// A searched file.
pub(super) struct SearchedFile {
    pub(super) path: String,
    pub(super) blob: ObjectId,
    pub(super) file: Arc<FileLines>,
    pub(super) found: InFile,
    pub(super) method: Method,
}

impl SearchedFile {
    /// Returns the verdict valid at these lines, end excluded; `None` if there are no such lines.
    pub(super) fn verdict(&self, from: usize, to: usize) -> Option<CitationVerdict> {
        let mut verdict = CitationVerdict::new(Verdict::Valid, self.method);
        verdict.found = Some(LineRange {
            path: self.path.clone(),
            line_start: self.file.number(from)?,
            line_end: self.file.number(to.checked_sub(1)?)?,
        });
        verdict.blob = Some(self.blob);
        Some(verdict)
    }
}
