//! Kernels for AVX-VNNI: the byte products of `avx512vnni` with registers of half the width, for
//! processors without AVX-512. All other operations are in `avx2`.
#![expect(unsafe_code, reason = "SIMD loads and calls behind a run-time check of the processor")]

use std::arch::x86_64::{
    __m256i, _mm256_add_ps, _mm256_and_si256, _mm256_cvtepi32_ps, _mm256_dpbusd_avx_epi32,
    _mm256_dpwssd_avx_epi32, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_mul_ps, _mm256_or_si256,
    _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_si256, _mm256_slli_epi32, _mm256_srai_epi32,
    _mm256_storeu_ps,
};

use super::avx2::{self, Avx2};
use super::{AttentionScratch, Kernels, QuantisedRows, Tile, tiles};
use crate::layout::{BLOCK, GROUP};
use crate::weights::{Matrix, Norm};

/// The number of rows computed together; with one weight block they use fifteen of the sixteen
/// registers.
const ROWS: usize = 6;

/// Kernels that exist only if the processor has the instructions, because only `detect` creates
/// them.
pub(super) struct AvxVnni(());

impl AvxVnni {
    /// Returns the kernels if this processor supports them.
    pub(super) fn detect() -> Option<&'static AvxVnni> {
        static KERNELS: AvxVnni = AvxVnni(());
        (Avx2::detect().is_some() && is_x86_feature_detected!("avxvnni")).then_some(&KERNELS)
    }
}

impl Kernels for AvxVnni {
    fn name(&self) -> &'static str {
        "avx-vnni"
    }

    fn quantise(&self, input: &[f32], inputs: usize, rows: &mut QuantisedRows) {
        // SAFETY: `detect` has checked the instructions.
        unsafe { avx2::round(input, inputs, rows) }
    }

    fn multiply(&self, rows: &QuantisedRows, matrix: &Matrix<'_>, output: &mut [f32]) {
        // SAFETY: `detect` has checked the instructions.
        unsafe { multiply(rows, matrix, output) }
    }

    fn add_and_normalise(&self, rows: &mut [f32], other: &[f32], norm: &Norm<'_>) {
        // SAFETY: `detect` has checked AVX2 and FMA.
        unsafe { avx2::add_and_normalise(rows, other, norm) }
    }

    fn gelu(&self, values: &mut [f32]) {
        // SAFETY: `detect` has checked AVX2 and FMA.
        unsafe { avx2::gelu(values) }
    }

    fn attend(&self, query_key_value: &[f32], output: &mut [f32], scratch: &mut AttentionScratch) {
        // SAFETY: `detect` has checked AVX2 and FMA.
        unsafe { avx2::attend(query_key_value, output, scratch) }
    }
}

/// Multiplies one weight block by all rows before the next block, so that the block stays in the L1
/// cache.
#[target_feature(enable = "avx2,avxvnni")]
fn multiply(rows: &QuantisedRows, matrix: &Matrix<'_>, output: &mut [f32]) {
    assert_eq!((matrix.inputs % GROUP, matrix.outputs % BLOCK, rows.inputs), (0, 0, matrix.inputs));
    assert!(rows.bytes.len() == rows.len() * rows.inputs && output.len() >= rows.len() * matrix.outputs);
    assert!(matrix.weights.len() == matrix.inputs * matrix.outputs && matrix.sums.len() == matrix.outputs);
    assert!(matrix.scales.len() == matrix.outputs && matrix.bias.len() == matrix.outputs);
    for column in (0..matrix.outputs).step_by(BLOCK) {
        for own in tiles(rows.len(), ROWS) {
            // SAFETY: the lengths are asserted above; the rows of a tile are below `rows.len()`,
            // its columns below `matrix.outputs`.
            unsafe {
                match own.rows {
                    1 => tile::<1>(rows, matrix, output, own, column),
                    2 => tile::<2>(rows, matrix, output, own, column),
                    3 => tile::<3>(rows, matrix, output, own, column),
                    4 => tile::<4>(rows, matrix, output, own, column),
                    5 => tile::<5>(rows, matrix, output, own, column),
                    _ => tile::<ROWS>(rows, matrix, output, own, column),
                }
            }
        }
    }
}

/// Multiplies `HEIGHT` rows by one weight block.
///
/// # Safety
///
/// The lengths are those that `multiply` asserts. The tile has `HEIGHT` rows, which are within
/// them, as is `column + BLOCK`.
#[target_feature(enable = "avx2,avxvnni")]
unsafe fn tile<const HEIGHT: usize>(
    rows: &QuantisedRows,
    matrix: &Matrix<'_>,
    output: &mut [f32],
    own: Tile,
    column: usize,
) {
    let (row, inputs) = (own.first, matrix.inputs);
    let groups = inputs / GROUP;
    let mut sums = [[_mm256_setzero_si256(); 2]; HEIGHT];
    // SAFETY: block `column / BLOCK` starts at `column * inputs` and has `inputs / GROUP` groups of
    // two registers. Row `row + index` has `inputs` bytes, of which this reads four.
    unsafe {
        let weights: *const __m256i = matrix.weights.as_ptr().add(column * inputs).cast();
        let bytes = rows.bytes.as_ptr().add(row * inputs);
        for group in 0..groups {
            own.fetch(weights.cast(), group, groups);
            let low = _mm256_loadu_si256(weights.add(2 * group));
            let high = _mm256_loadu_si256(weights.add(2 * group + 1));
            for (index, sums) in sums.iter_mut().enumerate() {
                let four = bytes.add(index * inputs + group * GROUP).cast::<i32>().read_unaligned();
                let four = _mm256_set1_epi32(four);
                sums[0] = _mm256_dpbusd_avx_epi32(sums[0], four, low);
                sums[1] = _mm256_dpbusd_avx_epi32(sums[1], four, high);
            }
        }
        for half in 0..2 {
            let column = column + half * (BLOCK / 2);
            let weight_sums = split(_mm256_loadu_si256(matrix.sums.as_ptr().add(column).cast()));
            let scales = _mm256_loadu_ps(matrix.scales.as_ptr().add(column));
            let bias = _mm256_loadu_ps(matrix.bias.as_ptr().add(column));
            for (index, sums) in sums.iter().enumerate() {
                let zero = -*rows.zeros.get_unchecked(row + index);
                let zero = _mm256_set1_epi32((zero << 7 << 16) | (zero & 0xffff));
                let whole = _mm256_dpwssd_avx_epi32(sums[half], zero, weight_sums);
                let scale = _mm256_mul_ps(_mm256_set1_ps(*rows.scales.get_unchecked(row + index)), scales);
                let value = _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(whole), scale), bias);
                _mm256_storeu_ps(output.as_mut_ptr().add((row + index) * matrix.outputs + column), value);
            }
        }
    }
}

/// See `avx512vnni::split`.
#[target_feature(enable = "avx2,avxvnni")]
fn split(sums: __m256i) -> __m256i {
    let high = _mm256_slli_epi32::<16>(_mm256_srai_epi32::<7>(sums));
    _mm256_or_si256(high, _mm256_and_si256(sums, _mm256_set1_epi32(127)))
}
