//! Self-attention of one sequence, written once with the trait `Wide`: `LANES` numbers in a
//! kernel's registers, because the compiler does not keep arrays of arrays in registers. The
//! exponentials are in `float`.
#![expect(unsafe_code, reason = "a kernel's registers exist only where its processor is")]

use super::AttentionScratch;
use super::float::{LANES, soften};
use crate::layout::{HEAD, HIDDEN};

/// The number of registers of `LANES` numbers per head.
const PARTS: usize = HEAD / LANES;

/// `LANES` numbers that are processed together.
pub(super) trait Wide: Copy {
    /// True if a multiply-add rounds once, also in `float`.
    const FUSED: bool;

    /// Returns a value in all lanes.
    ///
    /// # Safety
    ///
    /// For all functions of this trait, the processor must support the kernel's instructions.
    unsafe fn splat(value: f32) -> Self;
    /// # Safety
    ///
    /// As `splat`.
    unsafe fn load(from: &[f32; LANES]) -> Self;
    /// # Safety
    ///
    /// As `splat`.
    unsafe fn store(self, to: &mut [f32; LANES]);
    /// Returns `self · by + add`.
    ///
    /// # Safety
    ///
    /// As `splat`.
    unsafe fn multiply_add(self, by: Self, add: Self) -> Self;
}

/// Plain arrays, for any processor.
#[derive(Clone, Copy)]
pub(super) struct Plain([f32; LANES]);

impl Wide for Plain {
    const FUSED: bool = false;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Plain([value; LANES])
    }

    #[inline(always)]
    unsafe fn load(from: &[f32; LANES]) -> Self {
        Plain(*from)
    }

    #[inline(always)]
    unsafe fn store(self, to: &mut [f32; LANES]) {
        *to = self.0;
    }

    #[inline(always)]
    unsafe fn multiply_add(mut self, by: Self, add: Self) -> Self {
        for lane in 0..LANES {
            self.0[lane] = self.0[lane] * by.0[lane] + add.0[lane];
        }
        self
    }
}

/// See `Kernels::attend`. `QUERIES` queries are scored together, against `GROUPS · LANES` keys at a
/// time. `SUMMED` of them share one pass over the values, as many as fit in the registers. `SUMMED`
/// divides `QUERIES`.
///
/// # Safety
///
/// The processor must support the instructions of `W`.
#[inline(always)]
pub(super) unsafe fn attend<W: Wide, const QUERIES: usize, const GROUPS: usize, const SUMMED: usize>(
    query_key_value: &[f32],
    output: &mut [f32],
    scratch: &mut AttentionScratch,
) {
    let tokens = query_key_value.len() / (3 * HIDDEN);
    let padded = tokens.next_multiple_of(LANES);
    scratch.keys.resize(HEAD * padded, 0.0);
    scratch.values.resize(tokens * HEAD, 0.0);
    scratch.scores.resize(QUERIES * padded, 0.0);
    let AttentionScratch { keys, values, scores } = scratch;
    for head in 0..HIDDEN / HEAD {
        for (token, row) in query_key_value.chunks_exact(3 * HIDDEN).enumerate() {
            let part = |index: usize| &row[index * HIDDEN + head * HEAD..][..HEAD];
            values[token * HEAD..][..HEAD].copy_from_slice(part(2));
            for (dimension, key) in part(1).iter().enumerate() {
                keys[dimension * padded + token] = *key;
            }
        }
        for first in (0..tokens).step_by(QUERIES) {
            let queries: [&[f32; HEAD]; QUERIES] = std::array::from_fn(|index| {
                let token = (first + index).min(tokens - 1);
                query_key_value[token * 3 * HIDDEN + head * HEAD..].first_chunk().unwrap_or(&[0.0; HEAD])
            });
            let whole = padded - padded % (GROUPS * LANES);
            // SAFETY: guaranteed by the caller.
            unsafe {
                for start in (0..whole).step_by(GROUPS * LANES) {
                    score::<W, QUERIES, GROUPS>(&queries, &keys[start..], padded, &mut scores[start..]);
                }
                for start in (whole..padded).step_by(LANES) {
                    score::<W, QUERIES, 1>(&queries, &keys[start..], padded, &mut scores[start..]);
                }
            }
            for summed in (0..QUERIES.min(tokens - first)).step_by(SUMMED) {
                let scores = &mut scores[summed * padded..][..SUMMED * padded];
                let mut shares = [0.0; SUMMED];
                for (share, scores) in shares.iter_mut().zip(scores.chunks_exact_mut(padded)) {
                    *share = if W::FUSED {
                        soften::<true>(scores, tokens)
                    } else {
                        soften::<false>(scores, tokens)
                    };
                }
                let mut sums = [[0.0; HEAD]; SUMMED];
                // SAFETY: guaranteed by the caller.
                unsafe { weigh::<W, SUMMED>(scores, padded, values, &mut sums) };
                let outputs = output[(first + summed) * HIDDEN..].chunks_exact_mut(HIDDEN);
                for ((output, sums), share) in outputs.zip(&sums).zip(shares) {
                    for (output, sum) in output[head * HEAD..].iter_mut().zip(sums) {
                        *output = sum * share;
                    }
                }
            }
        }
    }
}

/// Computes the dot products of `QUERIES` queries with `GROUPS · LANES` keys. Rows of keys and of
/// scores have the length `padded`.
///
/// # Safety
///
/// The processor must support the instructions of `W`.
#[inline(always)]
unsafe fn score<W: Wide, const QUERIES: usize, const GROUPS: usize>(
    queries: &[&[f32; HEAD]; QUERIES],
    keys: &[f32],
    padded: usize,
    scores: &mut [f32],
) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let mut sums = [[W::splat(0.0); GROUPS]; QUERIES];
        for dimension in 0..HEAD {
            let Some(lanes) = keys[dimension * padded..].as_chunks::<LANES>().0.first_chunk::<GROUPS>()
            else {
                return;
            };
            let mut keys = [W::splat(0.0); GROUPS];
            for group in 0..GROUPS {
                keys[group] = W::load(&lanes[group]);
            }
            for query in 0..QUERIES {
                let value = W::splat(queries[query][dimension]);
                for group in 0..GROUPS {
                    sums[query][group] = keys[group].multiply_add(value, sums[query][group]);
                }
            }
        }
        for query in 0..QUERIES {
            let own = scores[query * padded..].as_chunks_mut::<LANES>().0.first_chunk_mut::<GROUPS>();
            let Some(own) = own else { return };
            for group in 0..GROUPS {
                sums[query][group].store(&mut own[group]);
            }
        }
    }
}

/// Computes the sums of the values, weighted by the scores of `SUMMED` queries.
///
/// # Safety
///
/// The processor must support the instructions of `W`.
#[inline(always)]
unsafe fn weigh<W: Wide, const SUMMED: usize>(
    scores: &[f32],
    padded: usize,
    values: &[f32],
    found: &mut [[f32; HEAD]; SUMMED],
) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let mut sums = [[W::splat(0.0); PARTS]; SUMMED];
        let mut rows = [scores; SUMMED];
        for (index, row) in rows.iter_mut().enumerate() {
            *row = &scores[index * padded..][..padded];
        }
        for (token, values) in values.as_chunks::<HEAD>().0.iter().enumerate() {
            let values = values.as_chunks::<LANES>().0;
            let mut parts = [W::splat(0.0); PARTS];
            for part in 0..PARTS {
                parts[part] = W::load(&values[part]);
            }
            for index in 0..SUMMED {
                let score = W::splat(rows[index][token]);
                for part in 0..PARTS {
                    sums[index][part] = parts[part].multiply_add(score, sums[index][part]);
                }
            }
        }
        for index in 0..SUMMED {
            let found = found[index].as_chunks_mut::<LANES>().0;
            for part in 0..PARTS {
                sums[index][part].store(&mut found[part]);
            }
        }
    }
}
