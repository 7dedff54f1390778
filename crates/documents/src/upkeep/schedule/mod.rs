//! The schedule of runs: the conditions and the times at which an automatic run starts.

mod automatic_runs;
pub(super) mod cron;
