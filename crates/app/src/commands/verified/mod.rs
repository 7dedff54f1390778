//! Commands of the product of verified facts: facts, repositories, the check of a clone.

pub(crate) mod at;
pub(super) mod elsewhere;
pub(crate) mod fact;
mod fact_lines;
pub(crate) mod here;
pub(crate) mod repo;
mod repo_sync;
pub(super) mod repository_words;
pub(crate) mod verify;
