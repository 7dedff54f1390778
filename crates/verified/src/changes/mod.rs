//! Changes of stored facts: confirmation, use, correction, invalidation and deletion.

pub(super) mod applied_use;
mod delete;
pub(super) mod invalidate;
mod preconditions;
pub(super) mod refresh;
mod repeated_call;
pub(super) mod supersede;
