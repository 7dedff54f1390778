//! `fact_stats`: counts, rates and durations of a repository's facts.

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
use loci_engine::calls::call_context::CallContext;

/// The number of durations from which percentiles are computed.
const DURATIONS: usize = 10_000;

/// Statistics of a repository's facts.
#[derive(Debug, Clone, PartialEq)]
pub struct FactStats {
    /// The scope key.
    pub repo: String,
    /// Counts and sums.
    pub sums: FactSums,
    /// The share of each verdict among the verifications of 7 and of 28 days.
    pub verdict_rates: [(u32, BTreeMap<&'static str, f64>); 2],
    /// The verdicts of 28 days that callers reported, by verdict. They are not part of any other
    /// number here.
    pub told: BTreeMap<&'static str, u64>,
    /// The uses with a valid verification before them, as a share of all uses of 28 days.
    pub verified_before_use_rate: Option<f64>,
    /// The uses after a valid verification that confirmed the fact, as a share of all such uses of
    /// 28 days.
    pub refresh_on_valid_rate: Option<f64>,
    /// The drifted, gone and contradicted verdicts, as a share of the verifications of 28 days.
    pub stale_share: Option<f64>,
    /// The median and the 95th percentile of the newest verifications of 28 days, in milliseconds.
    pub verification_ms: Option<(u32, u32)>,
    /// The cached verdicts served, as a share of all verdicts served by this process; `None` before
    /// the first.
    pub cache_hit_rate: Option<f64>,
}

impl FactStats {
    /// Returns the number of facts in a state.
    pub fn count(&self, state: RecordState) -> u64 {
        self.sums.by_status.iter().filter(|(one, _)| *one == state).map(|(_, count)| count).sum()
    }
}

impl Verified {
    /// Returns the statistics of a repository.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`.
    pub async fn fact_stats(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
    ) -> Result<FactStats> {
        let memory = self.memory_of_repository(caller, standing, repo).await?;
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

/// Counts the verifications with this cause by verdict. Verdicts without any are left out.
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
