//! `fact_stats`: counts, rates and times of a repository's facts.

use std::collections::BTreeMap;

use loci_engine::memories::existing;
use loci_model::Result;
use loci_model::facts::fact::{FactEventKind, FactTally};
use loci_model::facts::verdict::Verdict;
use loci_model::ports::store::{FactSums, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;

use crate::Verified;
use crate::remote_verification::reported_verdicts::TOLD;
use crate::repositories::find;
use crate::verification::state_change::PROPOSED;
use loci_engine::calls::standing::Standing;

/// Durations that percentiles are made of.
const DURATIONS: usize = 10_000;

/// What is known about a repository's facts.
#[derive(Debug, Clone, PartialEq)]
pub struct FactStats {
    /// Scope key.
    pub repo: String,
    /// Counts and sums.
    pub sums: FactSums,
    /// Share of each verdict among the verifications of 7 and of 28 days.
    pub verdict_rates: [(u32, BTreeMap<&'static str, f64>); 2],
    /// Verdicts of 28 days that callers found where the code is: no part of anything else here.
    pub told: BTreeMap<&'static str, u64>,
    /// Uses that a valid verification came before, over all uses of 28 days.
    pub verified_before_use_rate: Option<f64>,
    /// Uses after a valid verification that confirmed the fact, over all such uses of 28 days.
    pub refresh_on_valid_rate: Option<f64>,
    /// Drifted, gone and contradicted ones among the verifications of 28 days.
    pub stale_share: Option<f64>,
    /// Middle and 95th percentile of the newest verifications of 28 days, in milliseconds.
    pub verification_ms: Option<(u32, u32)>,
    /// Verdicts that were kept and served, over all that were served by this process; `None` before the first.
    pub cache_hit_rate: Option<f64>,
}

impl FactStats {
    /// How many stand in a state.
    pub fn count(&self, state: RecordState) -> u64 {
        self.sums.by_status.iter().filter(|(one, _)| *one == state).map(|(_, count)| count).sum()
    }
}

impl Verified {
    /// Statistics of a repository.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`.
    pub async fn fact_stats(&self, caller: &Principal, standing: &Standing, repo: &str) -> Result<FactStats> {
        let memory = self.code_memory(caller, standing).await?;
        let (caller, repo, now) = (caller.clone(), repo.to_owned(), self.engine.now());
        let cache_hit_rate = self.parts.verdict_cache.rate();
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let found = find(tx, &caller, &memory, &repo, Capability::Read)?;
                let id = &found.repository.id;
                let days = |days: i64| now.plus_millis(-days * loci_model::time::DAY_MS);
                let mut month = tx.fact_events().tallies(&memory, id, days(28))?;
                let mut week = tx.fact_events().tallies(&memory, id, days(7))?;
                let told = counts(&month, TOLD);
                let is_ours = |tally: &FactTally| !matches!(tally.cause.as_deref(), Some(PROPOSED | TOLD));
                month.retain(is_ours);
                week.retain(is_ours);
                let durations = tx.fact_events().durations_ms(&memory, id, days(28), DURATIONS)?;
                Ok(FactStats {
                    repo: found.repository.key.clone(),
                    sums: tx.facts().sums(&memory, id)?,
                    verdict_rates: [(7, rates(&week)), (28, rates(&month))],
                    told,
                    verified_before_use_rate: verified_before_use(&month),
                    refresh_on_valid_rate: refresh_on_valid(&month),
                    stale_share: stale_share(&month),
                    verification_ms: percentiles(durations),
                    cache_hit_rate,
                })
            })
            .await
    }
}

fn is_verification(kind: FactEventKind) -> bool {
    crate::facts::receipts::VERIFICATIONS.contains(&kind)
}

fn sum(tallies: &[FactTally], counts: impl Fn(&FactTally) -> bool) -> u64 {
    tallies.iter().filter(|tally| counts(tally)).map(|tally| tally.count).sum()
}

/// How many of each verdict, of verifications with this cause; verdicts without any are left out.
fn counts(tallies: &[FactTally], cause: &str) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::new();
    let of_cause = |tally: &&FactTally| is_verification(tally.kind) && tally.cause.as_deref() == Some(cause);
    for tally in tallies.iter().filter(of_cause) {
        if let Some(verdict) = tally.verdict {
            *counts.entry(verdict.as_str()).or_default() += tally.count;
        }
    }
    counts
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn rates(tallies: &[FactTally]) -> BTreeMap<&'static str, f64> {
    let whole = sum(tallies, |tally| is_verification(tally.kind));
    Verdict::ALL
        .iter()
        .filter_map(|verdict| {
            let of = |tally: &FactTally| is_verification(tally.kind) && tally.verdict == Some(*verdict);
            Some((verdict.as_str(), share(sum(tallies, of), whole)?))
        })
        .collect()
}

fn verified_before_use(tallies: &[FactTally]) -> Option<f64> {
    let applied = |tally: &FactTally| tally.kind == FactEventKind::Applied;
    let verified = |tally: &FactTally| applied(tally) && tally.cause.as_deref() == Some("verified");
    share(sum(tallies, verified), sum(tallies, applied))
}

fn refresh_on_valid(tallies: &[FactTally]) -> Option<f64> {
    let verified = |tally: &FactTally| {
        tally.kind == FactEventKind::Applied && tally.cause.as_deref() == Some("verified")
    };
    let refreshed = |tally: &FactTally| {
        tally.kind == FactEventKind::Refreshed && tally.cause.as_deref() == Some("applied")
    };
    share(sum(tallies, refreshed), sum(tallies, verified))
}

fn stale_share(tallies: &[FactTally]) -> Option<f64> {
    let stale = |tally: &FactTally| tally.kind == FactEventKind::VerifiedInvalid;
    share(sum(tallies, stale), sum(tallies, |tally| is_verification(tally.kind)))
}

fn percentiles(mut durations: Vec<u32>) -> Option<(u32, u32)> {
    durations.sort_unstable();
    let at = |share: usize| durations.get((durations.len().saturating_sub(1)) * share / 100).copied();
    Some((at(50)?, at(95)?))
}
