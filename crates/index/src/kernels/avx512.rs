//! The loops with AVX-512 (BW, VL, VNNI): 32 values of a dot product in one step, or four bytes of
//! sixteen sketches.
#![expect(unsafe_code, reason = "vector instructions; every block says why it is sound")]

use std::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_add_epi16, _mm_cmple_epu16_mask, _mm_slli_epi16, _mm_storeu_si128,
    _mm_sub_epi16, _mm_unpackhi_epi16, _mm_unpacklo_epi16, _mm256_add_epi16, _mm256_castsi256_si128,
    _mm256_extracti128_si256, _mm256_load_si256, _mm512_add_epi8, _mm512_add_epi16, _mm512_add_epi32,
    _mm512_and_si512, _mm512_castsi512_si256, _mm512_cvtepi8_epi16, _mm512_dpwssd_epi32,
    _mm512_extracti64x4_epi64, _mm512_load_si512, _mm512_reduce_add_epi32, _mm512_set1_epi8,
    _mm512_setzero_si512, _mm512_shuffle_epi8, _mm512_srli_epi16,
};

use super::avx2::{ask_row, ask_tiles};
use super::{GROUP, Kernels, LINE, Line, Tables, Tile, WideLine, blocks};

/// Returns the loops, if this machine has the instructions.
pub(super) fn kernels() -> Option<Kernels> {
    let able = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni");
    able.then_some(Kernels { name: "avx512", dot, dot_rows, near, ask_row, ask_tiles })
}

fn dot(question: &[WideLine], row: &[Line]) -> i32 {
    // SAFETY: this function is reached through `kernels` only, which saw that the machine has the
    // instructions.
    unsafe { dot_avx512(question, row) }
}

fn dot_rows(left: &[Line], right: &[Line]) -> i32 {
    // SAFETY: this function is reached through `kernels` only, which saw that the machine has the
    // instructions.
    unsafe { dot_rows_avx512(left, right) }
}

fn near(tables: &[Tables], tiles: &[Tile], wanted: u64, limit: u16, distances: &mut [u16; GROUP]) -> u64 {
    // SAFETY: this function is reached through `kernels` only, which saw that the machine has the
    // instructions.
    unsafe { near_avx512(tables, tiles, wanted, limit, distances) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn dot_avx512(question: &[WideLine], row: &[Line]) -> i32 {
    let mut sums = [_mm512_setzero_si512(); 2];
    for (q, v) in question.iter().zip(row) {
        for (sum, at) in sums.iter_mut().zip([0, 32]) {
            *sum = _mm512_dpwssd_epi32(*sum, wide(q, at), widened(v, at));
        }
    }
    _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1]))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn dot_rows_avx512(left: &[Line], right: &[Line]) -> i32 {
    let mut sums = [_mm512_setzero_si512(); 2];
    for (a, b) in left.iter().zip(right) {
        for (sum, at) in sums.iter_mut().zip([0, 32]) {
            *sum = _mm512_dpwssd_epi32(*sum, widened(a, at), widened(b, at));
        }
    }
    _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1]))
}

/// Loads half of a question's line, from 0 or from 32.
#[target_feature(enable = "avx512f")]
fn wide(line: &WideLine, at: usize) -> __m512i {
    debug_assert!(at == 0 || at == 32);
    // SAFETY: `at` is 0 or 32, so the 64 bytes are within the line; lines are aligned to 64 bytes.
    unsafe { _mm512_load_si512(line.0.as_ptr().add(at).cast::<__m512i>()) }
}

/// Loads half of a row's line, from 0 or from 32, extended to two bytes each.
#[target_feature(enable = "avx512f,avx512bw")]
fn widened(line: &Line, at: usize) -> __m512i {
    debug_assert!(at == 0 || at == 32);
    // SAFETY: `at` is 0 or 32, so the 32 bytes are within the line; lines are aligned to 64 bytes.
    _mm512_cvtepi8_epi16(unsafe { _mm256_load_si256(line.0.as_ptr().add(at).cast::<__m256i>()) })
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn near_avx512(
    tables: &[Tables],
    tiles: &[Tile],
    wanted: u64,
    limit: u16,
    distances: &mut [u16; GROUP],
) -> u64 {
    let mut near = 0;
    for (first, tiles, rows) in blocks(tables.len(), tiles, wanted) {
        let (left, right) = block(tables, tiles);
        let within = _mm_cmple_epu16_mask(left, set(limit)) as u16
            | (_mm_cmple_epu16_mask(right, set(limit)) as u16) << 8;
        near |= u64::from(within & rows) << first;
        if let Some(to) = distances.get_mut(first..first + 16) {
            // SAFETY: `to` has room for sixteen values of two bytes; the stores need no alignment.
            unsafe {
                _mm_storeu_si128(to.as_mut_ptr().cast::<__m128i>(), left);
                _mm_storeu_si128(to.as_mut_ptr().add(8).cast::<__m128i>(), right);
            }
        }
    }
    near
}

/// Returns the sums of the tables for sixteen rows, in order.
///
/// A 16-bit lane of `sums` accumulates a pair of rows as `low + 256 · high`, and `highs`
/// accumulates the high one alone. The low one is the difference.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn block(tables: &[Tables], tiles: &[Tile]) -> (__m128i, __m128i) {
    let (mut sums, mut highs) = (_mm512_setzero_si512(), _mm512_setzero_si512());
    let ((tables, _), (tiles, _)) = (tables.as_chunks::<2>(), tiles.as_chunks::<2>());
    for (tables, tiles) in tables.iter().zip(tiles) {
        // Four values of at most TABLE_MAX fit a byte.
        let four = _mm512_add_epi8(looked_up(&tables[0], &tiles[0]), looked_up(&tables[1], &tiles[1]));
        sums = _mm512_add_epi16(sums, four);
        highs = _mm512_add_epi16(highs, _mm512_srli_epi16::<8>(four));
    }
    let (sums, highs) = (folded(sums), folded(highs));
    let lows = _mm_sub_epi16(sums, _mm_slli_epi16::<8>(highs));
    (_mm_unpacklo_epi16(lows, highs), _mm_unpackhi_epi16(lows, highs))
}

/// Looks up each byte in the tables, low half and high half together.
#[target_feature(enable = "avx512f,avx512bw")]
fn looked_up(tables: &Tables, tile: &Tile) -> __m512i {
    let half = _mm512_set1_epi8(15);
    let bytes = load(&tile.0);
    let low = _mm512_shuffle_epi8(load(&tables.low), _mm512_and_si512(bytes, half));
    let high = _mm512_shuffle_epi8(load(&tables.high), _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), half));
    _mm512_add_epi8(low, high)
}

/// Returns the sum of the four quarters.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn folded(sums: __m512i) -> __m128i {
    let half = _mm256_add_epi16(_mm512_castsi512_si256(sums), _mm512_extracti64x4_epi64::<1>(sums));
    _mm_add_epi16(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half))
}

#[target_feature(enable = "avx512f")]
fn load(bytes: &[u8; LINE]) -> __m512i {
    // SAFETY: 64 bytes are readable; they are parts of types aligned to 64, at offsets that are
    // multiples of 64.
    unsafe { _mm512_load_si512(bytes.as_ptr().cast::<__m512i>()) }
}

#[target_feature(enable = "avx512f")]
fn set(limit: u16) -> __m128i {
    std::arch::x86_64::_mm_set1_epi16(limit.cast_signed())
}
