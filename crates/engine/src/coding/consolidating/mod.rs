//! What becomes of a learning beside what a repository's memory knows already (coding-agent-memory.md §16): the same machinery decides as
//! for what extraction proposes (`consolidation`); here is said whom a learning meets, and what is known of branches and of people.
//!
//! * `around`: what is like a text, looked for before the write;
//! * `beside`: the same with what was written since, and the decision;
//! * `agreeing`: who else said it;
//! * `branch`, `landing`: what holds on a branch alone, and what becomes of it when the branch comes onto the default one.
//!
//! Self-feedback is not consolidated: that several tasks lack the same is what its themes tell.

mod agreeing;
mod around;
mod beside;
mod branch;
mod landing;

pub(super) use agreeing::agree;
pub(super) use around::Around;
pub(super) use beside::{Beside, Found};
pub(super) use branch::{is_unmerged, note_branch_fact};
pub(super) use landing::{Landing, OnBranch, commits_of, holds_any};
