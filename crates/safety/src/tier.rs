//! How far a source is trusted, as a number. It says nothing of agreement or
//! age, and ranking does not read it.

use loci_model::record::TrustTier;

/// Trust of what no person and no check confirmed, but an agent or a client said.
const AGENT: f64 = 1.0;
/// Trust of what comes from outside.
const EXTERNAL: f64 = 0.5;
/// What is flagged, or hides characters, is trusted half.
const HALF: f64 = 0.5;

/// Trust, 0 to 1, of a text of this tier; `suspect`: it was flagged, or hides characters.
pub fn reliability(tier: TrustTier, suspect: bool) -> f64 {
    let whole = match tier {
        TrustTier::Confirmed => 1.0,
        TrustTier::Agent => AGENT,
        TrustTier::External => EXTERNAL,
        TrustTier::Flagged => return HALF * AGENT,
    };
    if suspect { whole * HALF } else { whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suspicion_halves() {
        let check = |tier, suspect, expect: f64| {
            assert!((reliability(tier, suspect) - expect).abs() < 1e-9, "{tier:?}");
        };
        check(TrustTier::Confirmed, false, 1.0);
        check(TrustTier::Agent, false, 1.0);
        check(TrustTier::Agent, true, 0.5);
        check(TrustTier::External, false, 0.5);
        check(TrustTier::External, true, 0.25);
        check(TrustTier::Flagged, true, 0.5);
    }
}
