//! Self-managed strategies: when their owner is told of new messages, and with what. The job is
//! `jobs/handover.rs`, sending the deliverer's.

pub(crate) mod payload;
pub(crate) mod trigger;
