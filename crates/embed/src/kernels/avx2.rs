//! Kernels for AVX2 and FMA. There is no byte product without saturation: `maddubs` adds two
//! products in 16 bits. So activations are centred, which makes nearly all of them small. The
//! excess of the others is stored separately and multiplied in a second step, so every sum is exact
//! (decision 0035). The f32 operations are in `float`.
#![expect(unsafe_code, reason = "SIMD loads and calls behind a run-time check of the processor")]

use std::arch::x86_64::{
    __m256, __m256i, _MM_HINT_T0, _mm_prefetch, _mm256_add_epi32, _mm256_add_ps, _mm256_cmpgt_epi16,
    _mm256_cvtepi32_ps, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_madd_epi16,
    _mm256_maddubs_epi16, _mm256_movemask_epi8, _mm256_mul_ps, _mm256_or_si256, _mm256_set1_epi8,
    _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_ps, _mm256_storeu_ps, _mm256_storeu_si256,
    _mm256_sub_epi8, _mm256_subs_epu8, _mm256_xor_si256,
};

use super::attention::{self, Wide};
use super::centred_rows::{CentredRows, PAIR_MAX, set_aside};
use super::float::LANES;
use super::{AttentionScratch, Kernels, QuantisedRows, Tile, float, tiles};
use crate::layout::{BLOCK, GROUP};
use crate::weights::{Matrix, Norm};

/// The size of a register, in bytes.
const WIDTH: usize = 32;
/// The number of rows computed together; with one weight block they use all sixteen registers.
const ROWS: usize = 5;

/// Kernels that exist only if the processor has AVX2 and FMA, because only `detect` creates them.
pub(super) struct Avx2(());

impl Avx2 {
    /// Returns the kernels if this processor supports them.
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
        // SAFETY: `detect` has checked AVX2 and FMA.
        unsafe { quantise(input, inputs, rows) }
    }

    fn multiply(&self, rows: &QuantisedRows, matrix: &Matrix<'_>, output: &mut [f32]) {
        // SAFETY: `detect` has checked AVX2 and FMA.
        unsafe { multiply(rows, matrix, output) }
    }

    fn add_and_normalise(&self, rows: &mut [f32], other: &[f32], norm: &Norm<'_>) {
        // SAFETY: `detect` has checked AVX2 and FMA.
        unsafe { add_and_normalise(rows, other, norm) }
    }

    fn gelu(&self, values: &mut [f32]) {
        // SAFETY: `detect` has checked AVX2 and FMA.
        unsafe { gelu(values) }
    }

    fn attend(&self, query_key_value: &[f32], output: &mut [f32], scratch: &mut AttentionScratch) {
        // SAFETY: `detect` has checked AVX2 and FMA.
        unsafe { attend(query_key_value, output, scratch) }
    }
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn round(input: &[f32], inputs: usize, rows: &mut QuantisedRows) {
    float::quantise(input, inputs, rows);
}

impl Tile {
    /// Prefetches this tile's part of the next block, group by group. `weights` is the start of the
    /// current block.
    #[inline(always)]
    pub(super) fn fetch(self, weights: *const u8, group: usize, groups: usize) {
        let Some((part, parts)) = self.fetches else { return };
        let line = (part * groups + group) >> (parts - 1);
        // SAFETY: every processor with AVX2 has the instruction, and its address need not be valid.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(weights.wrapping_add((groups + line) * BLOCK * GROUP).cast()) };
    }
}

/// Sixteen numbers in two registers.
#[derive(Clone, Copy)]
struct Lanes([__m256; 2]);

impl Wide for Lanes {
    const FUSED: bool = true;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: guaranteed by the caller, here and below.
        unsafe { Lanes([_mm256_set1_ps(value); 2]) }
    }

    #[inline(always)]
    unsafe fn load(from: &[f32; LANES]) -> Self {
        // SAFETY: sixteen numbers are two registers.
        unsafe { Lanes([_mm256_loadu_ps(from.as_ptr()), _mm256_loadu_ps(from.as_ptr().add(LANES / 2))]) }
    }

    #[inline(always)]
    unsafe fn store(self, to: &mut [f32; LANES]) {
        // SAFETY: sixteen numbers are two registers.
        unsafe {
            _mm256_storeu_ps(to.as_mut_ptr(), self.0[0]);
            _mm256_storeu_ps(to.as_mut_ptr().add(LANES / 2), self.0[1]);
        }
    }

    #[inline(always)]
    unsafe fn multiply_add(self, by: Self, add: Self) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe {
            Lanes([
                _mm256_fmadd_ps(self.0[0], by.0[0], add.0[0]),
                _mm256_fmadd_ps(self.0[1], by.0[1], add.0[1]),
            ])
        }
    }
}

/// Rounds to bytes and centres them. Most pairs of neighbours then are small enough.
#[target_feature(enable = "avx2,fma")]
fn quantise(input: &[f32], inputs: usize, rows: &mut QuantisedRows) {
    round(input, inputs, rows);
    let QuantisedRows { bytes, zeros, centred, .. } = rows;
    centred.bytes.resize(bytes.len(), 0);
    for ((bytes, small), zero) in
        bytes.chunks_exact(inputs).zip(centred.bytes.chunks_exact_mut(inputs)).zip(zeros)
    {
        let total: i32 = bytes.iter().map(|byte| i32::from(*byte)).sum();
        centred.sums.push(total - *zero * inputs as i32);
        let mut at = 0;
        for (bytes, small) in bytes.chunks(WIDTH).zip(small.chunks_mut(WIDTH)) {
            let mut loud = match (bytes.first_chunk(), small.first_chunk_mut()) {
                (Some(bytes), Some(small)) => centre(bytes, *zero as u8, small),
                _ => u32::MAX,
            };
            // The few remaining groups are processed one at a time.
            while let Some((bytes, small)) = group_at(loud, bytes, small) {
                let group = loud.trailing_zeros() as usize / GROUP;
                set_aside(bytes.map(|byte| i32::from(byte) - *zero), small, at + group, &mut centred.beyond);
                loud &= !(0xf << (group * GROUP));
            }
            at += WIDTH / GROUP;
        }
        centred.ends.push(centred.beyond.len());
    }
}

/// Returns the group that contains the lowest set bit; `None` if it is outside the slices.
fn group_at<'a>(
    loud: u32,
    bytes: &'a [u8],
    small: &'a mut [i8],
) -> Option<([u8; GROUP], &'a mut [i8; GROUP])> {
    let start = loud.trailing_zeros() as usize / GROUP * GROUP;
    Some((*bytes.get(start..)?.first_chunk()?, small.get_mut(start..)?.first_chunk_mut()?))
}

/// Computes `bytes − zero`. Returns a bit for each byte of a pair whose absolute values add up to
/// more than `PAIR_MAX`; these bytes are not valid.
#[target_feature(enable = "avx2,fma")]
fn centre(bytes: &[u8; WIDTH], zero: u8, small: &mut [i8; WIDTH]) -> u32 {
    let zero = _mm256_set1_epi8(zero.cast_signed());
    // SAFETY: both are `WIDTH` bytes long, one register.
    unsafe {
        let bytes = _mm256_loadu_si256(bytes.as_ptr().cast());
        let sizes = _mm256_or_si256(_mm256_subs_epu8(bytes, zero), _mm256_subs_epu8(zero, bytes));
        let pairs = _mm256_maddubs_epi16(sizes, _mm256_set1_epi8(1));
        _mm256_storeu_si256(small.as_mut_ptr().cast(), _mm256_sub_epi8(bytes, zero));
        _mm256_movemask_epi8(_mm256_cmpgt_epi16(pairs, _mm256_set1_epi16(PAIR_MAX))).cast_unsigned()
    }
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn add_and_normalise(rows: &mut [f32], other: &[f32], norm: &Norm<'_>) {
    float::add_and_normalise::<true>(rows, other, norm);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn gelu(values: &mut [f32]) {
    float::gelu::<true>(values);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn attend(query_key_value: &[f32], output: &mut [f32], scratch: &mut AttentionScratch) {
    // SAFETY: this function is compiled for AVX2 and FMA.
    unsafe { attention::attend::<Lanes, 4, 1, 2>(query_key_value, output, scratch) }
}

/// Multiplies one weight block by all rows before the next block, so that the block stays in the L1
/// cache.
#[target_feature(enable = "avx2,fma")]
fn multiply(rows: &QuantisedRows, matrix: &Matrix<'_>, output: &mut [f32]) {
    let CentredRows { bytes, beyond, ends, sums } = &rows.centred;
    let groups = matrix.inputs / GROUP;
    assert_eq!((matrix.inputs % GROUP, matrix.outputs % BLOCK, rows.inputs), (0, 0, matrix.inputs));
    assert!(bytes.len() == rows.len() * rows.inputs && output.len() >= rows.len() * matrix.outputs);
    assert!(
        (ends.len(), sums.len()) == (rows.len(), rows.len()) && beyond.iter().all(|own| own.group < groups)
    );
    assert!(matrix.weights.len() == matrix.inputs * matrix.outputs);
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
                    _ => tile::<ROWS>(rows, matrix, output, own, column),
                }
            }
        }
    }
}

/// Multiplies `HEIGHT` rows by one weight block. With its sign bit inverted, a weight is an
/// unsigned byte that is 128 too large. The sums of a row start with the negative of this excess.
///
/// # Safety
///
/// The lengths are those that `multiply` asserts. The tile has `HEIGHT` rows, which are within
/// them, as is `column + BLOCK`.
#[target_feature(enable = "avx2,fma")]
unsafe fn tile<const HEIGHT: usize>(
    rows: &QuantisedRows,
    matrix: &Matrix<'_>,
    output: &mut [f32],
    own: Tile,
    column: usize,
) {
    let (row, inputs) = (own.first, matrix.inputs);
    let groups = inputs / GROUP;
    let (ones, sign) = (_mm256_set1_epi16(1), _mm256_set1_epi8(-128));
    let CentredRows { bytes, beyond, ends, sums: totals } = &rows.centred;
    // SAFETY: block `column / BLOCK` starts at `column * inputs` and has `inputs / GROUP` groups of
    // two registers. Row `row + index` has `inputs` signed bytes, of which this reads four.
    unsafe {
        let mut sums: [[__m256i; 2]; HEIGHT] =
            std::array::from_fn(|index| [_mm256_set1_epi32(-128 * totals.get_unchecked(row + index)); 2]);
        let weights: *const __m256i = matrix.weights.as_ptr().add(column * inputs).cast();
        let bytes = bytes.as_ptr().add(row * inputs);
        for group in 0..groups {
            own.fetch(weights.cast(), group, groups);
            let low = _mm256_xor_si256(_mm256_loadu_si256(weights.add(2 * group)), sign);
            let high = _mm256_xor_si256(_mm256_loadu_si256(weights.add(2 * group + 1)), sign);
            for (index, sums) in sums.iter_mut().enumerate() {
                let four = bytes.add(index * inputs + group * GROUP).cast::<i32>().read_unaligned();
                let four = _mm256_set1_epi32(four);
                let (low, high) = (_mm256_maddubs_epi16(low, four), _mm256_maddubs_epi16(high, four));
                sums[0] = _mm256_add_epi32(sums[0], _mm256_madd_epi16(low, ones));
                sums[1] = _mm256_add_epi32(sums[1], _mm256_madd_epi16(high, ones));
            }
        }
        for (index, sums) in sums.iter_mut().enumerate() {
            let before = if row + index == 0 { 0 } else { *ends.get_unchecked(row + index - 1) };
            for own in beyond.get(before..*ends.get_unchecked(row + index)).unwrap_or_default() {
                let four = _mm256_set1_epi32(i32::from_le_bytes(own.bytes.map(i8::cast_unsigned)));
                for (half, sum) in sums.iter_mut().enumerate() {
                    let weights = _mm256_loadu_si256(weights.add(2 * own.group + half));
                    let products = _mm256_maddubs_epi16(_mm256_xor_si256(weights, sign), four);
                    *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(products, ones));
                }
            }
            let row_scale = _mm256_set1_ps(*rows.scales.get_unchecked(row + index));
            for (half, sum) in sums.iter().enumerate() {
                let column = column + half * (BLOCK / 2);
                let scale = _mm256_mul_ps(row_scale, _mm256_loadu_ps(matrix.scales.as_ptr().add(column)));
                let bias = _mm256_loadu_ps(matrix.bias.as_ptr().add(column));
                let value = _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(*sum), scale), bias);
                _mm256_storeu_ps(output.as_mut_ptr().add((row + index) * matrix.outputs + column), value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_aside_and_what_stays_add_up_and_are_small() {
        let Some(kernels) = Avx2::detect() else { return };
        for zero in [0, 1, 100, 254, 255] {
            let mut input: Vec<f32> = (0..=255).map(|step| (step - zero) as f32).collect();
            input.extend(
                [0.0; 4].iter().chain(&[255.0 - zero as f32, 0.0, 0.0, -zero as f32]).cycle().take(128),
            );
            let mut rows = QuantisedRows::default();
            kernels.quantise(&input, input.len(), &mut rows);
            assert_eq!(rows.zeros, [zero]);
            let mut back: Vec<i32> = rows.centred.bytes.iter().map(|value| i32::from(*value)).collect();
            let parts = rows.centred.beyond.iter().flat_map(|own| own.bytes.chunks(2));
            for pair in rows.centred.bytes.chunks(2).chain(parts) {
                assert!(i32::from(pair[0]).abs() + i32::from(pair[1]).abs() <= 128, "{pair:?}");
            }
            for own in &rows.centred.beyond {
                for (back, value) in back[own.group * GROUP..].iter_mut().zip(own.bytes) {
                    *back += i32::from(value);
                }
            }
            let expected: Vec<i32> = rows.bytes.iter().map(|byte| i32::from(*byte) - zero).collect();
            assert_eq!(back, expected);
            assert_eq!(rows.centred.sums, [expected.iter().sum::<i32>()]);
            assert_eq!(rows.centred.ends, [rows.centred.beyond.len()]);
        }
    }
}
