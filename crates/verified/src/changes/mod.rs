//! Changes of stored facts: confirmation, use, correction, invalidation and deletion.

mod delete;
pub(super) mod fact_use;
pub(super) mod invalidate;
mod preconditions;
pub(super) mod refresh;
mod repeated_call;
pub(super) mod supersede;
