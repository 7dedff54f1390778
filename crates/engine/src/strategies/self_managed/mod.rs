//! Self-managed strategies: the time and content of notifications to their client.
//! `jobs/handover.rs` is the job, and the deliverer sends them.

pub(crate) mod payload;
pub(crate) mod trigger;
