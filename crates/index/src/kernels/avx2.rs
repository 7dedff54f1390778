//! The loops with AVX2: sixteen values of a dot product in one step, or two bytes of sixteen
//! sketches.
#![expect(unsafe_code, reason = "vector instructions; every block says why it is sound")]

use std::arch::x86_64::{
    __m128i, __m256i, _MM_HINT_T0, _mm_add_epi32, _mm_cvtsi128_si32, _mm_load_si128, _mm_prefetch,
    _mm_shuffle_epi32, _mm256_add_epi8, _mm256_add_epi16, _mm256_add_epi32, _mm256_and_si256,
    _mm256_castsi256_si128, _mm256_cmpeq_epi16, _mm256_cvtepi8_epi16, _mm256_extracti128_si256,
    _mm256_load_si256, _mm256_madd_epi16, _mm256_min_epu16, _mm256_movemask_epi8, _mm256_packs_epi16,
    _mm256_permute2x128_si256, _mm256_permute4x64_epi64, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_slli_epi16, _mm256_srli_epi16, _mm256_storeu_si256,
    _mm256_sub_epi16, _mm256_unpackhi_epi16, _mm256_unpacklo_epi16,
};

use super::{GROUP, Kernels, LINE, Line, Tables, Tile, WideLine, blocks};

/// Returns the loops, if this machine has the instructions.
pub(super) fn kernels() -> Option<Kernels> {
    let able = is_x86_feature_detected!("avx2");
    able.then_some(Kernels { name: "avx2", dot, dot_rows, near, ask_row, ask_tiles })
}

fn dot(question: &[WideLine], row: &[Line]) -> i32 {
    // SAFETY: this function is reached through `kernels` only, which saw that the machine has AVX2.
    unsafe { dot_avx2(question, row) }
}

fn dot_rows(left: &[Line], right: &[Line]) -> i32 {
    // SAFETY: this function is reached through `kernels` only, which saw that the machine has AVX2.
    unsafe { dot_rows_avx2(left, right) }
}

/// Also used by the `avx_vnni` kernels, which require AVX2 as well.
pub(super) fn near(
    tables: &[Tables],
    tiles: &[Tile],
    wanted: u64,
    limit: u16,
    distances: &mut [u16; GROUP],
) -> u64 {
    // SAFETY: this function is reached through the `kernels` of this file and of `avx_vnni`, which
    // saw AVX2.
    unsafe { near_avx2(tables, tiles, wanted, limit, distances) }
}

/// Prefetches a row.
pub(super) fn ask_row(row: &[Line]) {
    for line in row {
        // SAFETY: SSE is part of x86_64, and a prefetch reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.0.as_ptr()) }
    }
}

/// Prefetches the tiles of a block.
pub(super) fn ask_tiles(tiles: &[Tile]) {
    for tile in tiles {
        // SAFETY: SSE is part of x86_64, and a prefetch reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(tile.0.as_ptr().cast::<i8>()) }
    }
}

#[target_feature(enable = "avx2")]
fn dot_avx2(question: &[WideLine], row: &[Line]) -> i32 {
    let mut sums = [_mm256_setzero_si256(); 2];
    for (q, v) in question.iter().zip(row) {
        for at in (0..LINE).step_by(16) {
            let (q, v) = (wide(q, at), widened(v, at));
            let sum = &mut sums[at / 16 % 2];
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(q, v));
        }
    }
    total(_mm256_add_epi32(sums[0], sums[1]))
}

#[target_feature(enable = "avx2")]
fn dot_rows_avx2(left: &[Line], right: &[Line]) -> i32 {
    let mut sums = [_mm256_setzero_si256(); 2];
    for (a, b) in left.iter().zip(right) {
        for at in (0..LINE).step_by(16) {
            let (a, b) = (widened(a, at), widened(b, at));
            let sum = &mut sums[at / 16 % 2];
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(a, b));
        }
    }
    total(_mm256_add_epi32(sums[0], sums[1]))
}

/// Sixteen values of a question from `at`, which is a multiple of 16 below 64.
#[target_feature(enable = "avx2")]
pub(super) fn wide(line: &WideLine, at: usize) -> __m256i {
    debug_assert!(at.is_multiple_of(16) && at < LINE);
    // Loads sixteen values of a question from `at`, which is a multiple of 16 below 64.
    unsafe { _mm256_load_si256(line.0.as_ptr().add(at).cast::<__m256i>()) }
}

/// Loads sixteen values of a row from `at`, a multiple of 16 below 64, extended to two bytes each.
#[target_feature(enable = "avx2")]
pub(super) fn widened(line: &Line, at: usize) -> __m256i {
    debug_assert!(at.is_multiple_of(16) && at < LINE);
    // SAFETY: `at` is 0, 16, 32 or 48, so the 16 bytes are within the line; lines are aligned to 64
    // bytes.
    _mm256_cvtepi8_epi16(unsafe { _mm_load_si128(line.0.as_ptr().add(at).cast::<__m128i>()) })
}

#[target_feature(enable = "avx2")]
pub(super) fn total(sums: __m256i) -> i32 {
    let four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b00_00_11_10>(four));
    _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b00_00_00_01>(two)))
}

#[target_feature(enable = "avx2")]
fn near_avx2(
    tables: &[Tables],
    tiles: &[Tile],
    wanted: u64,
    limit: u16,
    distances: &mut [u16; GROUP],
) -> u64 {
    let limit = _mm256_set1_epi16(limit.cast_signed());
    let mut near = 0;
    for (first, tiles, rows) in blocks(tables.len(), tiles, wanted) {
        let sums = block(tables, tiles);
        // A sum is within the limit if it equals the minimum of both. The masks are reduced to one
        // byte each, then to one bit each.
        let within = _mm256_cmpeq_epi16(_mm256_min_epu16(sums, limit), sums);
        let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(within, within));
        near |= u64::from(_mm256_movemask_epi8(bytes) as u16 & rows) << first;
        if let Some(to) = distances.get_mut(first..first + 16) {
            // SAFETY: `to` has room for sixteen values of two bytes; the store needs no alignment.
            unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast::<__m256i>(), sums) }
        }
    }
    near
}

/// Returns the sums of the tables for sixteen rows, in order.
///
/// A 16-bit lane of `sums` accumulates a pair of rows as `low + 256 · high`, and `highs`
/// accumulates the high one alone. The low one is the difference.
#[target_feature(enable = "avx2")]
fn block(tables: &[Tables], tiles: &[Tile]) -> __m256i {
    let (mut sums, mut highs) = (_mm256_setzero_si256(), _mm256_setzero_si256());
    for (tables, tile) in tables.iter().zip(tiles) {
        // Four values of at most TABLE_MAX fit a byte.
        let four = _mm256_add_epi8(looked_up(tables, tile, 0), looked_up(tables, tile, 32));
        sums = _mm256_add_epi16(sums, four);
        highs = _mm256_add_epi16(highs, _mm256_srli_epi16::<8>(four));
    }
    let (sums, highs) = (folded(sums), folded(highs));
    let lows = _mm256_sub_epi16(sums, _mm256_slli_epi16::<8>(highs));
    let (left, right) = (_mm256_unpacklo_epi16(lows, highs), _mm256_unpackhi_epi16(lows, highs));
    _mm256_permute2x128_si256::<0x20>(left, right)
}

/// Looks up two bytes of sixteen rows in the tables, both halves together. `at` is 0 or 32.
#[target_feature(enable = "avx2")]
fn looked_up(tables: &Tables, tile: &Tile, at: usize) -> __m256i {
    let half = _mm256_set1_epi8(15);
    let bytes = load(&tile.0, at);
    let low = _mm256_shuffle_epi8(load(&tables.low, at), _mm256_and_si256(bytes, half));
    let high =
        _mm256_shuffle_epi8(load(&tables.high, at), _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), half));
    _mm256_add_epi8(low, high)
}

/// Returns the sum of both halves, in both halves.
#[target_feature(enable = "avx2")]
fn folded(sums: __m256i) -> __m256i {
    _mm256_add_epi16(sums, _mm256_permute2x128_si256::<0x01>(sums, sums))
}

#[target_feature(enable = "avx2")]
fn load(bytes: &[u8; LINE], at: usize) -> __m256i {
    debug_assert!(at == 0 || at == 32);
    // SAFETY: `at` is 0 or 32, so 32 bytes are readable; the bytes are parts of types aligned to
    // 64, at offsets that are multiples of 64.
    unsafe { _mm256_load_si256(bytes.as_ptr().add(at).cast::<__m256i>()) }
}
