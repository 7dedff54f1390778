//! Plain Rust for any processor, and the definition of what the other kernels compute.
#![expect(unsafe_code, reason = "attention is written once for all kernels, and most need their processor")]

use super::attention::{Plain, attend};
use super::{AttentionScratch, Kernels, QuantisedRows, float};
use crate::layout::{BLOCK, GROUP};
use crate::weights::{Matrix, Norm};

/// Kernels for any processor.
pub(super) struct Portable;

impl Kernels for Portable {
    fn name(&self) -> &'static str {
        "portable"
    }

    fn quantise(&self, input: &[f32], inputs: usize, rows: &mut QuantisedRows) {
        float::quantise(input, inputs, rows);
    }

    fn multiply(&self, rows: &QuantisedRows, matrix: &Matrix<'_>, output: &mut [f32]) {
        let blocks = matrix.weights.chunks_exact(BLOCK * matrix.inputs).enumerate();
        for (block, weights) in blocks {
            for (row, bytes) in rows.bytes.chunks_exact(rows.inputs).enumerate() {
                let sums = block_sums(bytes, rows.zeros[row], weights);
                let first = block * BLOCK;
                let output = &mut output[row * matrix.outputs + first..][..BLOCK];
                let belonging = sums.iter().zip(&matrix.scales[first..]).zip(&matrix.bias[first..]);
                for (output, ((sum, scale), bias)) in output.iter_mut().zip(belonging) {
                    *output = *sum as f32 * (rows.scales[row] * scale) + bias;
                }
            }
        }
    }

    fn add_and_normalise(&self, rows: &mut [f32], other: &[f32], norm: &Norm<'_>) {
        float::add_and_normalise::<false>(rows, other, norm);
    }

    fn gelu(&self, values: &mut [f32]) {
        float::gelu::<false>(values);
    }

    fn attend(&self, query_key_value: &[f32], output: &mut [f32], scratch: &mut AttentionScratch) {
        // SAFETY: plain arrays need no special instructions.
        unsafe { attend::<Plain, 4, 1, 2>(query_key_value, output, scratch) }
    }
}

/// Returns the integer sums of one row with the `BLOCK` outputs of one weight block. They are at
/// most 1536 · 255 · 127 < 2²⁶.
fn block_sums(bytes: &[u8], zero: i32, weights: &[i8]) -> [i32; BLOCK] {
    let mut sums = [0_i32; BLOCK];
    let groups = weights.as_chunks::<{ BLOCK * GROUP }>().0;
    for (bytes, weights) in bytes.as_chunks::<GROUP>().0.iter().zip(groups) {
        let centred = bytes.map(|byte| i32::from(byte) - zero);
        for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<GROUP>().0) {
            for (value, weight) in centred.iter().zip(weights) {
                *sum += value * i32::from(*weight);
            }
        }
    }
    sums
}
