//! Self-attention of one sequence, written once on `Wide` numbers: `LANES` of them in a kernel's own registers, because the
//! compiler does not keep arrays of arrays there by itself. The exponentials are `float`'s.
#![expect(unsafe_code, reason = "a kernel's registers exist only where its processor is")]

use super::AttentionScratch;
use super::float::{LANES, soften};
use crate::layout::{HEAD, HIDDEN};

/// Registers of `LANES` numbers to a head.
const PARTS: usize = HEAD / LANES;

/// `LANES` numbers that are worked on at once.
pub(super) trait Wide: Copy {
    /// Whether a multiply-add rounds once, in `float` too.
    const FUSED: bool;

    /// All lanes the same.
    ///
    /// # Safety
    ///
    /// Of this and the others: the processor has the kernel's instructions.
    unsafe fn splat(value: f32) -> Self;
    /// # Safety
    ///
    /// As `splat`.
    unsafe fn load(from: &[f32; LANES]) -> Self;
    /// # Safety
    ///
    /// As `splat`.
    unsafe fn store(self, to: &mut [f32; LANES]);
    /// `self · by + add`.
    ///
    /// # Safety
    ///
    /// As `splat`.
    unsafe fn multiply_add(self, by: Self, add: Self) -> Self;
}

/// Plain numbers, for any processor.
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

/// See `Kernels::attend`. `QUERIES` queries are scored together, against `GROUPS · LANES` keys at a time, and `SUMMED` of them
/// share one pass over the values: as many as the registers hold. `SUMMED` divides `QUERIES`.
///
/// # Safety
///
/// The processor has the instructions of `W`.
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
            // SAFETY: the caller's promise.
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
                // SAFETY: the caller's promise.
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

/// Dot products of `QUERIES` queries with `GROUPS · LANES` keys. Rows of keys and of scores are `padded` long.
///
/// # Safety
///
/// The processor has the instructions of `W`.
#[inline(always)]
unsafe fn score<W: Wide, const QUERIES: usize, const GROUPS: usize>(
    queries: &[&[f32; HEAD]; QUERIES],
    keys: &[f32],
    padded: usize,
    scores: &mut [f32],
) {
    // SAFETY: the caller's promise.
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

/// Sums of the values, weighed by the scores of `SUMMED` queries.
///
/// # Safety
///
/// The processor has the instructions of `W`.
#[inline(always)]
unsafe fn weigh<W: Wide, const SUMMED: usize>(
    scores: &[f32],
    padded: usize,
    values: &[f32],
    found: &mut [[f32; HEAD]; SUMMED],
) {
    // SAFETY: the caller's promise.
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
