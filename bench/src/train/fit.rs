//! The loss of the fit and its minimum: one gold turn against all turns that are not gold, sets
//! weighted by their shares, L2, Newton from 0. It is deterministic.

use loci_engine::retrieval::signals::SIGNAL_COUNT;

use super::examples::Example;

/// The weight of the squares.
const L2: f64 = 2e-4;
/// The maximum number of steps of Newton's method.
const STEPS_MAX: usize = 8;
/// The minimum gain. A step with a smaller gain is the last one.
const GAIN_MIN: f64 = 1e-10;
/// The maximum number of times that a step without a gain is halved.
const HALVINGS_MAX: usize = 12;

/// One number per signal.
pub(super) type Point = [f64; SIGNAL_COUNT];
type Matrix = [[f64; SIGNAL_COUNT]; SIGNAL_COUNT];

/// A question with its share of the sum.
type Weighed<'a> = (f64, &'a Example);

/// Returns the mean loss of a question over its gold, or `None` without known gold.
pub(super) fn loss(example: &Example, weights: &Point) -> Option<f64> {
    let scores = example.scores(weights);
    let is_gold = gold_rows(example);
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let rest: f64 =
        scores.iter().zip(&is_gold).filter(|(_, gold)| !**gold).map(|(score, _)| (score - most).exp()).sum();
    let of = |row: &usize| {
        let own = scores.get(*row).copied().unwrap_or_default() - most;
        (own.exp() + rest).ln() - own
    };
    let losses: Vec<f64> = example.gold.iter().map(of).collect();
    (!losses.is_empty()).then(|| losses.iter().sum::<f64>() / losses.len() as f64)
}

fn gold_rows(example: &Example) -> Vec<bool> {
    let mut is_gold = vec![false; example.values.len()];
    for row in &example.gold {
        if let Some(slot) = is_gold.get_mut(*row) {
            *slot = true;
        }
    }
    is_gold
}

/// Returns the weights that minimise the loss over `examples`. Signals that are not `free` keep the
/// value of `fixed`.
pub(super) fn fit(
    examples: &[&Example],
    shares: &[f64],
    free: &[bool; SIGNAL_COUNT],
    fixed: &Point,
) -> Point {
    let weighed = weighed(examples, shares);
    let mut point = *fixed;
    for (value, free) in point.iter_mut().zip(free) {
        if *free {
            *value = 0.0;
        }
    }
    let mut at = objective(&weighed, &point, free);
    for _ in 0..STEPS_MAX {
        let (gradient, hessian) = slopes(&weighed, &point, free);
        let step = solve(hessian, gradient, free);
        let mut share = 1.0;
        let mut better = None;
        for _ in 0..HALVINGS_MAX {
            let next: Point = std::array::from_fn(|i| point[i] - share * step[i]);
            let value = objective(&weighed, &next, free);
            if value < at {
                better = Some((next, value));
                break;
            }
            share /= 2.0;
        }
        let Some((next, value)) = better else { break };
        let gain = at - value;
        (point, at) = (next, value);
        if gain < GAIN_MIN {
            break;
        }
    }
    point
}

/// Weights each set by its share, and the questions of a set equally.
fn weighed<'a>(examples: &[&'a Example], shares: &[f64]) -> Vec<Weighed<'a>> {
    let share = |example: &Example| shares.get(example.set).copied().unwrap_or_default();
    let of_use = |example: &&&Example| example.counts() && !example.gold.is_empty() && share(example) > 0.0;
    let used: Vec<&Example> = examples.iter().filter(of_use).copied().collect();
    let mut sizes = std::collections::BTreeMap::<usize, usize>::new();
    for example in &used {
        *sizes.entry(example.set).or_default() += 1;
    }
    let size = |example: &Example| sizes.get(&example.set).copied().unwrap_or(1) as f64;
    used.into_iter().map(|example| (share(example) / size(example), example)).collect()
}

fn objective(weighed: &[Weighed<'_>], point: &Point, free: &[bool; SIGNAL_COUNT]) -> f64 {
    let losses: f64 = weighed.iter().filter_map(|(share, example)| Some(share * loss(example, point)?)).sum();
    let squares: f64 =
        point.iter().zip(free).filter(|(_, free)| **free).map(|(value, _)| value * value).sum();
    losses + L2 * squares
}

/// Returns the gradient and the second derivatives. For one gold turn g against the others, let μ
/// and C be their mean and covariance under their softmax, and q their share relative to g. The
/// gradient is q(μ − g), and the second derivatives are q·C + q(1 − q)(μ − g)(μ − g)ᵀ.
fn slopes(weighed: &[Weighed<'_>], point: &Point, free: &[bool; SIGNAL_COUNT]) -> (Point, Matrix) {
    let mut gradient = [0.0; SIGNAL_COUNT];
    let mut hessian = [[0.0; SIGNAL_COUNT]; SIGNAL_COUNT];
    for (share, example) in weighed {
        let others = SoftmaxTurns::new(example, point);
        let each = share / example.gold.len() as f64;
        let mut spread = 0.0;
        for row in example.gold.iter().filter_map(|row| example.values.get(*row).zip(others.scores.get(*row)))
        {
            let (values, score) = row;
            let q = 1.0 / (1.0 + (score - others.log_sum).exp());
            let away: Point = std::array::from_fn(|i| others.mean[i] - f64::from(values[i]));
            for (slope, away) in gradient.iter_mut().zip(&away) {
                *slope += each * q * away;
            }
            add_product(&mut hessian, each * q * (1.0 - q), &away, &away);
            spread += each * q;
        }
        for (row, others) in hessian.iter_mut().zip(&others.covariance) {
            for (value, covariance) in row.iter_mut().zip(others) {
                *value += spread * covariance;
            }
        }
    }
    for i in (0..SIGNAL_COUNT).filter(|i| free[*i]) {
        gradient[i] += 2.0 * L2 * point[i];
        hessian[i][i] += 2.0 * L2;
    }
    (gradient, hessian)
}

/// The turns that are not gold, under their softmax.
struct SoftmaxTurns {
    scores: Vec<f64>,
    /// The logarithm of the sum of their exponentials.
    log_sum: f64,
    mean: Point,
    covariance: Matrix,
}

impl SoftmaxTurns {
    fn new(example: &Example, point: &Point) -> Self {
        let scores = example.scores(point);
        let is_gold = gold_rows(example);
        let others = || scores.iter().zip(&is_gold).filter(|(_, gold)| !**gold).map(|(score, _)| *score);
        let most = others().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = others().map(|score| (score - most).exp()).sum();
        let mut mean = [0.0; SIGNAL_COUNT];
        let mut moments = [[0.0; SIGNAL_COUNT]; SIGNAL_COUNT];
        let rows = example.values.iter().zip(&scores).zip(&is_gold).filter(|(_, gold)| !**gold);
        for ((values, score), _) in rows {
            let p = (score - most).exp() / sum;
            if p < 1e-12 {
                continue;
            }
            let values: Point = values.map(f64::from);
            for (mean, value) in mean.iter_mut().zip(&values) {
                *mean += p * value;
            }
            add_product(&mut moments, p, &values, &values);
        }
        add_product(&mut moments, -1.0, &mean, &mean);
        Self { scores, log_sum: most + sum.ln(), mean, covariance: moments }
    }
}

/// Adds `share · left · rightᵀ`.
fn add_product(matrix: &mut Matrix, share: f64, left: &Point, right: &Point) {
    for (row, left) in matrix.iter_mut().zip(left) {
        let left = share * left;
        for (value, right) in row.iter_mut().zip(right) {
            *value += left * right;
        }
    }
}

/// Returns the Newton step: hessian⁻¹ · gradient among the free signals, by Gaussian elimination
/// with the greatest pivot.
fn solve(mut hessian: Matrix, mut gradient: Point, free: &[bool; SIGNAL_COUNT]) -> Point {
    for i in (0..SIGNAL_COUNT).filter(|i| !free[*i]) {
        gradient[i] = 0.0;
        hessian[i] = [0.0; SIGNAL_COUNT];
        for row in &mut hessian {
            row[i] = 0.0;
        }
        hessian[i][i] = 1.0;
    }
    for column in 0..SIGNAL_COUNT {
        let pivot = (column..SIGNAL_COUNT)
            .max_by(|a, b| hessian[*a][column].abs().total_cmp(&hessian[*b][column].abs()))
            .unwrap_or(column);
        hessian.swap(column, pivot);
        gradient.swap(column, pivot);
        let top = hessian[column];
        for row in column + 1..SIGNAL_COUNT {
            let factor = hessian[row][column] / top[column];
            for (value, above) in hessian[row].iter_mut().zip(&top).skip(column) {
                *value -= factor * above;
            }
            gradient[row] -= factor * gradient[column];
        }
    }
    let mut step = [0.0; SIGNAL_COUNT];
    for row in (0..SIGNAL_COUNT).rev() {
        let known: f64 = (row + 1..SIGNAL_COUNT).map(|j| hessian[row][j] * step[j]).sum();
        step[row] = (gradient[row] - known) / hessian[row][row];
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeded_random::Seeded;

    fn examples() -> Vec<Example> {
        let mut random = Seeded::new(7);
        let mut number = || (random.below(2001) as f32 - 1000.0) / 1000.0;
        let example = |at: usize| {
            let values = (0..20).map(|_| std::array::from_fn(|_| number())).collect();
            Example::bare(at % 2, values, vec![0, at % 5 + 1])
        };
        (0..30).map(example).collect()
    }

    #[test]
    fn slopes_are_those_of_the_objective() {
        let examples = examples();
        let weighed = weighed(&examples.iter().collect::<Vec<_>>(), &[0.5, 0.5]);
        let free = [true; SIGNAL_COUNT];
        let point: Point = std::array::from_fn(|at| at as f64 / 10.0 - 0.8);
        let (gradient, hessian) = slopes(&weighed, &point, &free);
        let moved = |at: usize, by: f64| {
            let mut moved = point;
            moved[at] += by;
            moved
        };
        let step = 1e-4;
        for at in 0..SIGNAL_COUNT {
            let rise =
                objective(&weighed, &moved(at, step), &free) - objective(&weighed, &moved(at, -step), &free);
            assert!((rise / (2.0 * step) - gradient[at]).abs() < 1e-6, "{at}");
            let (above, _) = slopes(&weighed, &moved(at, step), &free);
            let (below, _) = slopes(&weighed, &moved(at, -step), &free);
            for (other, slopes) in hessian[at].iter().enumerate() {
                let rise = (above[other] - below[other]) / (2.0 * step);
                assert!((rise - slopes).abs() < 1e-5, "{at} {other}: {rise} {slopes}");
            }
        }
    }

    #[test]
    fn the_minimum_is_flat_and_what_is_fixed_stays() {
        let examples = examples();
        let examples: Vec<&Example> = examples.iter().collect();
        let mut free = [true; SIGNAL_COUNT];
        free[3] = false;
        let mut fixed = [0.0; SIGNAL_COUNT];
        fixed[3] = 1.5;
        let point = fit(&examples, &[0.5, 0.5], &free, &fixed);
        assert_eq!(point[3], 1.5);
        let (gradient, _) = slopes(&weighed(&examples, &[0.5, 0.5]), &point, &free);
        for (at, slope) in gradient.iter().enumerate().filter(|(at, _)| free[*at]) {
            assert!(slope.abs() < 1e-5, "{at}: {slope}");
        }
    }

    #[test]
    fn other_gold_is_left_out_of_the_loss() {
        let mut values = vec![[0.0; SIGNAL_COUNT]; 3];
        values[1][0] = 50.0;
        let mut weights = [0.0; SIGNAL_COUNT];
        weights[0] = 1.0;
        // The second gold turn has a far higher score than the first, but does not compete with it.
        let example = Example::bare(0, values, vec![0, 1]);
        let expect = (2.0f64.ln() + 0.0) / 2.0;
        assert!((loss(&example, &weights).unwrap() - expect).abs() < 1e-9);
        assert_eq!(loss(&Example::bare(0, vec![[0.0; SIGNAL_COUNT]], Vec::new()), &weights), None);
    }
}
