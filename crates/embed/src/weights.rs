//! The model file inside the binary, as typed slices in place. Nothing is copied: a page is loaded
//! at its first use, and processes share it. This module contains no arithmetic.

use crate::kernels::views::{f32s, i8s, i32s, u16s, u32s};
use crate::layout::{self, HIDDEN, LayerPlace, MatrixPlace, Section};

#[repr(C, align(64))]
struct Aligned([u8; layout::FILE_BYTES]);

static FILE: Aligned = Aligned(*include_bytes!("../model/minilm-l6-v2.int8.bin"));

const _: () = {
    let magic = layout::MAGIC;
    let mut index = 0;
    while index < magic.len() {
        assert!(FILE.0[layout::HEADER.offset + index] == magic[index], "the model file has another layout");
        index += 1;
    }
};

/// One linear part: `outputs × inputs` i8 weights in blocks (see `layout::MatrixPlace`).
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a> {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    pub(crate) weights: &'a [i8],
    pub(crate) scales: &'a [f32],
    pub(crate) bias: &'a [f32],
    pub(crate) sums: &'a [i32],
}

/// The gains and shifts of a layer normalisation, `HIDDEN` each.
#[derive(Clone, Copy)]
pub(crate) struct Norm<'a> {
    pub(crate) gains: &'a [f32],
    pub(crate) shifts: &'a [f32],
}

/// One transformer layer.
#[derive(Clone, Copy)]
pub(crate) struct Layer<'a> {
    pub(crate) query_key_value: Matrix<'a>,
    pub(crate) attention_output: Matrix<'a>,
    pub(crate) attention_norm: Norm<'a>,
    pub(crate) feed_up: Matrix<'a>,
    pub(crate) feed_down: Matrix<'a>,
    pub(crate) feed_norm: Norm<'a>,
}

/// Returns the layers in order.
pub(crate) fn layers() -> [Layer<'static>; layout::LAYERS] {
    std::array::from_fn(|index| {
        let LayerPlace { query_key_value, attention_output, attention_norm, feed_up, feed_down, feed_norm } =
            layout::layer(index);
        Layer {
            query_key_value: matrix(query_key_value),
            attention_output: matrix(attention_output),
            attention_norm: norm(attention_norm),
            feed_up: matrix(feed_up),
            feed_down: matrix(feed_down),
            feed_norm: norm(feed_norm),
        }
    })
}

/// Returns the i8 vector of a token and the scale of one step.
pub(crate) fn token(id: u16) -> (&'static [i8], f32) {
    let id = usize::from(id);
    let vector = i8s(bytes(layout::TOKENS)).chunks_exact(HIDDEN).nth(id).unwrap_or_default();
    (vector, f32s(bytes(layout::TOKEN_SCALES)).get(id).copied().unwrap_or_default())
}

/// Returns the vectors of positions 0, 1, …; f32, `HIDDEN` each.
pub(crate) fn positions() -> impl Iterator<Item = &'static [f32]> {
    f32s(bytes(layout::POSITION_VECTORS)).chunks_exact(HIDDEN)
}

/// Returns the norm of the sum of token and position.
pub(crate) fn embedding_norm() -> Norm<'static> {
    norm(layout::EMBEDDING_NORM)
}

/// Returns the vocabulary's hash table: an id or `layout::EMPTY_SLOT` per slot.
pub(crate) fn vocabulary_slots() -> &'static [u16] {
    u16s(bytes(layout::VOCABULARY_SLOTS))
}

/// Returns the spelling of an id, including `##`; empty for an id that does not exist.
pub(crate) fn spelling(id: u16) -> &'static [u8] {
    let starts = u32s(bytes(layout::SPELLING_STARTS));
    let at = |index: usize| starts.get(index).map_or(0, |start| *start as usize);
    bytes(layout::SPELLINGS).get(at(id.into())..at(usize::from(id) + 1)).unwrap_or_default()
}

fn bytes(section: Section) -> &'static [u8] {
    FILE.0.get(section.offset..section.offset + section.bytes).unwrap_or_default()
}

fn matrix(place: MatrixPlace) -> Matrix<'static> {
    Matrix {
        inputs: place.inputs,
        outputs: place.outputs,
        weights: i8s(bytes(place.weights)),
        scales: f32s(bytes(place.scales)),
        bias: f32s(bytes(place.bias)),
        sums: i32s(bytes(place.sums)),
    }
}

fn norm(place: Section) -> Norm<'static> {
    let values = f32s(bytes(place));
    let (gains, shifts) = values.split_at_checked(HIDDEN).unwrap_or_default();
    Norm { gains, shifts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_aligned_and_its_sums_are_those_of_its_weights() {
        assert_eq!(FILE.0.as_ptr().addr() % 64, 0);
        for layer in layers() {
            for matrix in [layer.query_key_value, layer.attention_output, layer.feed_up, layer.feed_down] {
                assert_eq!(matrix.weights.len(), matrix.inputs * matrix.outputs);
                assert_eq!((matrix.scales.len(), matrix.bias.len()), (matrix.outputs, matrix.outputs));
                for (block, sums) in matrix.weights.chunks(matrix.inputs * 16).zip(matrix.sums.chunks(16)) {
                    let mut expected = [0_i32; 16];
                    for group in block.chunks(64) {
                        for (sum, weights) in expected.iter_mut().zip(group.chunks(4)) {
                            *sum += weights.iter().map(|weight| i32::from(*weight)).sum::<i32>();
                        }
                    }
                    assert_eq!(sums, expected);
                }
            }
        }
    }

    #[test]
    fn spellings_are_found_by_id() {
        assert_eq!(spelling(101), b"[CLS]");
        assert_eq!(spelling(2088), b"world");
        assert_eq!(spelling(30_521), "##～".as_bytes());
        assert_eq!(spelling(u16::MAX), b"");
    }
}
