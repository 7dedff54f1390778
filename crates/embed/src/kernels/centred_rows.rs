//! Activations for kernels that add two byte products in 16 bits. They are centred, so that nearly
//! all are small; the excess of the others is in a list. This module does not multiply.

use crate::layout::GROUP;

/// The maximum sum of the absolute values of two neighbours. 255 · 127 fits in 16 bits, and each
/// value fits in a signed byte.
pub(super) const PAIR_MAX: i16 = 127;

/// `byte − zero` of every row as signed bytes, so small that 255 times a neighbouring pair fits in
/// 16 bits, and a list of the remainders (about one group in twenty).
#[derive(Default)]
pub(super) struct CentredRows {
    /// The centred bytes, one per byte of the rows.
    pub(super) bytes: Vec<i8>,
    /// The remainders to add to some groups, row by row.
    pub(super) beyond: Vec<Beyond>,
    /// The end of each row's part of `beyond`.
    pub(super) ends: Vec<usize>,
    /// The sum of all `byte − zero`, per row.
    pub(super) sums: Vec<i32>,
}

/// A remainder to add to the four signed bytes of a group; it has the same bounds.
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

/// Splits a group into parts with values within ±64. The first part stays in the group, and the
/// others are added to the list.
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
