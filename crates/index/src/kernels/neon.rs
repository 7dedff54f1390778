//! The loops with NEON, which every 64-bit ARM has: eight values of a dot product in one step, or
//! one byte of sixteen sketches.
#![expect(unsafe_code, reason = "vector instructions; every block says why it is sound")]

use std::arch::aarch64::{
    int8x16_t, int32x4_t, uint8x16_t, uint16x8_t, vaddq_s32, vaddq_u8, vaddvq_s32, vaddw_high_u8, vaddw_u8,
    vandq_u8, vdupq_n_s32, vdupq_n_u8, vdupq_n_u16, vget_high_s8, vget_high_s16, vget_low_s8, vget_low_s16,
    vget_low_u8, vld1q_s8, vld1q_s16, vld1q_u8, vmlal_s16, vmovl_s8, vqtbl1q_u8, vshrq_n_u8, vst1q_u16,
};

use super::{BLOCK, GROUP, Kernels, LINE, Line, Tables, Tile, WideLine, blocks};

/// Returns the loops, if this machine has the instructions.
pub(super) fn kernels() -> Option<Kernels> {
    let able = std::arch::is_aarch64_feature_detected!("neon");
    able.then_some(Kernels { name: "neon", dot, dot_rows, near, ask_row, ask_tiles })
}

fn dot(question: &[WideLine], row: &[Line]) -> i32 {
    // SAFETY: this function is reached through `kernels` only, which saw that the machine has NEON.
    unsafe { dot_neon(question, row) }
}

fn dot_rows(left: &[Line], right: &[Line]) -> i32 {
    // SAFETY: this function is reached through `kernels` only, which saw that the machine has NEON.
    unsafe { dot_rows_neon(left, right) }
}

fn near(tables: &[Tables], tiles: &[Tile], wanted: u64, limit: u16, distances: &mut [u16; GROUP]) -> u64 {
    // SAFETY: this function is reached through `kernels` only, which saw that the machine has NEON.
    unsafe { near_neon(tables, tiles, wanted, limit, distances) }
}

fn ask_row(row: &[Line]) {
    row.iter().for_each(|line| ask(line.0.as_ptr().cast::<u8>()));
}

fn ask_tiles(tiles: &[Tile]) {
    tiles.iter().for_each(|tile| ask(tile.0.as_ptr()));
}

fn ask(line: *const u8) {
    // SAFETY: a prefetch reads and changes nothing at any address.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{line}]", line = in(reg) line, options(nostack, readonly, preserves_flags));
    }
}

#[target_feature(enable = "neon")]
fn dot_neon(question: &[WideLine], row: &[Line]) -> i32 {
    let mut sums = [vdupq_n_s32(0); 2];
    for (q, v) in question.iter().zip(row) {
        for at in (0..LINE).step_by(BLOCK) {
            let (values, [first, second]) = (bytes(v, at), [wide(q, at), wide(q, at + 8)]);
            sums = [
                products(sums[0], first, vmovl_s8(vget_low_s8(values))),
                products(sums[1], second, vmovl_s8(vget_high_s8(values))),
            ];
        }
    }
    vaddvq_s32(vaddq_s32(sums[0], sums[1]))
}

#[target_feature(enable = "neon")]
fn dot_rows_neon(left: &[Line], right: &[Line]) -> i32 {
    let mut sums = [vdupq_n_s32(0); 2];
    for (a, b) in left.iter().zip(right) {
        for at in (0..LINE).step_by(BLOCK) {
            let (a, b) = (bytes(a, at), bytes(b, at));
            sums = [
                products(sums[0], vmovl_s8(vget_low_s8(a)), vmovl_s8(vget_low_s8(b))),
                products(sums[1], vmovl_s8(vget_high_s8(a)), vmovl_s8(vget_high_s8(b))),
            ];
        }
    }
    vaddvq_s32(vaddq_s32(sums[0], sums[1]))
}

#[target_feature(enable = "neon")]
fn products(
    sums: int32x4_t,
    left: std::arch::aarch64::int16x8_t,
    right: std::arch::aarch64::int16x8_t,
) -> int32x4_t {
    let sums = vmlal_s16(sums, vget_low_s16(left), vget_low_s16(right));
    vmlal_s16(sums, vget_high_s16(left), vget_high_s16(right))
}

/// Loads sixteen values of a row from `at`, a multiple of 16 below 64.
#[target_feature(enable = "neon")]
fn bytes(line: &Line, at: usize) -> int8x16_t {
    debug_assert!(at + 16 <= LINE);
    // SAFETY: `at` is 0, 16, 32 or 48, so the 16 bytes are within the line; the load needs no
    // alignment.
    unsafe { vld1q_s8(line.0.as_ptr().add(at)) }
}

/// Loads eight values of a question from `at`, a multiple of 8 below 64.
#[target_feature(enable = "neon")]
fn wide(line: &WideLine, at: usize) -> std::arch::aarch64::int16x8_t {
    debug_assert!(at + 8 <= LINE);
    // SAFETY: `at` is a multiple of 8 below 64, so the 16 bytes are within the line; the load needs
    // no alignment.
    unsafe { vld1q_s16(line.0.as_ptr().add(at)) }
}

#[target_feature(enable = "neon")]
fn near_neon(
    tables: &[Tables],
    tiles: &[Tile],
    wanted: u64,
    limit: u16,
    distances: &mut [u16; GROUP],
) -> u64 {
    let mut near = 0;
    for (first, tiles, rows) in blocks(tables.len(), tiles, wanted) {
        let (left, right) = block(tables, tiles);
        if let Some(to) = distances.get_mut(first..first + BLOCK) {
            // SAFETY: `to` has room for sixteen values of two bytes; the stores need no alignment.
            unsafe {
                vst1q_u16(to.as_mut_ptr(), left);
                vst1q_u16(to.as_mut_ptr().add(8), right);
            }
            let within =
                to.iter().enumerate().fold(0u16, |bits, (at, sum)| bits | u16::from(*sum <= limit) << at);
            near |= u64::from(within & rows) << first;
        }
    }
    near
}

/// Returns the sums of the tables for sixteen rows, in order.
#[target_feature(enable = "neon")]
fn block(tables: &[Tables], tiles: &[Tile]) -> (uint16x8_t, uint16x8_t) {
    let (mut left, mut right) = (vdupq_n_u16(0), vdupq_n_u16(0));
    for (tables, tile) in tables.iter().zip(tiles) {
        for at in [0, 32] {
            // Four values of at most TABLE_MAX fit a byte.
            let four = vaddq_u8(looked_up(tables, tile, at), looked_up(tables, tile, at + 16));
            left = vaddw_u8(left, vget_low_u8(four));
            right = vaddw_high_u8(right, four);
        }
    }
    (left, right)
}

/// Looks up one byte of sixteen rows in the tables, low half and high half together. `at` is a
/// multiple of 16 below 64.
#[target_feature(enable = "neon")]
fn looked_up(tables: &Tables, tile: &Tile, at: usize) -> uint8x16_t {
    let bytes = load(&tile.0, at);
    let low = vqtbl1q_u8(load(&tables.low, at), vandq_u8(bytes, vdupq_n_u8(15)));
    let high = vqtbl1q_u8(load(&tables.high, at), vshrq_n_u8::<4>(bytes));
    vaddq_u8(low, high)
}

#[target_feature(enable = "neon")]
fn load(bytes: &[u8; LINE], at: usize) -> uint8x16_t {
    debug_assert!(at + 16 <= LINE);
    // SAFETY: `at` is 0, 16, 32 or 48, so 16 bytes are readable; the load needs no alignment.
    unsafe { vld1q_u8(bytes.as_ptr().add(at)) }
}
