//! Kernels for AVX-512 with VNNI. One instruction multiplies 64 unsigned bytes by 64 signed ones
//! and adds the products in groups of four, without saturation. The zero point is subtracted
//! afterwards, with the sum of the weights. The f32 operations are in `float`.
#![expect(unsafe_code, reason = "SIMD loads and calls behind a run-time check of the processor")]

use std::arch::x86_64::{
    __m512, __m512i, _MM_HINT_T0, _mm_prefetch, _mm512_add_ps, _mm512_and_si512, _mm512_cvtepi32_ps,
    _mm512_dpbusd_epi32, _mm512_dpwssd_epi32, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_loadu_si512,
    _mm512_mul_ps, _mm512_or_si512, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_si512,
    _mm512_slli_epi32, _mm512_srai_epi32, _mm512_storeu_ps,
};

use super::attention::{self, Wide};
use super::float::LANES;
use super::{AttentionScratch, Kernels, QuantisedRows, Tile, float, tiles};
use crate::layout::{BLOCK, GROUP};
use crate::weights::{Matrix, Norm};

/// The number of weight blocks computed together.
const BLOCKS: usize = 2;
/// The number of rows computed together; with two blocks and their weights they use 26 of the 32
/// registers. With more rows, the weights of a long matrix are read from the L2 cache less often.
const ROWS: usize = 12;

/// Kernels that exist only if the processor has the instructions, because only `detect` creates
/// them.
pub(super) struct Avx512Vnni(());

impl Avx512Vnni {
    /// Returns the kernels if this processor supports them.
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
        // SAFETY: `detect` has checked the instructions.
        unsafe { quantise(input, inputs, rows) }
    }

    fn multiply(&self, rows: &QuantisedRows, matrix: &Matrix<'_>, output: &mut [f32]) {
        // SAFETY: `detect` has checked the instructions.
        unsafe { multiply(rows, matrix, output) }
    }

    fn add_and_normalise(&self, rows: &mut [f32], other: &[f32], norm: &Norm<'_>) {
        // SAFETY: `detect` has checked the instructions.
        unsafe { add_and_normalise(rows, other, norm) }
    }

    fn gelu(&self, values: &mut [f32]) {
        // SAFETY: `detect` has checked the instructions.
        unsafe { gelu(values) }
    }

    fn attend(&self, query_key_value: &[f32], output: &mut [f32], scratch: &mut AttentionScratch) {
        // SAFETY: `detect` has checked the instructions.
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
    // SAFETY: this function is compiled for these instructions.
    unsafe { attention::attend::<Lanes, 8, 2, 4>(query_key_value, output, scratch) }
}

/// Sixteen numbers in one register.
#[derive(Clone, Copy)]
struct Lanes(__m512);

impl Wide for Lanes {
    const FUSED: bool = true;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: guaranteed by the caller, here and below.
        unsafe { Lanes(_mm512_set1_ps(value)) }
    }

    #[inline(always)]
    unsafe fn load(from: &[f32; LANES]) -> Self {
        // SAFETY: sixteen numbers are one register.
        unsafe { Lanes(_mm512_loadu_ps(from.as_ptr())) }
    }

    #[inline(always)]
    unsafe fn store(self, to: &mut [f32; LANES]) {
        // SAFETY: sixteen numbers are one register.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    unsafe fn multiply_add(self, by: Self, add: Self) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe { Lanes(_mm512_fmadd_ps(self.0, by.0, add.0)) }
    }
}

/// Multiplies two weight blocks by all rows before the next ones, so that the blocks stay in the L1
/// cache.
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
                    6 => tile::<6>(rows, matrix, output, own, column),
                    7 => tile::<7>(rows, matrix, output, own, column),
                    8 => tile::<8>(rows, matrix, output, own, column),
                    9 => tile::<9>(rows, matrix, output, own, column),
                    10 => tile::<10>(rows, matrix, output, own, column),
                    11 => tile::<11>(rows, matrix, output, own, column),
                    _ => tile::<ROWS>(rows, matrix, output, own, column),
                }
            }
        }
    }
}

/// Multiplies `HEIGHT` rows by two blocks of outputs.
///
/// # Safety
///
/// The lengths are those that `multiply` asserts. The tile has `HEIGHT` rows, which are within
/// them, as is `column + BLOCKS * BLOCK`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,fma")]
unsafe fn tile<const HEIGHT: usize>(
    rows: &QuantisedRows,
    matrix: &Matrix<'_>,
    output: &mut [f32],
    own: Tile,
    column: usize,
) {
    let (row, inputs) = (own.first, matrix.inputs);
    let groups = inputs / GROUP;
    // SAFETY: block `column / BLOCK` starts at `column * inputs` and is `BLOCK * inputs` long, and
    // so is the next; each group is one register. Row `row + index` has `inputs` bytes, of which
    // this reads four.
    unsafe {
        let mut sums = [[_mm512_setzero_si512(); BLOCKS]; HEIGHT];
        let weights: *const __m512i = matrix.weights.as_ptr().add(column * inputs).cast();
        let bytes = rows.bytes.as_ptr().add(row * inputs);
        match own.fetches {
            None => add_products::<HEIGHT, 0>(&mut sums, weights, bytes, groups, 0),
            Some((part, 2)) => add_products::<HEIGHT, 1>(&mut sums, weights, bytes, groups, part),
            Some((_, _)) => add_products::<HEIGHT, 2>(&mut sums, weights, bytes, groups, 0),
        }
        for block in 0..BLOCKS {
            let column = column + block * BLOCK;
            let weight_sums = split(_mm512_loadu_si512(matrix.sums.as_ptr().add(column).cast()));
            let scales = _mm512_loadu_ps(matrix.scales.as_ptr().add(column));
            let bias = _mm512_loadu_ps(matrix.bias.as_ptr().add(column));
            for (index, sums) in sums.iter().enumerate() {
                let zero = -*rows.zeros.get_unchecked(row + index);
                let zero = _mm512_set1_epi32((zero << 7 << 16) | (zero & 0xffff));
                let whole = _mm512_dpwssd_epi32(sums[block], zero, weight_sums);
                let scale = _mm512_mul_ps(_mm512_set1_ps(*rows.scales.get_unchecked(row + index)), scales);
                let value = _mm512_add_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(whole), scale), bias);
                _mm512_storeu_ps(output.as_mut_ptr().add((row + index) * matrix.outputs + column), value);
            }
        }
    }
}

/// Adds the products of all groups: `HEIGHT` rows of bytes by two blocks. Meanwhile it prefetches
/// `FETCHED` of the next two blocks, starting with `part`; they need not exist.
///
/// # Safety
///
/// There are two blocks of `groups` registers, and `HEIGHT` rows of `groups · GROUP` bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,fma")]
unsafe fn add_products<const HEIGHT: usize, const FETCHED: usize>(
    sums: &mut [[__m512i; BLOCKS]; HEIGHT],
    weights: *const __m512i,
    bytes: *const u8,
    groups: usize,
    part: usize,
) {
    let next = weights.wrapping_add((BLOCKS + part) * groups);
    let mut local = *sums;
    for group in 0..groups {
        // SAFETY: guaranteed by the caller.
        let (first, second) = unsafe {
            (_mm512_loadu_si512(weights.add(group)), _mm512_loadu_si512(weights.add(groups + group)))
        };
        for block in 0..FETCHED {
            _mm_prefetch::<_MM_HINT_T0>(next.wrapping_add(block * groups + group).cast());
        }
        for (index, sums) in local.iter_mut().enumerate() {
            // SAFETY: guaranteed by the caller.
            let four = unsafe { bytes.add((index * groups + group) * GROUP).cast::<i32>().read_unaligned() };
            let four = _mm512_set1_epi32(four);
            sums[0] = _mm512_dpbusd_epi32(sums[0], four, first);
            sums[1] = _mm512_dpbusd_epi32(sums[1], four, second);
        }
    }
    *sums = local;
}

/// Splits sums of weights into two 16-bit numbers, `low + 128 · high`. One `dpwssd` with
/// `(zero, 128 · zero)` multiplies them by a zero point, whereas a 32-bit multiplication takes as
/// long as three instructions.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,fma")]
fn split(sums: __m512i) -> __m512i {
    let high = _mm512_slli_epi32::<16>(_mm512_srai_epi32::<7>(sums));
    _mm512_or_si512(high, _mm512_and_si512(sums, _mm512_set1_epi32(127)))
}
