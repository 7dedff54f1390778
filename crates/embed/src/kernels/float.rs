//! The f32 half of every kernel except attention, and the rounding to bytes: written once in plain loops, inlined into each
//! kernel and compiled there for its instructions. `FUSED` says whether a multiply-add is one instruction; only then do
//! results differ between kernels, by rounding. No `unsafe`, no choice of processor.

use super::QuantisedRows;
use crate::layout::HIDDEN;
use crate::weights::Norm;

/// Numbers worked on side by side.
pub(super) const LANES: usize = 16;
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
        let (low, high) = range(row);
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

/// The least and the greatest of the values and zero. Several lanes of each, so that no comparison waits for the last.
#[inline(always)]
fn range(row: &[f32]) -> (f32, f32) {
    const WIDE: usize = 2 * LANES;
    let (mut low, mut high) = ([0.0_f32; WIDE], [0.0_f32; WIDE]);
    let (wide, rest) = row.as_chunks::<WIDE>();
    for values in wide {
        for lane in 0..WIDE {
            low[lane] = if values[lane] < low[lane] { values[lane] } else { low[lane] };
            high[lane] = if values[lane] > high[lane] { values[lane] } else { high[lane] };
        }
    }
    let (low, high) = (low.iter().chain(rest), high.iter().chain(rest));
    (
        low.fold(0.0, |found, value| if *value < found { *value } else { found }),
        high.fold(0.0, |found, value| if *value > found { *value } else { found }),
    )
}

/// See `Kernels::add_and_normalise`. The sums are made without writing, which keeps each loop one plain vector loop.
#[inline(always)]
pub(super) fn add_and_normalise<const FUSED: bool>(rows: &mut [f32], other: &[f32], norm: &Norm<'_>) {
    for (row, other) in rows.chunks_exact_mut(HIDDEN).zip(other.chunks_exact(HIDDEN)) {
        for (value, other) in row.iter_mut().zip(other) {
            *value += other;
        }
        let mut total = [0.0; LANES];
        for values in row.as_chunks::<LANES>().0 {
            for lane in 0..LANES {
                total[lane] += values[lane];
            }
        }
        let mean = sum(&total) / HIDDEN as f32;
        let mut squares = [0.0; LANES];
        for values in row.as_chunks::<LANES>().0 {
            for lane in 0..LANES {
                let centred = values[lane] - mean;
                squares[lane] = multiply_add::<FUSED>(centred, centred, squares[lane]);
            }
        }
        let factor = 1.0 / (sum(&squares) / HIDDEN as f32 + EPSILON).sqrt();
        for ((value, gain), shift) in row.iter_mut().zip(norm.gains).zip(norm.shifts) {
            *value = multiply_add::<FUSED>((*value - mean) * factor, *gain, *shift);
        }
    }
}

/// See `Kernels::gelu`.
#[inline(always)]
pub(super) fn gelu<const FUSED: bool>(values: &mut [f32]) {
    for value in values {
        let half = 0.5 * *value;
        let error = error_function::<FUSED>(*value * std::f32::consts::FRAC_1_SQRT_2);
        *value = multiply_add::<FUSED>(half, error, half);
    }
}

/// 1 − 2^P(|x|) with the sign of x, within 2e-7 everywhere. P is the polynomial nearest to log₂(1 − erf) on 0 … 4, each
/// point weighed by what an error there does to the result; beyond 4 the result is 1. No division, unlike the usual ones.
#[inline(always)]
fn error_function<const FUSED: bool>(x: f32) -> f32 {
    let size = x.abs();
    let size = if size > 4.0 { 4.0 } else { size };
    let mut series = multiply_add::<FUSED>(size, 1.002_086_9e-4, -4.615_000_8e-4);
    series = multiply_add::<FUSED>(series, size, -2.302_399_8e-3);
    series = multiply_add::<FUSED>(series, size, 2.945_268_5e-2);
    series = multiply_add::<FUSED>(series, size, -0.148_963_75);
    series = multiply_add::<FUSED>(series, size, -0.918_328_64);
    series = multiply_add::<FUSED>(series, size, -1.627_913_7);
    (1.0 - power_of_two::<FUSED>(series * size)).copysign(x)
}

/// e^x for x ≤ 0 (and a little above); below −80 it stays at e^−80.
#[inline(always)]
fn exp<const FUSED: bool>(x: f32) -> f32 {
    let x = if x < -80.0 { -80.0 } else { x };
    power_of_two::<FUSED>(x * std::f32::consts::LOG2_E)
}

/// 2^x for −126 < x < 127, within 2e-7 of its value.
#[inline(always)]
fn power_of_two<const FUSED: bool>(x: f32) -> f32 {
    let shifted = x + ROUNDER;
    let rest = x - (shifted - ROUNDER);
    let mut series = multiply_add::<FUSED>(rest, 1.326_473_5e-3, 9.671_514e-3);
    series = multiply_add::<FUSED>(series, rest, 5.550_733_6e-2);
    series = multiply_add::<FUSED>(series, rest, 0.240_222_42);
    series = multiply_add::<FUSED>(series, rest, std::f32::consts::LN_2);
    series = multiply_add::<FUSED>(series, rest, 1.0);
    // The low bits of `shifted` are the power of two: moved up, they add to the exponent.
    f32::from_bits(series.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// Powers of e of the first `tokens` scores, the largest being 1; those after become next to nothing, e^−80 at most. Gives
/// back what they are to be multiplied by to add up to 1.
#[inline(always)]
pub(super) fn soften<const FUSED: bool>(scores: &mut [f32], tokens: usize) -> f32 {
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
    1.0 / sum(&total)
}
