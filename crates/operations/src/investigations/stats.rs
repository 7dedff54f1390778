//! Statistics about investigations, and investigations without an outcome: time to resolution,
//! share of confirmed causes, recurrence of alerts, and the difference between sessions with and
//! without memory.

use std::collections::{BTreeMap, BTreeSet};

use loci_api::operations::investigation::{AlertRecurrence, PendingOutcome, PendingOutcomes, SreStats};
use loci_engine::access;
use loci_engine::memories::existing;
use loci_model::ports::store::{RecordPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::Record;
use loci_model::record::scope::RecordScope;
use loci_model::services::knowledge::{ResolutionStatus, SreType};
use loci_model::{MemoryId, Result, SessionId, Timestamp};
use serde_json::Value;

use super::investigation_lookup::{StoredInvestigation, is_hidden};
use super::session_exposures::was_shown;
use crate::Operations;
use crate::records::namespace_rules;

/// The maximum number of counted investigations, newest first.
const COUNTED_MAX: usize = 10_000;
const PAGE: usize = 500;
const PARTIAL: &str = "stats: only the newest 10000 investigations are counted";
const LOOKED_AT: &str = "pending-outcomes: only the newest 10000 investigations are looked at";
/// The number of days without an outcome after which an investigation is listed.
const WAITING_DAYS: u32 = 14;
/// The maximum number of fingerprints in the response, most frequent first.
const FINGERPRINTS_MAX: usize = 50;

/// A request for statistics.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SreStatsAsk {
    /// Counts only investigations of this service. `None`: all services.
    pub service: Option<String>,
    /// Counts only investigations started at this time or later. `None`: all that are stored.
    pub since: Option<Timestamp>,
}

impl Operations {
    /// Returns statistics about the investigations that the caller may see.
    ///
    /// # Errors
    /// `Denied` if the caller may not read the memory.
    pub async fn sre_stats(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        asked: &SreStatsAsk,
    ) -> Result<SreStats> {
        let (counted, is_partial) = self.counted(caller, memory).await?;
        let is_asked = |known: &&StoredInvestigation| {
            let services = known.content.get("services").and_then(Value::as_array);
            let has = |service: &String| {
                services.is_some_and(|all| all.iter().any(|one| one.as_str() == Some(service.as_str())))
            };
            asked.service.as_ref().is_none_or(has) && asked.since.is_none_or(|since| known.began() >= since)
        };
        let counted: Vec<&StoredInvestigation> = counted.iter().filter(is_asked).collect();
        // Exposures are needed only for the comparison of times to resolution.
        let took = counted.iter().filter(|known| took_s(known).is_some());
        let shown = self.shown_sessions(memory, took.map(|known| known.session.clone()).collect()).await?;
        Ok(SreStats {
            degraded: is_partial,
            warnings: told(is_partial, PARTIAL),
            ..numbers(&counted, &shown)
        })
    }

    /// Returns investigations that were completed or escalated two weeks ago or earlier and have no
    /// outcome, oldest first.
    ///
    /// # Errors
    /// As [`Operations::sre_stats`].
    pub async fn sre_pending_outcomes(
        &self,
        caller: &Principal,
        memory: &MemoryId,
    ) -> Result<PendingOutcomes> {
        let before = self.engine.now().minus_days(WAITING_DAYS);
        let (counted, is_partial) = self.counted(caller, memory).await?;
        let waits = |known: &StoredInvestigation| {
            let since = known.time("completed_at").unwrap_or_else(|| known.began());
            known.status() != ResolutionStatus::Ongoing
                && !known.content.contains_key("outcome")
                && since <= before
        };
        let mut waiting: Vec<&StoredInvestigation> = counted.iter().filter(|known| waits(known)).collect();
        waiting.sort_by_key(|known| (known.began(), known.incident.clone(), known.session_id()));
        let shown = |known: &StoredInvestigation| PendingOutcome {
            incident_id: known.incident.clone(),
            session_id: known.session_id(),
            user_id: known.user(),
            query: known.text("query").unwrap_or_default().to_owned(),
            status: known.status().as_str().to_owned(),
            started_at: known.began().to_rfc3339(),
        };
        Ok(PendingOutcomes {
            investigations: waiting.into_iter().map(shown).collect(),
            degraded: is_partial,
            warnings: told(is_partial, LOOKED_AT),
        })
    }

    /// Returns the investigations that the caller may see, and true if there are more than the
    /// maximum.
    async fn counted(
        &self,
        caller: &Principal,
        memory: &MemoryId,
    ) -> Result<(Vec<StoredInvestigation>, bool)> {
        let now = self.engine.now();
        let view = access::bound_view(self.engine.products(), caller, memory, Capability::Read, now)?;
        let is_admin = access::require_whole(caller, memory, Capability::Admin).is_ok();
        let (memory, user) = (memory.clone(), caller.name.clone());
        self.engine
            .store()
            .read(move |tx| {
                let memory = existing(tx, &memory)?;
                let scope = RecordScope {
                    view: view.clauses().to_vec(),
                    ..namespace_rules::scope(&memory, SreType::Investigations, None, now)?
                };
                let mut page = RecordPage { scope, after: None, limit: PAGE };
                let mut counted = Vec::new();
                loop {
                    let some = tx.records().list(&page)?;
                    let is_last = some.len() < PAGE;
                    page.after = some.last().map(|record| (record.created_at, record.id.clone()));
                    let seen = |record: &Record| is_admin || !is_hidden(record, &user);
                    counted.extend(some.into_iter().filter(seen).filter_map(StoredInvestigation::of));
                    if is_last || counted.len() >= COUNTED_MAX {
                        return Ok((counted, !is_last));
                    }
                }
            })
            .await
    }

    /// Returns the sessions that have an exposure with shown records.
    async fn shown_sessions(
        &self,
        memory: &MemoryId,
        sessions: BTreeSet<SessionId>,
    ) -> Result<BTreeSet<SessionId>> {
        if sessions.is_empty() {
            return Ok(sessions);
        }
        let memory = memory.clone();
        self.engine
            .store()
            .read(move |tx| {
                let mut shown = BTreeSet::new();
                for session in &sessions {
                    if was_shown(tx, &memory, session)? {
                        shown.insert(session.clone());
                    }
                }
                Ok(shown)
            })
            .await
    }
}

fn told(is_partial: bool, what: &str) -> Vec<String> {
    is_partial.then(|| what.to_owned()).into_iter().collect()
}

/// Returns the time from start to resolution, in seconds. `None` if it is unknown.
fn took_s(known: &StoredInvestigation) -> Option<f64> {
    let (began, resolved) = (known.began(), known.time("resolved_at")?);
    (resolved >= began).then(|| (resolved.millis() - began.millis()) as f64 / 1_000.0)
}

fn numbers(counted: &[&StoredInvestigation], shown: &BTreeSet<SessionId>) -> SreStats {
    let mut stats = SreStats { investigations: counted.len() as u64, ..SreStats::default() };
    let mut took: Vec<(f64, bool)> = Vec::new();
    let mut confirmed = 0;
    let mut incidents: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for known in counted {
        *stats.by_status.entry(known.status().as_str().to_owned()).or_default() += 1;
        took.extend(took_s(known).map(|seconds| (seconds, shown.contains(&known.session))));
        let told = known.content.get("outcome").and_then(|outcome| outcome.get("root_cause_confirmed"));
        if let Some(is_right) = told.and_then(Value::as_bool) {
            stats.judged += 1;
            confirmed += u64::from(is_right);
        }
        if let Some(fingerprint) = known.text("fingerprint") {
            incidents.entry(fingerprint.to_owned()).or_default().insert(&known.incident);
        }
    }
    stats.resolved = took.len() as u64;
    let of = |shown: Option<bool>| -> Vec<f64> {
        let wanted = |(_, was_shown): &&(f64, bool)| shown.is_none_or(|shown| shown == *was_shown);
        let mut seconds: Vec<f64> = took.iter().filter(wanted).map(|(seconds, _)| *seconds).collect();
        seconds.sort_by(f64::total_cmp);
        seconds
    };
    let all = of(None);
    stats.mttr_median_s = median(&all);
    stats.mttr_p90_s = all.get((all.len() * 9).div_ceil(10).saturating_sub(1)).copied();
    stats.mttr_with_memory_s = median(&of(Some(true)));
    stats.mttr_without_memory_s = median(&of(Some(false)));
    stats.confirmed_share = (stats.judged > 0).then(|| confirmed as f64 / stats.judged as f64);
    let often = |(fingerprint, all): (String, BTreeSet<&str>)| AlertRecurrence {
        fingerprint,
        count: all.len() as u64,
    };
    let mut again: Vec<_> = incidents.into_iter().map(often).filter(|one| one.count > 1).collect();
    again.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.fingerprint.cmp(&b.fingerprint)));
    again.truncate(FINGERPRINTS_MAX);
    stats.recurrence = again;
    stats
}

fn median(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    sorted.get(middle - 1).map(|lower| (lower + upper) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle() {
        let check = |seconds: &[f64], expect: Option<f64>| assert_eq!(median(seconds), expect, "{seconds:?}");
        check(&[], None);
        check(&[3.0], Some(3.0));
        check(&[1.0, 3.0], Some(2.0));
        check(&[1.0, 3.0, 8.0], Some(3.0));
    }
}
