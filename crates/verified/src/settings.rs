//! Settings of verified memory, with their reasons.

use loci_model::facts::support::DriftedFacts;

/// Settings for storing and verifying facts.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedSettings {
    /// The name of the memory for callers that name none.
    pub memory: String,
    /// The number of days after which a fact expires that was neither confirmed, used nor found
    /// valid.
    pub expiry_days: u32,
    /// The minimum number of days before a fact is declared wrong because its code is gone from the
    /// default branch.
    pub quarantine_grace_days: u32,
    /// The minimum number of commits at which its code must have been gone.
    pub quarantine_commits: usize,
    /// The number of minutes in which a verification can replace another.
    pub receipt_minutes: u32,
    /// True to store the cited lines; otherwise only their hashes are stored.
    pub store_snippet: bool,
    /// The number of active facts of a repository above which a further one causes a warning.
    pub soft_limit: u64,
    /// The number at which a further fact is rejected; 0 disables the limit.
    pub hard_limit: u64,
    /// The similarity (Jaccard of their terms) from which two facts are reported as similar.
    pub near_duplicate: f32,
    /// The interval between checks of the default branch, in milliseconds.
    pub check_every_ms: i64,
    /// The readers that do not get the statement of a fact whose code has changed.
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
