//! The client token that identifies a repeated event: the range of a run's messages that the
//! event contains. It does not contain the session, because a session continues in other runs,
//! which number their messages again.

/// Returns `<memory>-<actor>-<run>-<first>-<last>`. A Loci server derives from it which messages of
/// a run it already has.
pub(super) fn range_token(memory: &str, actor: &str, run_id: &str, first: u64, last: u64) -> String {
    format!("{memory}-{actor}-{run_id}-{first}-{last}")
}
