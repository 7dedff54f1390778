//! The arithmetic, once per kind of processor. `portable` is plain Rust and defines the results of
//! all other kernels: integers are equal bit for bit, and f32 sums differ only in rounding. The
//! fastest kernels that the processor supports are selected once. `float` and `attention` contain
//! the f32 operations, written once and compiled for each kernel; `views` converts bytes to
//! numbers.
//!
//! To add one: a file with a `Kernels` that exists only if the processor supports it, a line in
//! `choose`, a line in the tests' `all`.

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
mod centred_rows;
mod float;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
pub(crate) mod views;

#[cfg(target_arch = "x86_64")]
use centred_rows::CentredRows;

/// Rows of activations as unsigned bytes: row `r` represents `scales[r] · (byte − zeros[r])`.
#[derive(Default)]
pub(crate) struct QuantisedRows {
    /// The length of a row.
    inputs: usize,
    bytes: Vec<u8>,
    scales: Vec<f32>,
    zeros: Vec<i32>,
    /// The centred form, for kernels whose products of unsigned bytes would saturate. It is empty
    /// for others.
    #[cfg(target_arch = "x86_64")]
    centred: CentredRows,
}

/// The buffers of attention, kept between calls.
#[derive(Default)]
pub(crate) struct AttentionScratch {
    /// The keys of one head, transposed: a row per dimension, with the number of tokens rounded up
    /// to a multiple of `float::LANES`.
    keys: Vec<f32>,
    /// The values of one head, a row per token.
    values: Vec<f32>,
    /// The scores of a few queries, a row each, as long as the rows of `keys`.
    scores: Vec<f32>,
}

/// The arithmetic of one processor. The caller ensures the lengths; a slice that is too short
/// yields fewer results.
pub(crate) trait Kernels: Send + Sync {
    /// Returns the name for reports.
    fn name(&self) -> &'static str;
    /// Quantises each row of `inputs` numbers separately, so that a row never depends on its
    /// neighbours.
    fn quantise(&self, input: &[f32], inputs: usize, rows: &mut QuantisedRows);
    /// Computes `output[r][n] = Σ rows[r] · weights[n] + bias[n]`, for all `n`.
    fn multiply(&self, rows: &QuantisedRows, matrix: &Matrix<'_>, output: &mut [f32]);
    /// Adds `other` to each row of `rows`, then normalises the row.
    fn add_and_normalise(&self, rows: &mut [f32], other: &[f32], norm: &Norm<'_>);
    /// Applies the Gaussian error linear unit, with the error function and not its tanh
    /// approximation.
    fn gelu(&self, values: &mut [f32]);
    /// Computes the self-attention of one sequence: rows of query, key and value in, rows of joined
    /// heads out.
    fn attend(&self, query_key_value: &[f32], output: &mut [f32], scratch: &mut AttentionScratch);
}

/// Returns the fastest kernels that this processor supports; selected at the first call.
pub(crate) fn choose() -> &'static dyn Kernels {
    static CHOSEN: OnceLock<&'static dyn Kernels> = OnceLock::new();
    *CHOSEN.get_or_init(|| all().last().copied().unwrap_or(&portable::Portable))
}

/// Returns all kernels that this processor supports, slowest first.
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

/// A group of rows that a kernel processes together.
#[derive(Clone, Copy)]
struct Tile {
    first: usize,
    rows: usize,
    /// The part of the next weights that this tile prefetches, and the number of parts; `None` if
    /// they are already being fetched. A weight is used once for all rows. Without the prefetch,
    /// the first tiles wait for the L3 cache, and a text as short as a question spends half its
    /// time there.
    fetches: Option<(usize, usize)>,
}

/// Splits `rows` rows into tiles of at most `most` rows, as even as possible.
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
