//! AVX-512 with VNNI: one instruction multiplies 64 unsigned bytes by 64 signed ones and adds them up by fours, without
//! saturation. The zero point is taken off afterwards, by the sum of the weights. The f32 half is `float`'s.
#![expect(unsafe_code, reason = "SIMD loads and calls behind a run-time check of the processor")]

use std::arch::x86_64::{
    __m512i, _mm512_add_ps, _mm512_cvtepi32_ps, _mm512_dpbusd_epi32, _mm512_loadu_ps, _mm512_loadu_si512,
    _mm512_mul_ps, _mm512_mullo_epi32, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_si512,
    _mm512_storeu_ps, _mm512_sub_epi32,
};

use super::{AttentionScratch, Kernels, QuantisedRows, float};
use crate::layout::{BLOCK, GROUP};
use crate::weights::{Matrix, Norm};

/// Weight blocks made together.
const BLOCKS: usize = 2;
/// Rows made together; with two blocks and their weights that is 18 of the 32 registers.
const ROWS: usize = 8;

/// Exists only where the processor has the instructions: `detect` is the only way to one.
pub(super) struct Avx512Vnni(());

impl Avx512Vnni {
    /// The kernels, if this processor runs them.
    pub(super) fn detect() -> Option<&'static Avx512Vnni> {
        static KERNELS: Avx512Vnni = Avx512Vnni(());
        let found = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vnni")
            && is_x86_feature_detected!("fma");
        found.then_some(&KERNELS)
    }
}

impl Kernels for Avx512Vnni {
    fn name(&self) -> &'static str {
        "avx512-vnni"
    }

    fn quantise(&self, input: &[f32], inputs: usize, rows: &mut QuantisedRows) {
        // SAFETY: `detect` has found the instructions.
        unsafe { quantise(input, inputs, rows) }
    }

    fn multiply(&self, rows: &QuantisedRows, matrix: &Matrix<'_>, output: &mut [f32]) {
        // SAFETY: `detect` has found the instructions.
        unsafe { multiply(rows, matrix, output) }
    }

    fn add_and_normalise(&self, rows: &mut [f32], other: &[f32], norm: &Norm<'_>) {
        // SAFETY: `detect` has found the instructions.
        unsafe { add_and_normalise(rows, other, norm) }
    }

    fn gelu(&self, values: &mut [f32]) {
        // SAFETY: `detect` has found the instructions.
        unsafe { gelu(values) }
    }

    fn attend(&self, query_key_value: &[f32], output: &mut [f32], scratch: &mut AttentionScratch) {
        // SAFETY: `detect` has found the instructions.
        unsafe { attend(query_key_value, output, scratch) }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,fma")]
fn quantise(input: &[f32], inputs: usize, rows: &mut QuantisedRows) {
    float::quantise(input, inputs, rows);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,fma")]
fn add_and_normalise(rows: &mut [f32], other: &[f32], norm: &Norm<'_>) {
    float::add_and_normalise::<true>(rows, other, norm);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,fma")]
fn gelu(values: &mut [f32]) {
    float::gelu::<true>(values);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,fma")]
fn attend(query_key_value: &[f32], output: &mut [f32], scratch: &mut AttentionScratch) {
    float::attend::<true, 4>(query_key_value, output, scratch);
}

/// Two weight blocks stay in the first cache while all rows pass.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,fma")]
fn multiply(rows: &QuantisedRows, matrix: &Matrix<'_>, output: &mut [f32]) {
    assert_eq!(
        (matrix.inputs % GROUP, matrix.outputs % (BLOCKS * BLOCK), rows.inputs),
        (0, 0, matrix.inputs)
    );
    assert!(rows.bytes.len() == rows.len() * rows.inputs && output.len() >= rows.len() * matrix.outputs);
    assert!(matrix.weights.len() == matrix.inputs * matrix.outputs && matrix.sums.len() == matrix.outputs);
    assert!(matrix.scales.len() == matrix.outputs && matrix.bias.len() == matrix.outputs);
    for column in (0..matrix.outputs).step_by(BLOCKS * BLOCK) {
        let mut row = 0;
        while row < rows.len() {
            // SAFETY: the lengths are asserted above; the rows of a tile are below `rows.len()`, its columns below
            // `matrix.outputs`.
            let height = unsafe {
                match rows.len() - row {
                    1 => tile::<1>(rows, matrix, output, row, column),
                    2 | 3 => tile::<2>(rows, matrix, output, row, column),
                    4..ROWS => tile::<4>(rows, matrix, output, row, column),
                    _ => tile::<ROWS>(rows, matrix, output, row, column),
                }
            };
            row += height;
        }
    }
}

/// `HEIGHT` rows by two blocks of outputs; gives back `HEIGHT`.
///
/// # Safety
///
/// The lengths are those that `multiply` asserts, and `row + HEIGHT` and `column + BLOCKS * BLOCK` are within them.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,fma")]
unsafe fn tile<const HEIGHT: usize>(
    rows: &QuantisedRows,
    matrix: &Matrix<'_>,
    output: &mut [f32],
    row: usize,
    column: usize,
) -> usize {
    let inputs = matrix.inputs;
    let mut sums = [[_mm512_setzero_si512(); BLOCKS]; HEIGHT];
    // SAFETY: block `column / BLOCK` starts at `column * inputs` and is `BLOCK * inputs` long, and so is the next; each group
    // is one register. Row `row + index` has `inputs` bytes, of which this reads four.
    unsafe {
        let weights: *const __m512i = matrix.weights.as_ptr().add(column * inputs).cast();
        let bytes = rows.bytes.as_ptr().add(row * inputs);
        let groups = inputs / GROUP;
        for group in 0..groups {
            let first = _mm512_loadu_si512(weights.add(group));
            let second = _mm512_loadu_si512(weights.add(groups + group));
            for (index, sums) in sums.iter_mut().enumerate() {
                let four = bytes.add(index * inputs + group * GROUP).cast::<i32>().read_unaligned();
                let four = _mm512_set1_epi32(four);
                sums[0] = _mm512_dpbusd_epi32(sums[0], four, first);
                sums[1] = _mm512_dpbusd_epi32(sums[1], four, second);
            }
        }
        for (index, sums) in sums.iter().enumerate() {
            let zero = _mm512_set1_epi32(*rows.zeros.get_unchecked(row + index));
            let row_scale = _mm512_set1_ps(*rows.scales.get_unchecked(row + index));
            for (block, sum) in sums.iter().enumerate() {
                let column = column + block * BLOCK;
                let weight_sums = _mm512_loadu_si512(matrix.sums.as_ptr().add(column).cast());
                let whole = _mm512_sub_epi32(*sum, _mm512_mullo_epi32(zero, weight_sums));
                let scale = _mm512_mul_ps(row_scale, _mm512_loadu_ps(matrix.scales.as_ptr().add(column)));
                let bias = _mm512_loadu_ps(matrix.bias.as_ptr().add(column));
                let value = _mm512_add_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(whole), scale), bias);
                _mm512_storeu_ps(output.as_mut_ptr().add((row + index) * matrix.outputs + column), value);
            }
        }
    }
    HEIGHT
}
