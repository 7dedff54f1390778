//! The trust in a source as a number. It does not depend on agreement or age, and ranking does not
//! read it.

use loci_model::record::TrustTier;

/// The trust in a text of an agent or a client, which no person and no check confirmed.
const AGENT: f64 = 1.0;
/// The trust in a text from an external source.
const EXTERNAL: f64 = 0.5;
/// The factor on the trust in a text that is flagged or has hidden characters.
const HALF: f64 = 0.5;

/// Returns the trust, 0 to 1, in a text of a tier. `suspect` is true if the text was flagged or has
/// hidden characters.
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
