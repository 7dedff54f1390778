//! The token that distinguishes a repetition from a new event: the range of a run that an event
//! holds. It never names the session, which outlives the sequence numbers of a run.

/// Returns `<memory>-<actor>-<run>-<first>-<last>`. A Loci server derives from it which messages of
/// a run it has.
pub(super) fn range_token(memory: &str, actor: &str, run_id: &str, first: u64, last: u64) -> String {
    format!("{memory}-{actor}-{run_id}-{first}-{last}")
}
