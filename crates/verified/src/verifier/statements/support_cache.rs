//! The cache of support reports by their input: a statement, its claims, and cited blobs.
//!
//! A report is equal at every commit with that input, so a new commit needs no second look for
//! facts about unchanged files. Nothing is ever invalidated, only dropped.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use loci_model::facts::citation::{Citation, LineRange};
use loci_model::facts::claim::Claim;
use loci_model::facts::code::ObjectId;
use loci_model::facts::support::SupportReport;
use loci_model::facts::verdict::{CitationVerdict, Method, Verdict};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The number of reports in each of the two generations.
const REPORTS_MAX: usize = 4_096;

type Key = [u8; 32];

/// The complete input of a report, except the rules.
#[derive(Serialize)]
pub(super) struct SupportBasis<'a> {
    /// The repository and its tenant, within which blob ids are trusted.
    pub(super) scope: &'a str,
    pub(super) statement: &'a str,
    pub(super) claims: &'a [Claim],
    /// The outcome of each claim.
    pub(super) holds: Vec<Option<bool>>,
    pub(super) cited: Vec<CitedBasis<'a>>,
}

/// The input from one citation of a report.
#[derive(Serialize)]
pub(super) struct CitedBasis<'a> {
    path: &'a str,
    lines: &'a [String],
    verdict: Verdict,
    method: Method,
    found: Option<&'a LineRange>,
    blob: Option<ObjectId>,
    /// True if the blob may be read although the verdict does not need it.
    is_readable: bool,
}

impl<'a> CitedBasis<'a> {
    pub(super) fn of(citation: &'a Citation, verdict: &'a CitationVerdict, is_readable: bool) -> Self {
        Self {
            path: &citation.anchor.place.path,
            lines: &citation.anchor.lines,
            verdict: verdict.verdict,
            method: verdict.method,
            found: verdict.found.as_ref(),
            blob: verdict.blob,
            is_readable,
        }
    }
}

/// The recent reports in two generations. The older one is dropped when the younger one is full.
#[derive(Default)]
pub(in crate::verifier) struct SupportCache(Mutex<Generations>);

#[derive(Default)]
struct Generations {
    young: HashMap<Key, SupportReport>,
    old: HashMap<Key, SupportReport>,
}

impl SupportCache {
    /// Returns the cached report, or computes it. `is_final` returns true if a computed report may
    /// be cached.
    pub(super) fn get(
        &self,
        basis: &SupportBasis<'_>,
        make: impl FnOnce() -> SupportReport,
        is_final: impl FnOnce() -> bool,
    ) -> SupportReport {
        let Ok(bytes) = serde_json::to_vec(basis) else { return make() };
        let key: Key = Sha256::digest(bytes).into();
        if let Some(kept) = self.locked().get(&key) {
            return kept;
        }
        let made = make();
        if is_final() {
            self.locked().put(key, made.clone());
        }
        made
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Generations> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    fn get(&mut self, key: &Key) -> Option<SupportReport> {
        if let Some(report) = self.young.get(key) {
            return Some(report.clone());
        }
        let report = self.old.remove(key)?;
        self.put(*key, report.clone());
        Some(report)
    }

    fn put(&mut self, key: Key, report: SupportReport) {
        if self.young.len() >= REPORTS_MAX {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::facts::support::{Support, SupportReason};

    fn basis(statement: &str) -> SupportBasis<'_> {
        SupportBasis { scope: "here", statement, claims: &[], holds: Vec::new(), cited: Vec::new() }
    }

    fn report(reason: SupportReason) -> SupportReport {
        SupportReport::new(Support::NotChecked, reason)
    }

    /// Returns true if the report is cached. If it is missing, the call computes one with another
    /// reason.
    fn is_kept(cache: &SupportCache, basis: &SupportBasis<'_>) -> bool {
        let again = report(SupportReason::Unread);
        cache.get(basis, || again.clone(), || false) != again
    }

    #[test]
    fn a_report_is_made_once_for_one_basis() {
        let cache = SupportCache::default();
        let made = cache.get(&basis("a"), || report(SupportReason::TooMuch), || true);
        assert_eq!(made.reason, SupportReason::TooMuch);
        assert!(is_kept(&cache, &basis("a")));
        assert!(!is_kept(&cache, &basis("b")));
        assert!(!is_kept(&cache, &SupportBasis { scope: "there", ..basis("a") }));
        assert!(!is_kept(&cache, &SupportBasis { holds: vec![Some(true)], ..basis("a") }));
    }

    #[test]
    fn reports_that_are_asked_for_stay_and_others_are_dropped() {
        let cache = SupportCache::default();
        let put = |number: usize| {
            cache.get(&basis(&number.to_string()), || report(SupportReason::TooMuch), || true);
        };
        for number in 0..=REPORTS_MAX {
            put(number);
        }
        assert!(is_kept(&cache, &basis("0")));
        (REPORTS_MAX + 1..=2 * REPORTS_MAX).for_each(put);
        assert!(is_kept(&cache, &basis("0")));
        assert!(!is_kept(&cache, &basis("1")));
        let held = cache.locked();
        assert!(held.young.len() <= REPORTS_MAX && held.old.len() <= REPORTS_MAX);
    }
}
