//! Consolidation of learnings with the known records of a repository. The decision procedure is
//! that of extraction (`consolidation`). This module determines the records to compare with, and
//! adds branches and people.
//!
//! * `similar_records`: finds similar records before the write;
//! * `decision`: adds the records written since, and decides;
//! * `agreement`: further tasks that state a record;
//! * `branch`, `branch_merge`: facts that hold only on a branch, and the merge of that branch.
//!
//! Self-feedback is not consolidated, because its themes count how many tasks lack the same thing.

mod agreement;
mod branch;
mod branch_merge;
mod decision;
mod similar_records;

pub(super) use agreement::agree;
pub(crate) use branch::{is_unmerged, note_branch_fact};
pub(crate) use branch_merge::{MergingBranchFact, OnBranch, commits_of, holds_any};
pub(super) use decision::{ComparedRecords, LearningDecision};
pub(crate) use similar_records::SimilarRecords;
