//! Learnings of a repository: their writes, their consolidation with known records, and their
//! conflicts.

pub(crate) mod conflicts;
pub(super) mod consolidation;
pub(super) mod learning_write;
