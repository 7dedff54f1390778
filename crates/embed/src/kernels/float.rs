//! The f32 half of every kernel, and the rounding to bytes: written once on arrays of `LANES` numbers, inlined into each
//! kernel and compiled there for its instructions. `FUSED` says whether a multiply-add is one instruction; only then do
//! results differ between kernels, by rounding. No `unsafe`, no choice of processor.

use super::{AttentionScratch, QuantisedRows};
use crate::layout::{HEAD, HIDDEN};
use crate::weights::Norm;

/// Numbers worked on side by side.
pub(super) const LANES: usize = 16;
/// Queries whose scores are made together.
const QUERIES: usize = 4;
/// Keeps the variance of a constant row from dividing by zero; the model's own value.
const EPSILON: f32 = 1e-12;
/// Added and taken off again, it rounds to the nearest integer, ties to even, and leaves it in the low bits between.
const ROUNDER: f32 = 12_582_912.0;

type Lanes = [f32; LANES];

#[inline(always)]
fn multiply_add<const FUSED: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

#[inline(always)]
fn sum(lanes: &Lanes) -> f32 {
    let mut halves: [f32; LANES / 2] = std::array::from_fn(|lane| lanes[lane] + lanes[lane + LANES / 2]);
    let mut width = LANES / 4;
    while width > 0 {
        for lane in 0..width {
            halves[lane] += halves[lane + width];
        }
        width /= 2;
    }
    halves[0]
}

/// Rounds each row to bytes over its own range, which always holds zero: the zero point is what zero becomes.
#[inline(always)]
pub(super) fn quantise(input: &[f32], inputs: usize, rows: &mut QuantisedRows) {
    rows.clear(inputs);
    rows.bytes.resize(input.len(), 0);
    for (row, bytes) in input.chunks_exact(inputs).zip(rows.bytes.chunks_exact_mut(inputs)) {
        let low = extreme(row, |value, low| value < low);
        let high = extreme(row, |value, high| value > high);
        let scale = if high > low { (high - low) / 255.0 } else { 1.0 };
        let steps = 1.0 / scale;
        let zero = (-low * steps + ROUNDER) - ROUNDER;
        for (value, byte) in row.iter().zip(bytes) {
            let rounded = (value * steps + ROUNDER) - ROUNDER + zero;
            let rounded = if rounded > 255.0 { 255.0 } else { rounded };
            let rounded = if rounded > 0.0 { rounded } else { 0.0 };
            // The low byte of the sum with the rounder is the number, which is within 0 … 255 now.
            *byte = (rounded + ROUNDER).to_bits() as u8;
        }
        rows.scales.push(scale);
        rows.zeros.push(zero as i32);
    }
}

/// The value that goes before all others and before zero.
#[inline(always)]
fn extreme(row: &[f32], before: impl Fn(f32, f32) -> bool) -> f32 {
    let mut found = [0.0; LANES];
    for values in row.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            found[lane] = if before(values[lane], found[lane]) { values[lane] } else { found[lane] };
        }
    }
    found.into_iter().fold(0.0, |found, value| if before(value, found) { value } else { found })
}

/// See `Kernels::add_and_normalise`.
#[inline(always)]
pub(super) fn add_and_normalise<const FUSED: bool>(rows: &mut [f32], other: &[f32], norm: &Norm<'_>) {
    let (gains, shifts) = (norm.gains.as_chunks::<LANES>().0, norm.shifts.as_chunks::<LANES>().0);
    for (row, other) in rows.chunks_exact_mut(HIDDEN).zip(other.chunks_exact(HIDDEN)) {
        let row = row.as_chunks_mut::<LANES>().0;
        let mut total = [0.0; LANES];
        for (values, other) in row.iter_mut().zip(other.as_chunks::<LANES>().0) {
            for lane in 0..LANES {
                values[lane] += other[lane];
                total[lane] += values[lane];
            }
        }
        let mean = sum(&total) / HIDDEN as f32;
        let mut squares = [0.0; LANES];
        for values in row.iter_mut() {
            for lane in 0..LANES {
                values[lane] -= mean;
                squares[lane] = multiply_add::<FUSED>(values[lane], values[lane], squares[lane]);
            }
        }
        let factor = 1.0 / (sum(&squares) / HIDDEN as f32 + EPSILON).sqrt();
        for ((values, gains), shifts) in row.iter_mut().zip(gains).zip(shifts) {
            for lane in 0..LANES {
                values[lane] = multiply_add::<FUSED>(values[lane] * factor, gains[lane], shifts[lane]);
            }
        }
    }
}

/// See `Kernels::gelu`. The length is a multiple of `LANES`.
#[inline(always)]
pub(super) fn gelu<const FUSED: bool>(values: &mut [f32]) {
    for values in values.as_chunks_mut::<LANES>().0 {
        for value in values {
            let half = 0.5 * *value;
            *value = multiply_add::<FUSED>(
                half,
                error_function::<FUSED>(*value * std::f32::consts::FRAC_1_SQRT_2),
                half,
            );
        }
    }
}

/// Abramowitz and Stegun, 7.1.26: within 1.5e-7 everywhere.
#[inline(always)]
fn error_function<const FUSED: bool>(x: f32) -> f32 {
    let size = x.abs();
    let t = 1.0 / multiply_add::<FUSED>(0.327_591_1, size, 1.0);
    let mut series = multiply_add::<FUSED>(1.061_405_4, t, -1.453_152);
    series = multiply_add::<FUSED>(series, t, 1.421_413_7);
    series = multiply_add::<FUSED>(series, t, -0.284_496_74);
    series = multiply_add::<FUSED>(series, t, 0.254_829_6);
    let result = 1.0 - series * t * exp::<FUSED>(-size * size);
    result.copysign(x)
}

/// e^x for x ≤ 0 (and a little above), within 3e-7 of its value; below −80 it stays at e^−80.
#[inline(always)]
fn exp<const FUSED: bool>(x: f32) -> f32 {
    let x = if x < -80.0 { -80.0 } else { x };
    let shifted = multiply_add::<FUSED>(x, std::f32::consts::LOG2_E, ROUNDER);
    let powers = shifted - ROUNDER;
    let rest = multiply_add::<FUSED>(powers, -0.693_359_4, x);
    let rest = multiply_add::<FUSED>(powers, 2.121_944_4e-4, rest);
    let mut series = multiply_add::<FUSED>(rest, 1.0 / 720.0, 1.0 / 120.0);
    series = multiply_add::<FUSED>(series, rest, 1.0 / 24.0);
    series = multiply_add::<FUSED>(series, rest, 1.0 / 6.0);
    series = multiply_add::<FUSED>(series, rest, 0.5);
    series = multiply_add::<FUSED>(series, rest, 1.0);
    series = multiply_add::<FUSED>(series, rest, 1.0);
    // The low bits of `shifted` are the power of two: moved up, they add to the exponent.
    f32::from_bits(series.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// See `Kernels::attend`. `SUMMED` queries share one pass over the values: as many as the registers hold.
#[inline(always)]
pub(super) fn attend<const FUSED: bool, const SUMMED: usize>(
    query_key_value: &[f32],
    output: &mut [f32],
    scratch: &mut AttentionScratch,
) {
    let tokens = query_key_value.len() / (3 * HIDDEN);
    let padded = tokens.next_multiple_of(LANES);
    scratch.keys.clear();
    scratch.keys.resize(HEAD * padded, 0.0);
    scratch.values.clear();
    scratch.values.resize(tokens * HEAD, 0.0);
    scratch.scores.clear();
    scratch.scores.resize(QUERIES * padded, 0.0);
    let AttentionScratch { keys, values, scores } = scratch;
    for head in 0..HIDDEN / HEAD {
        for (token, row) in query_key_value.chunks_exact(3 * HIDDEN).enumerate() {
            let part = |index: usize| &row[index * HIDDEN + head * HEAD..][..HEAD];
            values[token * HEAD..][..HEAD].copy_from_slice(part(2));
            for (dimension, key) in part(1).iter().enumerate() {
                keys[dimension * padded + token] = *key;
            }
        }
        for first in (0..tokens).step_by(QUERIES) {
            let rows: [&[f32; HEAD]; QUERIES] = std::array::from_fn(|index| {
                let token = (first + index).min(tokens - 1);
                query_key_value[token * 3 * HIDDEN + head * HEAD..].first_chunk().unwrap_or(&[0.0; HEAD])
            });
            score::<FUSED>(&rows, keys, padded, scores);
            for scores in scores.chunks_exact_mut(padded) {
                soften::<FUSED>(scores, tokens);
            }
            for summed in (0..QUERIES).step_by(SUMMED) {
                let sums =
                    weigh::<FUSED, SUMMED>(&scores[summed * padded..][..SUMMED * padded], padded, values);
                for (index, sums) in sums.iter().enumerate().take(tokens.saturating_sub(first + summed)) {
                    output[(first + summed + index) * HIDDEN + head * HEAD..][..HEAD].copy_from_slice(sums);
                }
            }
        }
    }
}

/// Dot products of `QUERIES` queries with all keys.
#[inline(always)]
fn score<const FUSED: bool>(
    queries: &[&[f32; HEAD]; QUERIES],
    keys: &[f32],
    padded: usize,
    scores: &mut [f32],
) {
    for start in (0..padded).step_by(LANES) {
        let mut sums = [[0.0; LANES]; QUERIES];
        for (dimension, keys) in keys.chunks_exact(padded).enumerate().take(HEAD) {
            let Some(keys) = keys[start..].first_chunk::<LANES>() else { return };
            for (sums, query) in sums.iter_mut().zip(queries) {
                for lane in 0..LANES {
                    sums[lane] = multiply_add::<FUSED>(query[dimension], keys[lane], sums[lane]);
                }
            }
        }
        for (sums, scores) in sums.iter().zip(scores.chunks_exact_mut(padded)) {
            scores[start..start + LANES].copy_from_slice(sums);
        }
    }
}

/// Softmax over the first `tokens` scores; those after become next to nothing, e^−80 at most.
#[inline(always)]
fn soften<const FUSED: bool>(scores: &mut [f32], tokens: usize) {
    scores[tokens..].fill(f32::MIN);
    let mut largest = [f32::MIN; LANES];
    for values in scores.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            largest[lane] = if values[lane] > largest[lane] { values[lane] } else { largest[lane] };
        }
    }
    let largest = largest.iter().copied().fold(f32::MIN, f32::max);
    let mut total = [0.0; LANES];
    for values in scores.as_chunks_mut::<LANES>().0 {
        for lane in 0..LANES {
            values[lane] = exp::<FUSED>(values[lane] - largest);
            total[lane] += values[lane];
        }
    }
    let factor = 1.0 / sum(&total);
    for values in scores.as_chunks_mut::<LANES>().0 {
        for value in values {
            *value *= factor;
        }
    }
}

/// Sums of the values, weighed by the scores of `SUMMED` queries.
#[inline(always)]
fn weigh<const FUSED: bool, const SUMMED: usize>(
    scores: &[f32],
    padded: usize,
    values: &[f32],
) -> [[f32; HEAD]; SUMMED] {
    let mut sums = [[0.0; HEAD]; SUMMED];
    let rows: [&[f32]; SUMMED] = std::array::from_fn(|index| &scores[index * padded..][..padded]);
    for (token, values) in values.as_chunks::<HEAD>().0.iter().enumerate() {
        for (sums, scores) in sums.iter_mut().zip(&rows) {
            for dimension in 0..HEAD {
                sums[dimension] = multiply_add::<FUSED>(scores[token], values[dimension], sums[dimension]);
            }
        }
    }
    sums
}
