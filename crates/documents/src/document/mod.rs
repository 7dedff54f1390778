//! Operations that read and change one document, and the code that they share.

pub(super) mod append;
pub(crate) mod appended_lines;
pub(crate) mod document_write;
pub(super) mod edit;
pub(super) mod get;
pub(super) mod grep;
mod line_search;
pub(super) mod precondition;
pub(super) mod put;
pub(crate) mod read_counts;
pub(super) mod remove;
pub(crate) mod text_edits;
pub(super) mod write_answer;
