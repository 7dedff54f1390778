//! The f32 operations of every kernel except attention, and the rounding to bytes. They are plain
//! loops, inlined into each kernel and compiled there for its instructions. `FUSED` is true if a
//! multiply-add is one instruction. Results differ between kernels only because of this, and only
//! by rounding. The module contains no `unsafe` code and does not select a processor.

use super::QuantisedRows;
use crate::layout::HIDDEN;
use crate::weights::Norm;

/// The number of values processed together.
pub(super) const LANES: usize = 16;
/// A lower bound of the variance, so that a constant row causes no division by zero; the value of
/// the original model.
const EPSILON: f32 = 1e-12;
/// A constant that, when added and subtracted, rounds to the nearest integer, ties to even. Between
/// the two steps the integer is in the low bits.
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

/// Rounds each row to bytes over its own range, which always includes zero. The zero point is the
/// byte of zero.
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
            // The low byte of the sum with the rounder is the number, which is within 0 … 255 here.
            *byte = (rounded + ROUNDER).to_bits() as u8;
        }
        rows.scales.push(scale);
        rows.zeros.push(zero as i32);
    }
}

/// Returns the minimum and maximum of the values and zero. It uses several lanes for each, so that
/// no comparison depends on the previous one.
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

/// See `Kernels::add_and_normalise`. The sums are computed without writing, so that each loop is
/// vectorised.
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

/// Approximates the error function as 1 − 2^P(|x|) with the sign of x, with an error of at most
/// 2e-7. P is the polynomial closest to log₂(1 − erf) on 0 … 4, where each point is weighted by its
/// effect on the result; beyond 4 the result is 1. Unlike the common approximations, it needs no
/// division.
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

/// Computes e^x for x ≤ 0 (and slightly above); below −80 the result is e^−80.
#[inline(always)]
fn exp<const FUSED: bool>(x: f32) -> f32 {
    let x = if x < -80.0 { -80.0 } else { x };
    power_of_two::<FUSED>(x * std::f32::consts::LOG2_E)
}

/// Computes 2^x for −126 < x < 127, with an error of at most 2e-7.
#[inline(always)]
fn power_of_two<const FUSED: bool>(x: f32) -> f32 {
    let shifted = x + ROUNDER;
    let rest = x - (shifted - ROUNDER);
    let mut series = multiply_add::<FUSED>(rest, 1.326_473_5e-3, 9.671_514e-3);
    series = multiply_add::<FUSED>(series, rest, 5.550_733_6e-2);
    series = multiply_add::<FUSED>(series, rest, 0.240_222_42);
    series = multiply_add::<FUSED>(series, rest, std::f32::consts::LN_2);
    series = multiply_add::<FUSED>(series, rest, 1.0);
    // The low bits of `shifted` are the integer part of the exponent; shifted left, they add to the
    // exponent bits.
    f32::from_bits(series.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// Replaces the first `tokens` scores by their exponentials, scaled so that the largest is 1. The
/// following ones become at most e^−80. Returns the factor by which they must be multiplied to add
/// up to 1.
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
