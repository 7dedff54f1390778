//! The arithmetic, once per kind of processor. `portable` is plain Rust and says what every other file must compute:
//! whatever is integer is equal bit for bit, f32 sums differ only in rounding. The fastest that the processor runs is chosen
//! once. `float` and `attention` are the f32 half, written once and compiled for each; `views` is where bytes become numbers.
//!
//! To add one: a file with a `Kernels` that only exists where the processor can run it, a line in `choose`, a line in the
//! tests' `all`.

use std::sync::OnceLock;

use crate::weights::{Matrix, Norm};

mod attention;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512vnni;
#[cfg(target_arch = "x86_64")]
mod avxvnni;
#[cfg(target_arch = "x86_64")]
mod centred;
mod float;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
pub(crate) mod views;

#[cfg(target_arch = "x86_64")]
use centred::CentredRows;

/// Rows of activations as unsigned bytes: row `r` stands for `scales[r] · (byte − zeros[r])`.
#[derive(Default)]
pub(crate) struct QuantisedRows {
    /// Length of a row.
    inputs: usize,
    bytes: Vec<u8>,
    scales: Vec<f32>,
    zeros: Vec<i32>,
    /// For kernels whose products of unsigned bytes would saturate; others leave it empty.
    #[cfg(target_arch = "x86_64")]
    centred: CentredRows,
}

/// What attention needs beside its input and output, kept between calls.
#[derive(Default)]
pub(crate) struct AttentionScratch {
    /// One head's keys, transposed: a row per dimension, as long as the tokens rounded up to `float::LANES`.
    keys: Vec<f32>,
    /// One head's values, a row per token.
    values: Vec<f32>,
    /// A few queries' scores, a row each, as long as the rows of `keys`.
    scores: Vec<f32>,
}

/// One processor's arithmetic. Lengths are the caller's business; a slice that is too short gives too few results.
pub(crate) trait Kernels: Send + Sync {
    /// For reports.
    fn name(&self) -> &'static str;
    /// Each row of `inputs` numbers by itself, so that a row never depends on its neighbours.
    fn quantise(&self, input: &[f32], inputs: usize, rows: &mut QuantisedRows);
    /// `output[r][n] = Σ rows[r] · weights[n] + bias[n]`, for all `n`.
    fn multiply(&self, rows: &QuantisedRows, matrix: &Matrix<'_>, output: &mut [f32]);
    /// Adds `other` to each row of `rows`, then normalises the row.
    fn add_and_normalise(&self, rows: &mut [f32], other: &[f32], norm: &Norm<'_>);
    /// The Gaussian error linear unit, by the error function and not by its tanh approximation.
    fn gelu(&self, values: &mut [f32]);
    /// Self-attention of one sequence: rows of query, key and value in, rows of joined heads out.
    fn attend(&self, query_key_value: &[f32], output: &mut [f32], scratch: &mut AttentionScratch);
}

/// The fastest kernels this processor runs; decided at the first call.
pub(crate) fn choose() -> &'static dyn Kernels {
    static CHOSEN: OnceLock<&'static dyn Kernels> = OnceLock::new();
    *CHOSEN.get_or_init(|| all().last().copied().unwrap_or(&portable::Portable))
}

/// All that this processor runs, slowest first.
pub(crate) fn all() -> Vec<&'static dyn Kernels> {
    let mut kernels: Vec<&'static dyn Kernels> = vec![&portable::Portable];
    #[cfg(target_arch = "x86_64")]
    {
        kernels.extend(avx2::Avx2::detect().map(|found| found as &dyn Kernels));
        kernels.extend(avxvnni::AvxVnni::detect().map(|found| found as &dyn Kernels));
        kernels.extend(avx512vnni::Avx512Vnni::detect().map(|found| found as &dyn Kernels));
    }
    #[cfg(target_arch = "aarch64")]
    kernels.extend(neon::Neon::detect().map(|found| found as &dyn Kernels));
    kernels
}

/// Some rows that a kernel works on together.
#[derive(Clone, Copy)]
struct Tile {
    first: usize,
    rows: usize,
    /// Which part of the next weights this tile fetches meanwhile, and into how many parts they are cut; `None` when they
    /// are already on their way. A weight is used once for all rows and comes from far away: without this the first tiles
    /// wait for the third cache, and a text of a question's length spends half its time there.
    fetches: Option<(usize, usize)>,
}

/// Cuts `rows` rows into tiles of at most `most`, as even as they can be.
fn tiles(rows: usize, most: usize) -> impl Iterator<Item = Tile> {
    let count = rows.div_ceil(most);
    (0..count).map(move |index| {
        let (first, next) = (index * rows / count, (index + 1) * rows / count);
        Tile { first, rows: next - first, fetches: (index < 2).then_some((index, count.min(2))) }
    })
}

impl QuantisedRows {
    fn clear(&mut self, inputs: usize) {
        self.inputs = inputs;
        self.bytes.clear();
        self.scales.clear();
        self.zeros.clear();
        #[cfg(target_arch = "x86_64")]
        self.centred.clear();
    }

    fn len(&self) -> usize {
        self.scales.len()
    }
}

#[cfg(test)]
mod tests;
