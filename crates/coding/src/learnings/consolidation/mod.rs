//! What becomes of a learning beside what a repository's memory knows already: the same machinery
//! decides as for what extraction proposes (`consolidation`); here is said whom a learning meets,
//! and what is known of branches and of people.
//!
//! * `similar_records`: what is like a text, looked for before the write;
//! * `decision`: the same with what was written since, and the decision;
//! * `agreement`: who else said it;
//! * `branch`, `branch_merge`: what holds on a branch alone, and what becomes of it when the branch comes onto the default one.
//!
//! Self-feedback is not consolidated: that several tasks lack the same is what its themes tell.

mod agreement;
mod branch;
mod branch_merge;
mod decision;
mod similar_records;

pub(super) use agreement::agree;
pub(crate) use branch::{is_unmerged, note_branch_fact};
pub(crate) use branch_merge::{Landing, OnBranch, commits_of, holds_any};
pub(super) use decision::{Beside, Found};
pub(crate) use similar_records::Around;
