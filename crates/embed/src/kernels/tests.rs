//! Compares every kernel with the portable one: integers bit for bit, f32 within rounding.

use proptest::prelude::*;

use super::*;
use crate::layout::{BLOCK, FEED, HIDDEN};

/// A matrix in the file's order, generated from a seed.
struct OwnMatrix {
    inputs: usize,
    outputs: usize,
    weights: Vec<i8>,
    scales: Vec<f32>,
    bias: Vec<f32>,
    sums: Vec<i32>,
}

/// Returns numbers from −1 to 1, reproducible for a seed.
fn noise(seed: u64, count: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

impl OwnMatrix {
    fn new(seed: u64, inputs: usize, outputs: usize, plain: bool) -> OwnMatrix {
        let weights: Vec<i8> =
            noise(seed, inputs * outputs).iter().map(|value| (value * 127.9) as i8).collect();
        let sums = weights.chunks(inputs * BLOCK).flat_map(|block| {
            (0..BLOCK).map(|output| {
                block
                    .chunks(BLOCK * 4)
                    .flat_map(|group| &group[output * 4..][..4])
                    .map(|w| i32::from(*w))
                    .sum()
            })
        });
        let (scales, bias) = if plain {
            (vec![1.0; outputs], vec![0.0; outputs])
        } else {
            (noise(seed + 1, outputs), noise(seed + 2, outputs))
        };
        OwnMatrix { inputs, outputs, sums: sums.collect(), weights, scales, bias }
    }

    fn view(&self) -> Matrix<'_> {
        let OwnMatrix { inputs, outputs, weights, scales, bias, sums } = self;
        Matrix { inputs: *inputs, outputs: *outputs, weights, scales, bias, sums }
    }
}

fn quantised(kernels: &dyn Kernels, input: &[f32], inputs: usize) -> QuantisedRows {
    let mut rows = QuantisedRows::default();
    kernels.quantise(input, inputs, &mut rows);
    rows
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn assert_close(kernels: &dyn Kernels, found: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let allowed = tolerance * expected.abs().max(1.0);
        assert!((found - expected).abs() <= allowed, "{}: {found} is not {expected}", kernels.name());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn products_are_equal_bit_for_bit(
        seed in 0_u64..1 << 40, rows in 1_usize..23, groups in 4_usize..40, blocks in 1_usize..4,
        spread in 0.001_f32..50.0, shift in -2.0_f32..2.0, plain: bool,
    ) {
        let inputs = groups * 16;
        let matrix = OwnMatrix::new(seed, inputs, blocks * 32, plain);
        let values = noise(seed + 7, rows * inputs);
        let input: Vec<f32> = values.iter().map(|value| (value + shift) * spread).collect();
        let portable = quantised(&portable::Portable, &input, inputs);
        let mut expected = vec![0.0; rows * matrix.outputs];
        portable::Portable.multiply(&portable, &matrix.view(), &mut expected);
        for kernels in all() {
            let own = quantised(kernels, &input, inputs);
            prop_assert_eq!(&own.bytes, &portable.bytes);
            prop_assert_eq!(&own.zeros, &portable.zeros);
            prop_assert_eq!(bits(&own.scales), bits(&portable.scales));
            let mut found = vec![0.0; expected.len()];
            kernels.multiply(&own, &matrix.view(), &mut found);
            prop_assert_eq!(bits(&found), bits(&expected), "{}", kernels.name());
        }
    }

    #[test]
    fn the_float_half_differs_by_rounding_only(
        seed in 0_u64..1 << 40, tokens in 1_usize..40, spread in 0.01_f32..8.0
    ) {
        let scaled = |seed: u64, count: usize| -> Vec<f32> {
            noise(seed, count).iter().map(|value| value * spread).collect()
        };
        let (rows, other) = (scaled(seed, tokens * HIDDEN), scaled(seed + 1, tokens * HIDDEN));
        let (gains, shifts) = (noise(seed + 2, HIDDEN), noise(seed + 3, HIDDEN));
        let attention = scaled(seed + 4, tokens * 3 * HIDDEN);
        let results = |kernels: &dyn Kernels| {
            let (mut normal, mut gelu) = (rows.clone(), other.clone());
            let mut joined = vec![0.0; tokens * HIDDEN];
            kernels.add_and_normalise(&mut normal, &other, &Norm { gains: &gains, shifts: &shifts });
            kernels.gelu(&mut gelu);
            kernels.attend(&attention, &mut joined, &mut AttentionScratch::default());
            [normal, gelu, joined]
        };
        let expected = results(&portable::Portable);
        // A score of attention is a sum of products of two values with this spread, and softmax
        // turns its absolute error into a relative one. So the rounding error grows with the square
        // of the spread.
        let tolerance = 2e-4_f32.max(spread * spread * 4e-5);
        for kernels in all() {
            for (found, expected) in results(kernels).iter().zip(&expected) {
                assert_close(kernels, found, expected, tolerance);
            }
        }
    }
}

#[test]
fn the_longest_sums_are_equal_at_the_ends_of_the_range() {
    let ranges = [(0.0, 1.0), (-1.0, 0.0), (-1.0, 1.0), (0.0, 0.0)];
    for ((low, high), weight) in ranges.into_iter().flat_map(|range| [(range, -127), (range, 127)]) {
        let input: Vec<f32> = (0..5 * FEED).map(|index| if index % 3 == 0 { low } else { high }).collect();
        let mut matrix = OwnMatrix::new(3, FEED, 32, true);
        matrix.weights.fill(weight);
        matrix.sums.fill(i32::from(weight) * FEED as i32);
        let mut expected = vec![0.0; 5 * 32];
        let rows = quantised(&portable::Portable, &input, FEED);
        portable::Portable.multiply(&rows, &matrix.view(), &mut expected);
        for kernels in all() {
            let mut found = vec![f32::NAN; 5 * 32];
            kernels.multiply(&quantised(kernels, &input, FEED), &matrix.view(), &mut found);
            assert_eq!(bits(&found), bits(&expected), "{}", kernels.name());
        }
    }
}

#[test]
fn a_quantised_row_is_within_half_a_step_and_ignores_its_neighbours() {
    let input = noise(11, 3 * HIDDEN);
    let rows = quantised(&portable::Portable, &input, HIDDEN);
    for (row, values) in input.chunks(HIDDEN).enumerate() {
        for (byte, value) in rows.bytes[row * HIDDEN..].iter().zip(values) {
            let back = (i32::from(*byte) - rows.zeros[row]) as f32 * rows.scales[row];
            assert!((back - value).abs() <= 1.01 * rows.scales[row], "{back} is not {value}");
        }
        let alone = quantised(&portable::Portable, values, HIDDEN);
        assert_eq!(alone.bytes, rows.bytes[row * HIDDEN..][..HIDDEN]);
    }
}

#[test]
fn gelu_and_softmax_are_those_of_the_definition() {
    // Expected values of x · Φ(x), from tables of the normal distribution.
    let points = [
        (0.0, 0.0),
        (1.0, 0.841_344_7),
        (-1.0, -0.158_655_3),
        (2.0, 1.954_499_7),
        (-3.0, -0.004_049_694),
        (9.0, 9.0),
    ];
    let mut values = [0.0_f32; 16];
    for (value, (x, _)) in values.iter_mut().zip(points) {
        *value = x;
    }
    for kernels in all() {
        let mut found = values;
        kernels.gelu(&mut found);
        let expected: Vec<f32> = points.iter().map(|(_, y)| *y).collect();
        assert_close(kernels, &found[..points.len()], &expected, 1e-6);

        // With equal keys, the result of every token is the mean of the values.
        let mut rows = vec![0.5; 5 * 3 * HIDDEN];
        for (token, row) in rows.chunks_mut(3 * HIDDEN).enumerate() {
            row[2 * HIDDEN..].fill(token as f32);
        }
        let mut joined = vec![f32::NAN; 5 * HIDDEN];
        kernels.attend(&rows, &mut joined, &mut AttentionScratch::default());
        assert_close(kernels, &joined, &vec![2.0; 5 * HIDDEN], 1e-6);
    }
}
