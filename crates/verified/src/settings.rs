//! Settings of verified memory, with their reasons.

use loci_model::facts::support::DriftedFacts;

/// How facts are kept and checked.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedSettings {
    /// Name of the memory that callers mean who name none.
    pub memory: String,
    /// A fact that is neither confirmed, used nor found valid expires after so long.
    pub expiry_days: u32,
    /// A fact whose code is gone from the default branch is declared wrong after so long at the earliest.
    pub quarantine_grace_days: u32,
    /// And not before it was gone at so many commits.
    pub quarantine_commits: usize,
    /// A verification may stand in for another for so long.
    pub receipt_minutes: u32,
    /// Cited lines are kept; otherwise their hashes alone.
    pub store_snippet: bool,
    /// Active facts of a repository above which storing one more warns.
    pub soft_limit: u64,
    /// Above which it is refused; 0: never.
    pub hard_limit: u64,
    /// Two facts so alike (Jaccard of their terms) are said to be similar.
    pub near_duplicate: f32,
    /// The default branch is looked at this often.
    pub check_every_ms: i64,
    /// The readers who are not given the statement of a fact whose code has changed.
    pub drifted: DriftedFacts,
}

impl Default for VerifiedSettings {
    fn default() -> Self {
        Self {
            memory: "code".to_owned(),
            expiry_days: 365,
            quarantine_grace_days: 7,
            quarantine_commits: 3,
            receipt_minutes: 10,
            store_snippet: true,
            soft_limit: 1_000,
            hard_limit: 0,
            near_duplicate: 0.85,
            check_every_ms: 60_000,
            drifted: DriftedFacts::WithholdFromAgents,
        }
    }
}
