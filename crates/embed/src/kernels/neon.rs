//! Kernels for NEON. With the dot product instruction, one step multiplies 16 signed bytes and adds
//! the products in groups of four. Without it, products are added in 16 bits, in which two of them
//! fit. Inverting their sign bit makes activations signed. The effect of this and of the zero point
//! is subtracted afterwards, with the sum of the weights. The f32 operations use only the base
//! instructions of the architecture.
#![expect(unsafe_code, reason = "SIMD loads, and an instruction that has no stable name yet")]

use std::arch::aarch64::{
    float32x4_t, int8x16_t, int32x4_t, vaddq_f32, vcvtq_f32_s32, vdupq_n_f32, vdupq_n_s8, vdupq_n_s32,
    veorq_s8, vfmaq_f32, vget_high_s8, vget_low_s8, vld1q_f32, vld1q_s8, vld1q_s32, vmlal_s8, vmlaq_s32,
    vmull_s8, vmulq_f32, vpadalq_s16, vpaddq_s32, vreinterpretq_s8_s32, vst1q_f32,
};

use super::attention::{self, Wide};
use super::float::LANES;
use super::{AttentionScratch, Kernels, QuantisedRows, Tile, float, tiles};
use crate::layout::{BLOCK, GROUP};
use crate::weights::{Matrix, Norm};

/// The number of rows computed together; with the sums and weights of one weight block they use 28
/// of the 32 registers.
const ROWS: usize = 4;
/// The number of registers for the outputs of a weight block, and for one of its groups.
const PARTS: usize = 4;

/// The kernels with or without the dot product instruction; only `detect` creates them.
pub(super) struct Neon {
    dot_products: bool,
}

impl Neon {
    /// Returns the kernels that this processor supports, slowest first.
    pub(super) fn detect() -> impl Iterator<Item = &'static Neon> {
        static PLAIN: Neon = Neon { dot_products: false };
        static DOT: Neon = Neon { dot_products: true };
        let found = std::arch::is_aarch64_feature_detected!("dotprod").then_some(&DOT);
        std::iter::once(&PLAIN).chain(found)
    }
}

impl Kernels for Neon {
    fn name(&self) -> &'static str {
        if self.dot_products { "neon-dotprod" } else { "neon" }
    }

    fn quantise(&self, input: &[f32], inputs: usize, rows: &mut QuantisedRows) {
        float::quantise(input, inputs, rows);
    }

    fn multiply(&self, rows: &QuantisedRows, matrix: &Matrix<'_>, output: &mut [f32]) {
        let lengths = (matrix.inputs % (2 * GROUP), matrix.outputs % BLOCK, rows.inputs);
        assert_eq!(lengths, (0, 0, matrix.inputs));
        assert!(rows.bytes.len() == rows.len() * rows.inputs && output.len() >= rows.len() * matrix.outputs);
        assert!(
            matrix.weights.len() == matrix.inputs * matrix.outputs && matrix.sums.len() == matrix.outputs
        );
        assert!(matrix.scales.len() == matrix.outputs && matrix.bias.len() == matrix.outputs);
        for column in (0..matrix.outputs).step_by(BLOCK) {
            for own in tiles(rows.len(), ROWS) {
                // SAFETY: the lengths are asserted above; the rows of a tile are below
                // `rows.len()`, its columns below `matrix.outputs`; `detect` has checked the
                // instruction.
                unsafe {
                    match (own.rows, self.dot_products) {
                        (1, true) => dot_tile::<1>(rows, matrix, output, own, column),
                        (2, true) => dot_tile::<2>(rows, matrix, output, own, column),
                        (3, true) => dot_tile::<3>(rows, matrix, output, own, column),
                        (_, true) => dot_tile::<ROWS>(rows, matrix, output, own, column),
                        (1, false) => pair_tile::<1>(rows, matrix, output, own, column),
                        (2, false) => pair_tile::<2>(rows, matrix, output, own, column),
                        (3, false) => pair_tile::<3>(rows, matrix, output, own, column),
                        (_, false) => pair_tile::<ROWS>(rows, matrix, output, own, column),
                    }
                }
            }
        }
    }

    fn add_and_normalise(&self, rows: &mut [f32], other: &[f32], norm: &Norm<'_>) {
        float::add_and_normalise::<true>(rows, other, norm);
    }

    fn gelu(&self, values: &mut [f32]) {
        float::gelu::<true>(values);
    }

    fn attend(&self, query_key_value: &[f32], output: &mut [f32], scratch: &mut AttentionScratch) {
        // SAFETY: every processor of this architecture has these instructions.
        unsafe { attention::attend::<Lanes, 4, 1, 2>(query_key_value, output, scratch) }
    }
}

/// Sixteen numbers in four registers.
#[derive(Clone, Copy)]
struct Lanes([float32x4_t; 4]);

impl Wide for Lanes {
    const FUSED: bool = true;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: every processor of this architecture has it, here and below.
        unsafe { Lanes([vdupq_n_f32(value); 4]) }
    }

    #[inline(always)]
    unsafe fn load(from: &[f32; LANES]) -> Self {
        let place = from.as_ptr();
        // SAFETY: sixteen numbers are four registers.
        unsafe {
            let parts = [
                vld1q_f32(place),
                vld1q_f32(place.add(4)),
                vld1q_f32(place.add(8)),
                vld1q_f32(place.add(12)),
            ];
            Lanes(parts)
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: &mut [f32; LANES]) {
        for (part, to) in self.0.into_iter().zip(to.as_chunks_mut::<4>().0) {
            // SAFETY: four numbers are one register.
            unsafe { vst1q_f32(to.as_mut_ptr(), part) };
        }
    }

    #[inline(always)]
    unsafe fn multiply_add(mut self, by: Self, add: Self) -> Self {
        for part in 0..4 {
            // SAFETY: as `splat`.
            self.0[part] = unsafe { vfmaq_f32(add.0[part], self.0[part], by.0[part]) };
        }
        self
    }
}

/// Computes `sums + weights · bytes`, in groups of four.
///
/// # Safety
///
/// The processor must support the instruction.
#[inline(always)]
unsafe fn dot(sums: int32x4_t, weights: int8x16_t, bytes: int8x16_t) -> int32x4_t {
    let mut found = sums;
    // SAFETY: the caller's processor has the instruction, which accesses only its registers.
    unsafe {
        std::arch::asm!(
            ".arch_extension dotprod",
            "sdot {found:v}.4s, {weights:v}.16b, {bytes:v}.16b",
            found = inout(vreg) found, weights = in(vreg) weights, bytes = in(vreg) bytes,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    found
}

/// Prefetches this tile's part of the next block, group by group. `weights` is the start of the
/// current block; the next one need not exist.
#[inline(always)]
fn fetch(own: Tile, weights: *const u8, group: usize, groups: usize) {
    let Some((part, parts)) = own.fetches else { return };
    let line = (part * groups + group) >> (parts - 1);
    let place = weights.wrapping_add((groups + line) * BLOCK * GROUP);
    // SAFETY: the instruction is a hint to the processor, valid for any address.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{place}]", place = in(reg) place, options(nostack, preserves_flags));
    }
}

/// Returns the four signed bytes of a group, repeated four times.
///
/// # Safety
///
/// There are `GROUP` bytes.
#[inline(always)]
unsafe fn group_of(bytes: *const u8) -> int8x16_t {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let four = bytes.cast::<i32>().read_unaligned();
        veorq_s8(vreinterpretq_s8_s32(vdupq_n_s32(four)), vdupq_n_s8(-128))
    }
}

/// Multiplies `HEIGHT` rows by one weight block, with the dot product instruction.
///
/// # Safety
///
/// The processor must support it. The lengths are those that `multiply` asserts. The tile has
/// `HEIGHT` rows, which are within them, as is `column + BLOCK`.
unsafe fn dot_tile<const HEIGHT: usize>(
    rows: &QuantisedRows,
    matrix: &Matrix<'_>,
    output: &mut [f32],
    own: Tile,
    column: usize,
) {
    let (row, inputs) = (own.first, matrix.inputs);
    let groups = inputs / GROUP;
    // SAFETY: block `column / BLOCK` starts at `column * inputs` and has `inputs / GROUP` groups of
    // four registers. Row `row + index` has `inputs` bytes, of which this reads four.
    unsafe {
        let mut sums = [[vdupq_n_s32(0); PARTS]; HEIGHT];
        let weights = matrix.weights.as_ptr().add(column * inputs);
        let bytes = rows.bytes.as_ptr().add(row * inputs);
        for group in 0..groups {
            fetch(own, weights.cast(), group, groups);
            let place = weights.add(group * BLOCK * GROUP);
            let block =
                [vld1q_s8(place), vld1q_s8(place.add(16)), vld1q_s8(place.add(32)), vld1q_s8(place.add(48))];
            for (index, sums) in sums.iter_mut().enumerate() {
                let four = group_of(bytes.add(index * inputs + group * GROUP));
                for part in 0..PARTS {
                    sums[part] = dot(sums[part], block[part], four);
                }
            }
        }
        for (index, sums) in sums.iter().enumerate() {
            for (part, sum) in sums.iter().enumerate() {
                finish(rows, matrix, output, (row + index, column + part * 4), *sum);
            }
        }
    }
}

/// Multiplies `HEIGHT` rows by one weight block, without the instruction: the sum of two products
/// of −128 · −127 just fits in 16 bits.
///
/// # Safety
///
/// The lengths are those that `multiply` asserts. The tile has `HEIGHT` rows, which are within
/// them, as is `column + BLOCK`.
unsafe fn pair_tile<const HEIGHT: usize>(
    rows: &QuantisedRows,
    matrix: &Matrix<'_>,
    output: &mut [f32],
    own: Tile,
    column: usize,
) {
    let (row, inputs) = (own.first, matrix.inputs);
    let groups = inputs / GROUP;
    // SAFETY: block `column / BLOCK` starts at `column * inputs` and has `inputs / GROUP` groups of
    // four registers, an even number. Row `row + index` has `inputs` bytes, of which this reads two
    // groups of four.
    unsafe {
        let bytes = rows.bytes.as_ptr().add(row * inputs);
        for part in 0..PARTS {
            let weights = matrix.weights.as_ptr().add(column * inputs + part * 16);
            let mut sums = [[vdupq_n_s32(0); 2]; HEIGHT];
            for group in (0..groups).step_by(2) {
                let first = vld1q_s8(weights.add(group * BLOCK * GROUP));
                let second = vld1q_s8(weights.add((group + 1) * BLOCK * GROUP));
                for (index, sums) in sums.iter_mut().enumerate() {
                    let four = bytes.add(index * inputs + group * GROUP);
                    let (one, two) = (group_of(four), group_of(four.add(GROUP)));
                    let low = vmull_s8(vget_low_s8(first), vget_low_s8(one));
                    let low = vmlal_s8(low, vget_low_s8(second), vget_low_s8(two));
                    let high = vmull_s8(vget_high_s8(first), vget_high_s8(one));
                    let high = vmlal_s8(high, vget_high_s8(second), vget_high_s8(two));
                    sums[0] = vpadalq_s16(sums[0], low);
                    sums[1] = vpadalq_s16(sums[1], high);
                }
            }
            for (index, sums) in sums.iter().enumerate() {
                let sum = vpaddq_s32(sums[0], sums[1]);
                finish(rows, matrix, output, (row + index, column + part * 4), sum);
            }
        }
    }
}

/// Subtracts the effect of the sign bit and the zero point, and writes four outputs of a row.
///
/// # Safety
///
/// The lengths are those that `multiply` asserts, and the row and four columns at `place` are
/// within them.
#[inline(always)]
unsafe fn finish(
    rows: &QuantisedRows,
    matrix: &Matrix<'_>,
    output: &mut [f32],
    place: (usize, usize),
    sum: int32x4_t,
) {
    let (row, column) = place;
    // SAFETY: guaranteed by the caller.
    unsafe {
        let turned = vdupq_n_s32(128 - *rows.zeros.get_unchecked(row));
        let whole = vmlaq_s32(sum, vld1q_s32(matrix.sums.as_ptr().add(column)), turned);
        let scales = vld1q_f32(matrix.scales.as_ptr().add(column));
        let scale = vmulq_f32(vdupq_n_f32(*rows.scales.get_unchecked(row)), scales);
        let value = vmulq_f32(vcvtq_f32_s32(whole), scale);
        let value = vaddq_f32(value, vld1q_f32(matrix.bias.as_ptr().add(column)));
        vst1q_f32(output.as_mut_ptr().add(row * matrix.outputs + column), value);
    }
}
