//! AVX2 and FMA. The byte products are made of 16-bit numbers: `maddubs` on bytes would saturate, and narrower activations
//! cost fidelity (docs/decisions/0002-embed-own-forward.md). The f32 half is `float`'s.
#![expect(unsafe_code, reason = "SIMD loads and calls behind a run-time check of the processor")]

use std::arch::x86_64::{
    __m128i, _mm_loadu_si128, _mm256_add_epi32, _mm256_add_ps, _mm256_cvtepi8_epi16, _mm256_cvtepi32_ps,
    _mm256_hadd_epi32, _mm256_loadu_ps, _mm256_madd_epi16, _mm256_mul_ps, _mm256_permute4x64_epi64,
    _mm256_set1_epi64x, _mm256_set1_ps, _mm256_setzero_si256, _mm256_storeu_ps,
};

use super::{AttentionScratch, Kernels, QuantisedRows, float};
use crate::layout::{BLOCK, GROUP};
use crate::weights::{Matrix, Norm};

/// Outputs made together: half a weight block.
const COLUMNS: usize = BLOCK / 2;
/// Rows made together; with `COLUMNS` they fill the sixteen registers.
const ROWS: usize = 4;

/// Exists only where the processor has AVX2 and FMA: `detect` is the only way to one.
pub(super) struct Avx2(());

impl Avx2 {
    /// The kernels, if this processor runs them.
    pub(super) fn detect() -> Option<&'static Avx2> {
        static KERNELS: Avx2 = Avx2(());
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(&KERNELS)
    }
}

impl Kernels for Avx2 {
    fn name(&self) -> &'static str {
        "avx2"
    }

    fn quantise(&self, input: &[f32], inputs: usize, rows: &mut QuantisedRows) {
        // SAFETY: `detect` has found AVX2 and FMA.
        unsafe { quantise(input, inputs, rows) }
    }

    fn multiply(&self, rows: &QuantisedRows, matrix: &Matrix<'_>, output: &mut [f32]) {
        // SAFETY: `detect` has found AVX2 and FMA.
        unsafe { multiply(rows, matrix, output) }
    }

    fn add_and_normalise(&self, rows: &mut [f32], other: &[f32], norm: &Norm<'_>) {
        // SAFETY: `detect` has found AVX2 and FMA.
        unsafe { add_and_normalise(rows, other, norm) }
    }

    fn gelu(&self, values: &mut [f32]) {
        // SAFETY: `detect` has found AVX2 and FMA.
        unsafe { gelu(values) }
    }

    fn attend(&self, query_key_value: &[f32], output: &mut [f32], scratch: &mut AttentionScratch) {
        // SAFETY: `detect` has found AVX2 and FMA.
        unsafe { attend(query_key_value, output, scratch) }
    }
}

#[target_feature(enable = "avx2,fma")]
fn quantise(input: &[f32], inputs: usize, rows: &mut QuantisedRows) {
    float::quantise(input, inputs, rows);
    let QuantisedRows { bytes, zeros, centred, .. } = rows;
    centred.resize(bytes.len(), 0);
    let lines = bytes.chunks_exact(inputs).zip(centred.chunks_exact_mut(inputs));
    for ((bytes, centred), zero) in lines.zip(zeros) {
        for (byte, centred) in bytes.iter().zip(centred) {
            *centred = i16::from(*byte) - *zero as i16;
        }
    }
}

#[target_feature(enable = "avx2,fma")]
fn add_and_normalise(rows: &mut [f32], other: &[f32], norm: &Norm<'_>) {
    float::add_and_normalise::<true>(rows, other, norm);
}

#[target_feature(enable = "avx2,fma")]
fn gelu(values: &mut [f32]) {
    float::gelu::<true>(values);
}

#[target_feature(enable = "avx2,fma")]
fn attend(query_key_value: &[f32], output: &mut [f32], scratch: &mut AttentionScratch) {
    float::attend::<true, 2>(query_key_value, output, scratch);
}

/// Half a weight block stays in the first cache while all rows pass.
#[target_feature(enable = "avx2,fma")]
fn multiply(rows: &QuantisedRows, matrix: &Matrix<'_>, output: &mut [f32]) {
    assert_eq!((matrix.inputs % GROUP, matrix.outputs % BLOCK, rows.inputs), (0, 0, matrix.inputs));
    assert!(rows.centred.len() == rows.len() * rows.inputs && output.len() >= rows.len() * matrix.outputs);
    assert!(matrix.weights.len() == matrix.inputs * matrix.outputs);
    assert!(matrix.scales.len() == matrix.outputs && matrix.bias.len() == matrix.outputs);
    for column in (0..matrix.outputs).step_by(COLUMNS) {
        let mut row = 0;
        while row < rows.len() {
            // SAFETY: the lengths are asserted above; the rows of a tile are below `rows.len()`, its columns below
            // `matrix.outputs`.
            unsafe {
                match rows.len() - row {
                    1 => tile::<1>(rows, matrix, output, row, column),
                    2 => tile::<2>(rows, matrix, output, row, column),
                    3 => tile::<3>(rows, matrix, output, row, column),
                    _ => tile::<ROWS>(rows, matrix, output, row, column),
                }
            }
            row += ROWS;
        }
    }
}

/// `HEIGHT` rows by `COLUMNS` outputs.
///
/// # Safety
///
/// The lengths are those that `multiply` asserts, and `row + HEIGHT` and `column + COLUMNS` are within them.
#[target_feature(enable = "avx2,fma")]
unsafe fn tile<const HEIGHT: usize>(
    rows: &QuantisedRows,
    matrix: &Matrix<'_>,
    output: &mut [f32],
    row: usize,
    column: usize,
) {
    let inputs = matrix.inputs;
    let (block, half) = (column / BLOCK, column % BLOCK);
    let mut sums = [[_mm256_setzero_si256(); 2]; HEIGHT];
    // SAFETY: block `block` has `inputs / GROUP` groups of `BLOCK * GROUP` weights, of which this reads the 32 bytes of one
    // half; row `row + index` has `inputs` 16-bit numbers, of which this reads four.
    unsafe {
        let weights = matrix.weights.as_ptr().add(block * BLOCK * inputs + half * GROUP);
        let centred = rows.centred.as_ptr().add(row * inputs);
        for group in 0..inputs / GROUP {
            let place = weights.add(group * BLOCK * GROUP).cast::<__m128i>();
            let low = _mm256_cvtepi8_epi16(_mm_loadu_si128(place));
            let high = _mm256_cvtepi8_epi16(_mm_loadu_si128(place.add(1)));
            for (index, sums) in sums.iter_mut().enumerate() {
                let four = centred.add(index * inputs + group * GROUP).cast::<i64>().read_unaligned();
                let four = _mm256_set1_epi64x(four);
                sums[0] = _mm256_add_epi32(sums[0], _mm256_madd_epi16(four, low));
                sums[1] = _mm256_add_epi32(sums[1], _mm256_madd_epi16(four, high));
            }
        }
        let scales = _mm256_loadu_ps(matrix.scales.as_ptr().add(column));
        let bias = _mm256_loadu_ps(matrix.bias.as_ptr().add(column));
        for (index, sums) in sums.iter().enumerate() {
            // Each output has two neighbouring sums; adding them interleaves the halves, which the permutation undoes.
            let whole = _mm256_permute4x64_epi64::<0b1101_1000>(_mm256_hadd_epi32(sums[0], sums[1]));
            let scale = _mm256_mul_ps(_mm256_set1_ps(*rows.scales.get_unchecked(row + index)), scales);
            let value = _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(whole), scale), bias);
            _mm256_storeu_ps(output.as_mut_ptr().add((row + index) * matrix.outputs + column), value);
        }
    }
}
