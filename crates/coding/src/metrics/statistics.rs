//! Shares and means with confidence intervals: Wilson's interval for shares, a bootstrap for means.
//! Pure. Equal numbers have equal intervals, because the bootstrap's generator has a fixed seed and
//! the number of values.

use loci_api::coding::metrics::Measure;
use loci_model::tasks::exposure::rounded;

/// The quantile for 95 %.
const Z: f64 = 1.959_963_984_540_054;
/// The number of bootstrap samples.
const SAMPLES: usize = 1_000;
/// The maximum number of sampled values. Further values are ignored.
const VALUES_MAX: usize = 2_000;
/// The seed of the generator.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns a share with its interval.
pub(super) fn share(hits: u32, of: u32) -> Measure {
    if of == 0 {
        return Measure::default();
    }
    let (n, p) = (f64::from(of), f64::from(hits) / f64::from(of));
    let scale = 1.0 + Z * Z / n;
    let middle = (p + Z * Z / (2.0 * n)) / scale;
    let half = Z / scale * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    Measure {
        n: of,
        value: Some(rounded(p)),
        ci95: Some([rounded((middle - half).max(0.0)), rounded((middle + half).min(1.0))]),
    }
}

/// Returns a mean with its interval.
pub(super) fn mean(values: &[f64]) -> Measure {
    let values = values.get(..values.len().min(VALUES_MAX)).unwrap_or(values);
    let Some(value) = average(values.iter().copied(), values.len()) else { return Measure::default() };
    let mut dice = Dice(SEED ^ values.len() as u64);
    let mut means: Vec<f64> = (0..SAMPLES)
        .filter_map(|_| {
            let sample = (0..values.len()).filter_map(|_| values.get(dice.below(values.len())).copied());
            average(sample, values.len())
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let at =
        |share: usize| means.get((means.len() * share / 1_000).min(means.len().saturating_sub(1))).copied();
    let ci95 = at(25).zip(at(975)).map(|(from, to)| [rounded(from), rounded(to)]);
    Measure { n: u32::try_from(values.len()).unwrap_or(u32::MAX), value: Some(rounded(value)), ci95 }
}

fn average(values: impl Iterator<Item = f64>, count: usize) -> Option<f64> {
    (count > 0).then(|| values.sum::<f64>() / count as f64)
}

/// A pseudo-random number generator. Its numbers need not be unpredictable.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end.max(1) as u64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expect: f64) {
        assert!((found - expect).abs() < 0.005, "{found} {expect}");
    }

    #[test]
    fn a98_shares_have_wilsons_interval() {
        for (hits, of, low, high) in
            [(0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0), (5, 10, 0.237, 0.763), (100, 120, 0.756, 0.889)]
        {
            let found = share(hits, of);
            let [from, to] = found.ci95.unwrap();
            near(found.value.unwrap(), f64::from(hits) / f64::from(of));
            near(from, low);
            near(to, high);
        }
        assert_eq!(share(0, 0), Measure::default());
    }

    #[test]
    fn a98_means_have_the_same_interval_each_time() {
        assert_eq!(mean(&[]), Measure::default());
        let one = mean(&[2.0]);
        assert_eq!((one.value, one.ci95), (Some(2.0), Some([2.0, 2.0])));
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        let found = mean(&values);
        assert_eq!(found, mean(&values));
        let [from, to] = found.ci95.unwrap();
        // The textbook's interval is 49.5 ± 5.7.
        assert!((42.0..46.0).contains(&from) && (53.0..57.0).contains(&to), "{found:?}");
    }
}
