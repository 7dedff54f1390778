//! Computes the current trust of a record from its source, its conflicts and its age. Pure. The
//! record's own trust already includes the safety findings on its text.

use loci_model::Timestamp;
use loci_model::facts::support::Support;
use loci_model::record::TrustTier;
use loci_model::time::DAY_MS;
use loci_verified::CitedFate;

use super::candidate::Candidate;
use super::kind::HydrationKind;

/// The consistency of a record that no other task or person stated.
const CONSISTENCY: f64 = 0.85;
/// The addition for each further task or person that stated it.
const AGREED: f64 = 0.05;
/// The factor for each record that contradicts it.
const IN_CONFLICT: f64 = 0.5;
/// A half-life of the trust, in days.
const YEAR: f64 = 365.0;
const SEASON: f64 = 90.0;
const MONTH: f64 = 30.0;
/// The number of days without confirmation after which a record is no longer shown.
const UNCONFIRMED_DAYS: i64 = 365;
/// The limit for flagged records and for records of a task with an alert, in days.
const FLAGGED_DAYS: i64 = 7;
/// The reliability of a record with a valid citation.
const VERIFIED: f64 = 0.95;
/// External sources. Their records already have a lower trust of their own, which counts once.
const FROM_OUTSIDE: &[&str] = &["preference_implicit", "import", "github_issue"];

/// Returns the trust of a candidate at a time, 0 to 1.
pub(super) fn trust(candidate: &Candidate, now: Timestamp) -> f64 {
    let (reliability, half_life_days) = of_source(candidate);
    let consistency = consistency(candidate);
    let freshness = if candidate.kind == HydrationKind::Rules {
        // The weight of a rule already includes its reviewers, and a rule in force does not age.
        1.0
    } else {
        let age_ms = (now.millis() - candidate.known_at().millis()).max(0);
        0.5_f64.powf(age_ms as f64 / DAY_MS as f64 / half_life_days)
    };
    (believed(candidate, reliability) * consistency * freshness).clamp(0.0, 1.0)
}

/// True if the trust of a record is too low to show it. An open conflict lowers its rank and hides
/// nothing: the label states it, and a person decides.
pub(super) fn is_distrusted(candidate: &Candidate, threshold: f64) -> bool {
    let conflicts = i32::try_from(candidate.standing.conflicts).unwrap_or(i32::MAX);
    candidate.trust < threshold * IN_CONFLICT.powi(conflicts)
}

/// Combines a record's own trust with that of its source. If both mark it as external, the lower
/// one counts.
fn believed(candidate: &Candidate, reliability: f64) -> f64 {
    let record = &candidate.record;
    let is_outside = candidate.text("source_type").is_some_and(|source| FROM_OUTSIDE.contains(&source));
    if is_outside && record.tier != TrustTier::Flagged {
        record.trust.min(reliability)
    } else {
        record.trust * reliability
    }
}

/// Returns the consistency: higher for each agreement, halved for each contradiction.
fn consistency(candidate: &Candidate) -> f64 {
    let standing = &candidate.standing;
    let disputed = u32::from(candidate.cited.as_ref().is_some_and(|cited| cited.is_disputed));
    let conflicts = i32::try_from(standing.conflicts.saturating_add(disputed)).unwrap_or(i32::MAX);
    (CONSISTENCY + AGREED * f64::from(standing.agreed)).min(1.0) * IN_CONFLICT.powi(conflicts)
}

/// Returns the reason to hide a record because of its age: unconfirmed for a year, or flagged for a
/// week without support. Rules are exempt, because their relevance decides.
pub(super) fn outlived(candidate: &Candidate, now: Timestamp) -> Option<&'static str> {
    if candidate.kind == HydrationKind::Rules {
        return None;
    }
    let days = (now.millis() - candidate.known_at().millis()).max(0) / DAY_MS;
    let is_stood_by = candidate.standing.agreed > 0 || candidate.standing.is_approved;
    if candidate.record.tier == TrustTier::Flagged && !is_stood_by && days >= FLAGGED_DAYS {
        return Some("flagged");
    }
    (days >= UNCONFIRMED_DAYS).then_some("expired")
}

/// Returns the reliability of its source, and the half-life of the trust in days.
fn of_source(candidate: &Candidate) -> (f64, f64) {
    let record = &candidate.record;
    if record.tier == TrustTier::Confirmed || candidate.standing.is_approved {
        return (1.0, YEAR);
    }
    let stands = candidate.cited.as_ref().is_some_and(|cited| {
        let is_contradicted = cited.support == Some(Support::Contradicted);
        cited.fate == CitedFate::Valid && !cited.is_proposed && !is_contradicted
    });
    if stands {
        return (VERIFIED, YEAR);
    }
    match candidate.text("source_type") {
        Some("human") => (1.0, YEAR),
        Some("orchestrator_fallback" | "preference_explicit" | "evaluation") => (0.9, YEAR),
        Some("agent_episode") => (0.8, YEAR),
        Some("agent_self_feedback") => (0.6, YEAR),
        Some("reflection") => (0.7, SEASON),
        Some("preference_implicit" | "review_feedback" | "import") => (0.5, MONTH),
        Some("github_issue") => (0.3, MONTH),
        // The record's own trust already halves external records.
        Some(_) | None if record.tier == TrustTier::External => (1.0, MONTH),
        Some(_) | None => match candidate.kind {
            HydrationKind::Reflections => (0.7, SEASON),
            HydrationKind::Episodes => (0.8, YEAR),
            HydrationKind::Preferences => (0.9, YEAR),
            HydrationKind::Rules | HydrationKind::Knowledge => (0.7, YEAR),
        },
    }
}

#[cfg(test)]
mod tests {
    use loci_model::record::RecordKind;
    use loci_model::record::metadata::MetadataValue;
    use loci_model::{MemoryId, Timestamp};
    use loci_testkit_ports::samples;

    use super::*;
    use crate::hydration::RecordStanding;

    fn candidate(kind: HydrationKind, source: Option<&str>, tier: TrustTier) -> Candidate {
        let mut record = samples::record(&MemoryId::parse("m-0123456789").unwrap(), 7, "It is so.").unwrap();
        (record.kind, record.tier, record.timestamp) = (RecordKind::Fact, tier, Timestamp::EPOCH);
        record.trust = if tier == TrustTier::External { 0.5 } else { 1.0 };
        record.metadata.clear();
        if let Some(source) = source {
            record.metadata.insert("source_type".to_owned(), MetadataValue::String(source.to_owned()));
        }
        Candidate::new(kind, record, 1.0)
    }

    fn after(days: i64) -> Timestamp {
        Timestamp::EPOCH.plus_millis(days * DAY_MS)
    }

    #[test]
    fn a95_trust_halves_with_the_age_of_its_source() {
        use HydrationKind as Kind;
        let check = |kind, source: Option<&str>, tier, days, expect: f64| {
            let found = trust(&candidate(kind, source, tier), after(days));
            assert!((found - expect).abs() < 1e-9, "{source:?} {tier:?} after {days}: {found}");
        };
        let (agent, external) = (TrustTier::Agent, TrustTier::External);
        check(Kind::Knowledge, Some("agent_learning"), agent, 0, 0.7 * 0.85);
        check(Kind::Knowledge, Some("agent_learning"), agent, 365, 0.7 * 0.85 / 2.0);
        check(Kind::Knowledge, Some("import"), agent, 30, 0.5 * 0.85 / 2.0);
        check(Kind::Knowledge, Some("github_issue"), agent, 60, 0.3 * 0.85 / 4.0);
        check(Kind::Knowledge, None, external, 30, 0.5 * 0.85 / 2.0);
        check(Kind::Reflections, None, agent, 90, 0.7 * 0.85 / 2.0);
        check(Kind::Knowledge, None, TrustTier::Confirmed, 365, 0.85 / 2.0);
        check(Kind::Rules, Some("review_feedback"), agent, 365, 0.5 * 0.85);
        check(Kind::Episodes, Some("agent_episode"), agent, 365, 0.8 * 0.85 / 2.0);
        check(Kind::Preferences, Some("preference_implicit"), agent, 30, 0.5 * 0.85 / 2.0);
        check(Kind::Preferences, Some("preference_implicit"), external, 30, 0.5 * 0.85 / 2.0);
        check(Kind::Knowledge, Some("import"), external, 30, 0.5 * 0.85 / 2.0);
        check(Kind::Knowledge, Some("github_issue"), external, 0, 0.3 * 0.85);
        check(Kind::Preferences, Some("preference_implicit"), TrustTier::Flagged, 0, 0.5 * 0.85);
    }

    #[test]
    fn who_agrees_and_what_contradicts() {
        let check = |agreed, conflicts, is_approved, expect: f64| {
            let mut one = candidate(HydrationKind::Knowledge, Some("agent_learning"), TrustTier::Agent);
            one.standing = RecordStanding { agreed, conflicts, is_approved, ..RecordStanding::default() };
            let found = trust(&one, after(0));
            assert!((found - expect).abs() < 1e-9, "{agreed} {conflicts} {is_approved}: {found}");
        };
        check(1, 0, false, 0.7 * 0.9);
        check(3, 0, false, 0.7);
        check(50, 0, false, 0.7);
        check(0, 1, false, 0.7 * 0.85 / 2.0);
        check(1, 2, false, 0.7 * 0.9 / 4.0);
        check(3, 0, true, 1.0);
    }

    #[test]
    fn a_conflict_hides_nothing() {
        let check = |own: f64, conflicts, expect: bool| {
            let mut one = candidate(HydrationKind::Knowledge, Some("agent_learning"), TrustTier::Agent);
            one.record.trust = own;
            one.standing.conflicts = conflicts;
            one.trust = trust(&one, after(0));
            assert_eq!(is_distrusted(&one, 0.15), expect, "{own} {conflicts}");
        };
        for conflicts in [0, 1, 3] {
            check(0.5, conflicts, false);
            check(0.2, conflicts, true);
        }
    }

    #[test]
    fn a95_what_nobody_stands_by_is_outlived() {
        let check = |kind, tier, agreed, days, expect: Option<&str>| {
            let mut one = candidate(kind, None, tier);
            one.standing.agreed = agreed;
            assert_eq!(outlived(&one, after(days)), expect, "{tier:?} {agreed} after {days}");
        };
        let (knowledge, flagged) = (HydrationKind::Knowledge, TrustTier::Flagged);
        check(knowledge, TrustTier::Agent, 0, 364, None);
        check(knowledge, TrustTier::Agent, 0, 365, Some("expired"));
        check(knowledge, flagged, 0, 6, None);
        check(knowledge, flagged, 0, 7, Some("flagged"));
        check(knowledge, flagged, 1, 7, None);
        check(HydrationKind::Rules, flagged, 0, 400, None);
    }
}
