//! Activations for kernels that add two products of bytes in 16 bits: centred, so that nearly all are small, and the rest in a
//! list. It multiplies nothing.

use crate::layout::GROUP;

/// The sizes of two neighbours may add up to this: 255 · 127 fits 16 bits, and each fits a signed byte.
pub(super) const PAIR_MAX: i16 = 127;

/// `byte − zero` of every row as signed bytes, so small that 255 times a neighbouring pair fits 16 bits, and a list of what
/// that leaves over (about one group in twenty).
#[derive(Default)]
pub(super) struct CentredRows {
    /// As many as the rows have bytes.
    pub(super) bytes: Vec<i8>,
    /// What is added to some groups, row by row.
    pub(super) beyond: Vec<Beyond>,
    /// Where each row's part of `beyond` ends.
    pub(super) ends: Vec<usize>,
    /// Per row, the sum of all its `byte − zero`.
    pub(super) sums: Vec<i32>,
}

/// Added to the four signed bytes of a group; as small as they are.
pub(super) struct Beyond {
    pub(super) group: usize,
    pub(super) bytes: [i8; GROUP],
}

impl CentredRows {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.beyond.clear();
        self.ends.clear();
        self.sums.clear();
    }
}

/// Cuts a group into parts of which none has a value beyond ±64: the first stays, the others are set aside.
pub(super) fn set_aside(
    mut values: [i32; GROUP],
    small: &mut [i8; GROUP],
    group: usize,
    beyond: &mut Vec<Beyond>,
) {
    let mut part = || {
        let part = values.map(|value| value.clamp(-64, 64));
        for (value, part) in values.iter_mut().zip(part) {
            *value -= part;
        }
        part.map(|value| value as i8)
    };
    *small = part();
    loop {
        let bytes = part();
        if bytes == [0; GROUP] {
            return;
        }
        beyond.push(Beyond { group, bytes });
    }
}
