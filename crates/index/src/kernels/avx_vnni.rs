//! The loops with AVX-VNNI, for processors that have it without AVX-512: dot products take one
//! instruction less.
#![expect(unsafe_code, reason = "vector instructions; every block says why it is sound")]

use std::arch::x86_64::{_mm256_add_epi32, _mm256_dpwssd_avx_epi32, _mm256_setzero_si256};

use super::avx2::{ask_row, ask_tiles, near, total, wide, widened};
use super::{Kernels, LINE, Line, WideLine};

/// Returns the loops, if this machine has the instructions.
pub(super) fn kernels() -> Option<Kernels> {
    let able = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxvnni");
    able.then_some(Kernels { name: "avx_vnni", dot, dot_rows, near, ask_row, ask_tiles })
}

fn dot(question: &[WideLine], row: &[Line]) -> i32 {
    // SAFETY: this function is reached through `kernels` only, which saw that the machine has the
    // instructions.
    unsafe { dot_vnni(question, row) }
}

fn dot_rows(left: &[Line], right: &[Line]) -> i32 {
    // SAFETY: this function is reached through `kernels` only, which saw that the machine has the
    // instructions.
    unsafe { dot_rows_vnni(left, right) }
}

#[target_feature(enable = "avx2,avxvnni")]
fn dot_vnni(question: &[WideLine], row: &[Line]) -> i32 {
    let mut sums = [_mm256_setzero_si256(); 2];
    for (q, v) in question.iter().zip(row) {
        for at in (0..LINE).step_by(16) {
            let sum = &mut sums[at / 16 % 2];
            *sum = _mm256_dpwssd_avx_epi32(*sum, wide(q, at), widened(v, at));
        }
    }
    total(_mm256_add_epi32(sums[0], sums[1]))
}

#[target_feature(enable = "avx2,avxvnni")]
fn dot_rows_vnni(left: &[Line], right: &[Line]) -> i32 {
    let mut sums = [_mm256_setzero_si256(); 2];
    for (a, b) in left.iter().zip(right) {
        for at in (0..LINE).step_by(16) {
            let sum = &mut sums[at / 16 % 2];
            *sum = _mm256_dpwssd_avx_epi32(*sum, widened(a, at), widened(b, at));
        }
    }
    total(_mm256_add_epi32(sums[0], sums[1]))
}
