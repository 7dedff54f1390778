//! What tells a repetition from something new: the range of a run that an event holds. It never names the session, which outlives
//! the numbers of a run.

/// `<memory>-<actor>-<run>-<first>-<last>`: a Loci server reads in it what of a run it has.
pub(super) fn range_token(memory: &str, actor: &str, run_id: &str, first: u64, last: u64) -> String {
    format!("{memory}-{actor}-{run_id}-{first}-{last}")
}
