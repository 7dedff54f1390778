//! Converts the score of a hit to a relevance between 0 and 1. The relevance increases with the
//! score and does not depend on other hits, so that a threshold has the same meaning in every
//! request.

use super::weights::Calibration;

/// Returns the relevance of a score. If the query has no vector, an offset replaces the two
/// signals that need one.
pub fn relevance(calibration: &Calibration, score: f64, with_vector: bool) -> f32 {
    let offset = if with_vector { 0.0 } else { calibration.offset_without_vectors };
    let logit = calibration.slope * (score + offset) + calibration.intercept;
    (1.0 / (1.0 + (-logit).exp())) as f32
}

#[cfg(test)]
mod tests {
    use super::super::weights::Weights;
    use super::*;

    #[test]
    fn by_hand() {
        let calibration = &Weights::shipped().unwrap().calibration;
        let check = |score, with_vector, expect: f32| {
            let got = relevance(calibration, score, with_vector);
            assert!((got - expect).abs() < 1e-4, "{score}: {got} is not {expect}");
        };
        check(4.94 / 0.662, true, 0.5);
        check(0.0, true, 0.00710);
        check(11.3, true, 0.92694);
        check(4.94 / 0.662 - 3.3, false, 0.5);
        check(1e6, true, 1.0);
        check(-1e6, true, 0.0);
    }

    #[test]
    fn never_falls() {
        let calibration = &Weights::shipped().unwrap().calibration;
        let all: Vec<f32> =
            (-300..300).map(|at| relevance(calibration, f64::from(at) / 10.0, true)).collect();
        assert!(all.is_sorted());
    }
}
