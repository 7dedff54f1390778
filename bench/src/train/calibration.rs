//! Fits the calibration from sums to relevances: slope and intercept by logistic regression of
//! held-out sums. Gold weighs against all other candidates at odds of 1 : 3, and all sets have the
//! same weight. A table shows the quality of the result.

use loci_engine::retrieval::signals::SIGNALS;
use loci_engine::retrieval::weights::Calibration;
use serde_json::{Value, json};

use super::examples::Example;
use super::fit::Point;
use super::folds::Folds;

/// The gold's share of the weights of the regression: odds of 1 : 3 (decision 0036).
const GOLD_SHARE: f64 = 0.25;
const STEPS: usize = 50;
/// Signals that a request without vectors lacks.
pub(super) const OF_VECTORS: [&str; 3] = ["dense", "dense_window", "answer"];

/// A held-out sum.
struct HeldOutSum {
    set: usize,
    score: f64,
    gold: bool,
    /// The part of the sum that needs vectors.
    dense: f64,
}

/// The fitted calibration, and its table.
pub(super) struct Calibrated {
    pub(super) calibration: Calibration,
    /// The table, by set.
    pub(super) table: Vec<Value>,
}

/// Fits on the candidates of the questions that count.
pub(super) fn calibrate(examples: &[&Example], folds: &Folds, sets: usize) -> Calibrated {
    let held = all_held(examples.iter().copied(), folds);
    let (slope, intercept) = regress(&held, sets);
    let mut dense: Vec<f64> = held.iter().filter(|held| held.gold).map(|held| held.dense).collect();
    let offset_without_vectors = (quantile(&mut dense, 0.5) * 10.0).round() / 10.0;
    let round = |value: f64| (value * 1000.0).round() / 1000.0;
    let calibration =
        Calibration { slope: round(slope), intercept: round(intercept), offset_without_vectors };
    let table = (0..sets).map(|set| table(&held, set, &calibration)).collect();
    Calibrated { calibration, table }
}

/// Returns the table of a set for a calibration that was fitted on others.
pub(super) fn worth<'a>(
    examples: impl Iterator<Item = &'a Example>,
    folds: &Folds,
    set: usize,
    calibration: &Calibration,
) -> Value {
    table(&all_held(examples, folds), set, calibration)
}

fn all_held<'a>(examples: impl Iterator<Item = &'a Example>, folds: &Folds) -> Vec<HeldOutSum> {
    examples.filter(|example| example.counts()).flat_map(|example| held(example, folds)).collect()
}

fn held(example: &Example, folds: &Folds) -> Vec<HeldOutSum> {
    let weights: &Point = folds.weights(example);
    let of = |row: usize| {
        let values = example.values.get(row)?;
        example.candidate.get(row).filter(|(all, _)| *all)?;
        let products = SIGNALS
            .iter()
            .zip(weights)
            .zip(values)
            .map(|((signal, weight), value)| (signal.name, weight * f64::from(*value)));
        let (mut score, mut dense) = (0.0, 0.0);
        for (name, product) in products {
            score += product;
            dense += if OF_VECTORS.contains(&name) { product } else { 0.0 };
        }
        Some(HeldOutSum { set: example.set, score, gold: example.gold.contains(&row), dense })
    };
    (0..example.values.len()).filter_map(of).collect()
}

/// Runs Newton's method for two parameters. The gold of a set has a quarter of its weight, the
/// other candidates the rest.
fn regress(held: &[HeldOutSum], sets: usize) -> (f64, f64) {
    let mut counts = vec![(0usize, 0usize); sets];
    for held in held {
        if let Some((gold, other)) = counts.get_mut(held.set) {
            *(if held.gold { gold } else { other }) += 1;
        }
    }
    let weight = |held: &HeldOutSum| {
        let (gold, other) = counts.get(held.set).copied().unwrap_or_default();
        if held.gold { GOLD_SHARE / gold.max(1) as f64 } else { (1.0 - GOLD_SHARE) / other.max(1) as f64 }
    };
    let (mut slope, mut intercept) = (0.0, 0.0);
    for _ in 0..STEPS {
        let (mut g, mut h) = ([0.0; 2], [0.0; 3]);
        for one in held {
            let weight = weight(one);
            let p = 1.0 / (1.0 + (-(slope * one.score + intercept)).exp());
            let error = weight * (p - f64::from(u8::from(one.gold)));
            let spread = weight * p * (1.0 - p);
            g = [g[0] + error * one.score, g[1] + error];
            h = [h[0] + spread * one.score * one.score, h[1] + spread * one.score, h[2] + spread];
        }
        let determinant = h[0] * h[2] - h[1] * h[1];
        if determinant.abs() < 1e-300 {
            break;
        }
        let step = [(h[2] * g[0] - h[1] * g[1]) / determinant, (h[0] * g[1] - h[1] * g[0]) / determinant];
        (slope, intercept) = (slope - step[0], intercept - step[1]);
        if step[0].abs().max(step[1].abs()) < 1e-10 {
            break;
        }
    }
    (slope, intercept)
}

fn table(held: &[HeldOutSum], set: usize, calibration: &Calibration) -> Value {
    let relevance =
        |held: &HeldOutSum| 1.0 / (1.0 + (-(calibration.slope * held.score + calibration.intercept)).exp());
    let of = |gold: bool| -> Vec<f64> {
        held.iter().filter(|held| held.set == set && held.gold == gold).map(relevance).collect()
    };
    let (mut gold, mut other) = (of(true), of(false));
    let share = |values: &[f64], test: &dyn Fn(f64) -> bool| {
        values.iter().filter(|value| test(**value)).count() as f64 / values.len().max(1) as f64
    };
    let high = |value: f64| value >= 0.8;
    let (gold_high, other_high) =
        (share(&gold, &high) * gold.len() as f64, share(&other, &high) * other.len() as f64);
    let gold_half = share(&gold, &|value| value >= 0.5);
    let other_low = share(&other, &|value| value < 0.2);
    let gold_quantiles = [0.1, 0.25, 0.5, 0.75, 0.9].map(|q| quantile(&mut gold, q));
    let other_quantiles = [0.5, 0.9, 0.95, 0.99].map(|q| quantile(&mut other, q));
    json!({
        "gold_quantiles_10_25_50_75_90": gold_quantiles,
        "gold_from_0.5": gold_half,
        "other_quantiles_50_90_95_99": other_quantiles,
        "other_below_0.2": other_low,
        "gold_among_those_from_0.8": gold_high / (gold_high + other_high).max(1.0),
    })
}

fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (share * values.len().saturating_sub(1) as f64).round() as usize;
    values.get(at).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_by_hand() {
        // Gold at 1 twice and at 0 once, others at 0 twice and at 1 once. At odds of 1 : 3 the
        // logit at 1 is ln((2/3·0.25)/(1/3·0.75)) and at 0 ln((1/3·0.25)/(2/3·0.75)).
        let held = [(1.0, true), (1.0, true), (0.0, true), (0.0, false), (0.0, false), (1.0, false)]
            .map(|(score, gold)| HeldOutSum { set: 0, score, gold, dense: 0.0 });
        let (slope, intercept) = regress(&held, 1);
        assert!((intercept - (1.0f64 / 6.0).ln()).abs() < 1e-6, "{intercept}");
        assert!((slope + intercept - (2.0f64 / 3.0).ln()).abs() < 1e-6, "{slope}");
    }
}
