//! The loops with AVX2 and POPCNT.
#![expect(unsafe_code, reason = "vector instructions; every block says why it is sound")]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_load_si128, _mm_shuffle_epi32, _mm256_add_epi32,
    _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_extracti128_si256, _mm256_load_si256,
    _mm256_madd_epi16, _mm256_setzero_si256,
};

use super::{Kernels, LINE, Line, WideLine};

/// The loops, where this machine has the instructions.
pub(super) fn kernels() -> Option<Kernels> {
    let able = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt");
    able.then_some(Kernels { dot, dot_rows, distances })
}

fn dot(question: &[WideLine], row: &[Line]) -> i32 {
    // SAFETY: this function is reached through `kernels` only, which saw that the machine has AVX2.
    unsafe { dot_avx2(question, row) }
}

fn dot_rows(left: &[Line], right: &[Line]) -> i32 {
    // SAFETY: this function is reached through `kernels` only, which saw that the machine has AVX2.
    unsafe { dot_rows_avx2(left, right) }
}

fn distances(sketch: &[u64], rows: &[u64], distances: &mut Vec<u16>) {
    // SAFETY: this function is reached through `kernels` only, which saw that the machine has POPCNT.
    unsafe { distances_popcnt(sketch, rows, distances) }
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
fn wide(line: &WideLine, at: usize) -> __m256i {
    debug_assert!(at.is_multiple_of(16) && at < LINE);
    // SAFETY: `at` is 0, 16, 32 or 48, so the 32 bytes are within the line; lines are aligned to 64 bytes.
    unsafe { _mm256_load_si256(line.0.as_ptr().add(at).cast::<__m256i>()) }
}

/// Sixteen values of a row from `at`, a multiple of 16 below 64, with two bytes each.
#[target_feature(enable = "avx2")]
fn widened(line: &Line, at: usize) -> __m256i {
    debug_assert!(at.is_multiple_of(16) && at < LINE);
    // SAFETY: `at` is 0, 16, 32 or 48, so the 16 bytes are within the line; lines are aligned to 64 bytes.
    _mm256_cvtepi8_epi16(unsafe { _mm_load_si128(line.0.as_ptr().add(at).cast::<__m128i>()) })
}

#[target_feature(enable = "avx2")]
fn total(sums: __m256i) -> i32 {
    let four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b00_00_11_10>(four));
    _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b00_00_00_01>(two)))
}

#[target_feature(enable = "popcnt")]
fn distances_popcnt(sketch: &[u64], rows: &[u64], distances: &mut Vec<u16>) {
    distances.clear();
    if sketch.is_empty() {
        return;
    }
    // The usual length (384 bits) apart: the compiler then unrolls the row.
    if let Ok(sketch) = <&[u64; 6]>::try_from(sketch) {
        let (rows, _) = rows.as_chunks::<6>();
        distances.reserve(rows.len());
        for row in rows {
            let mut ones = 0;
            for (a, b) in row.iter().zip(sketch) {
                ones += (a ^ b).count_ones();
            }
            distances.push(ones as u16);
        }
        return;
    }
    for row in rows.chunks_exact(sketch.len()) {
        let mut ones = 0;
        for (a, b) in row.iter().zip(sketch) {
            ones += (a ^ b).count_ones();
        }
        distances.push(ones as u16);
    }
}
