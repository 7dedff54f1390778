//! The verification of facts: a look at their code, the resulting change of state, and its write.

pub(super) mod code_check;
mod parallel_check;
pub(super) mod retry_schedule;
pub(super) mod state_change;
pub(super) mod state_write;
pub(super) mod verdict_cache;
pub(super) mod verdicts;
