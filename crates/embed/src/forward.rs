//! The forward pass of the model: windows of ids in, one vector per window out. Windows are
//! adjacent without padding. Each row is quantised separately, so the vector of a window never
//! depends on the others in the batch. This module does not tokenise.

use crate::kernels::{AttentionScratch, Kernels, QuantisedRows};
use crate::layout::{FEED, HIDDEN};
use crate::weights::{self, Layer};
use crate::wordpiece::{END, START};

/// The maximum number of rows that pass through the layers together: enough to reuse each weight,
/// and few enough that intermediate results stay in the cache. Measured with windows of 64 rows:
/// 4.2 ms per window in batches of four, 3.7 ms alone. A longer window is processed alone.
pub(crate) const ROWS_MAX: usize = 96;

/// The buffers of a pass, kept between passes: about 5 MB after the longest window.
#[derive(Default)]
pub(crate) struct Workspace {
    rows: Vec<f32>,
    query_key_value: Vec<f32>,
    joined: Vec<f32>,
    projected: Vec<f32>,
    widened: Vec<f32>,
    quantised: QuantisedRows,
    attention: AttentionScratch,
}

/// Returns the vectors of the windows, in their order: the mean over all rows of a window,
/// including `[CLS]` and `[SEP]`, normalised to length 1. Together the windows have at most
/// `ROWS_MAX` rows, or there is only one window.
pub(crate) fn encode(kernels: &dyn Kernels, windows: &[&[u16]], work: &mut Workspace) -> Vec<Vec<f32>> {
    if windows.is_empty() {
        return Vec::new();
    }
    let lengths: Vec<usize> = windows.iter().map(|ids| ids.len() + 2).collect();
    work.look_up(kernels, windows);
    for layer in weights::layers() {
        work.pass(kernels, &layer, &lengths);
    }
    let mut rows = work.rows.as_slice();
    let mut vectors = Vec::with_capacity(windows.len());
    for length in lengths {
        let (own, rest) = rows.split_at_checked(length * HIDDEN).unwrap_or_default();
        vectors.push(unit_sum(own.chunks_exact(HIDDEN)));
        rows = rest;
    }
    vectors
}

/// Returns the sum of vectors, normalised to length 1 (their mean has the same direction). Zeros
/// stay zeros.
pub(crate) fn unit_sum<'a>(vectors: impl Iterator<Item = &'a [f32]>) -> Vec<f32> {
    let mut sum = vec![0.0_f32; HIDDEN];
    for vector in vectors {
        for (sum, value) in sum.iter_mut().zip(vector) {
            *sum += value;
        }
    }
    let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        for value in &mut sum {
            *value /= length;
        }
    }
    sum
}

impl Workspace {
    /// Adds the token, position and type vectors of every id, and normalises the sums.
    fn look_up(&mut self, kernels: &dyn Kernels, windows: &[&[u16]]) {
        self.rows.clear();
        self.projected.clear();
        for ids in windows {
            let ids = std::iter::once(START).chain(ids.iter().copied()).chain(std::iter::once(END));
            for (id, position) in ids.zip(weights::positions()) {
                let (vector, scale) = weights::token(id);
                self.rows.extend(vector.iter().map(|value| f32::from(*value) * scale));
                self.projected.extend_from_slice(position);
            }
        }
        kernels.add_and_normalise(&mut self.rows, &self.projected, &weights::embedding_norm());
    }

    fn pass(&mut self, kernels: &dyn Kernels, layer: &Layer<'_>, lengths: &[usize]) {
        let count = self.rows.len() / HIDDEN;
        self.query_key_value.resize(count * 3 * HIDDEN, 0.0);
        self.joined.resize(count * HIDDEN, 0.0);
        self.projected.resize(count * HIDDEN, 0.0);
        self.widened.resize(count * FEED, 0.0);

        kernels.quantise(&self.rows, HIDDEN, &mut self.quantised);
        kernels.multiply(&self.quantised, &layer.query_key_value, &mut self.query_key_value);
        let (mut inputs, mut outputs) = (self.query_key_value.as_slice(), self.joined.as_mut_slice());
        for length in lengths {
            let (input, more_inputs) = inputs.split_at_checked(length * 3 * HIDDEN).unwrap_or_default();
            let (output, more_outputs) = outputs.split_at_mut_checked(length * HIDDEN).unwrap_or_default();
            kernels.attend(input, output, &mut self.attention);
            (inputs, outputs) = (more_inputs, more_outputs);
        }
        kernels.quantise(&self.joined, HIDDEN, &mut self.quantised);
        kernels.multiply(&self.quantised, &layer.attention_output, &mut self.projected);
        kernels.add_and_normalise(&mut self.rows, &self.projected, &layer.attention_norm);

        kernels.quantise(&self.rows, HIDDEN, &mut self.quantised);
        kernels.multiply(&self.quantised, &layer.feed_up, &mut self.widened);
        kernels.gelu(&mut self.widened);
        kernels.quantise(&self.widened, FEED, &mut self.quantised);
        kernels.multiply(&self.quantised, &layer.feed_down, &mut self.projected);
        kernels.add_and_normalise(&mut self.rows, &self.projected, &layer.feed_norm);
    }
}
