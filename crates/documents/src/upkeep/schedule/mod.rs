//! The schedule of runs: the conditions and the times of a clock at which a run begins by itself.

mod automatic_runs;
pub(super) mod cron;
