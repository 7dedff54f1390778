//! How far a record is trusted now: who said it, who says otherwise, how long ago (coding-agent-memory.md §18.3). Pure. What
//! safety found in a text is in the record's own trust already.

use loci_model::Timestamp;
use loci_model::record::TrustTier;
use loci_model::time::DAY_MS;

use super::candidate::Candidate;
use super::kind::HydrationKind;
use crate::verified::CitedFate;

/// Nobody else said it yet: how often others did is not counted.
const CONSISTENCY: f64 = 0.85;
/// A record that another one contradicts.
const IN_CONFLICT: f64 = 0.5;
/// Half of the trust is gone after so many days.
const YEAR: f64 = 365.0;
const SEASON: f64 = 90.0;
const MONTH: f64 = 30.0;
/// What cites code that stands.
const VERIFIED: f64 = 0.95;

/// Trust of a candidate at a time, 0 to 1.
pub(super) fn trust(candidate: &Candidate, now: Timestamp) -> f64 {
    let (reliability, half_life_days) = of_source(candidate);
    let conflict = candidate.cited.as_ref().is_some_and(|cited| cited.is_disputed);
    let consistency = if conflict { CONSISTENCY * IN_CONFLICT } else { CONSISTENCY };
    let freshness = if candidate.kind == HydrationKind::Rules {
        // They weigh who asked for them already, and do not age while they are in force.
        1.0
    } else {
        let age_ms = (now.millis() - candidate.known_at().millis()).max(0);
        0.5_f64.powf(age_ms as f64 / DAY_MS as f64 / half_life_days)
    };
    (reliability * candidate.record.trust * consistency * freshness).clamp(0.0, 1.0)
}

/// How far its source is believed, and how fast that fades.
fn of_source(candidate: &Candidate) -> (f64, f64) {
    let record = &candidate.record;
    if record.tier == TrustTier::Confirmed {
        return (1.0, YEAR);
    }
    let stands =
        candidate.cited.as_ref().is_some_and(|cited| cited.fate == CitedFate::Valid && !cited.is_proposed);
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
        // What safety knows to come from outside is trusted half by that alone.
        Some(_) | None if record.tier == TrustTier::External => (1.0, MONTH),
        Some(_) | None => match candidate.kind {
            HydrationKind::Reflections => (0.7, SEASON),
            HydrationKind::Episodes => (0.8, YEAR),
            HydrationKind::Preferences => (0.9, YEAR),
            HydrationKind::Rules | HydrationKind::Knowledge => (0.7, YEAR),
        },
    }
}
