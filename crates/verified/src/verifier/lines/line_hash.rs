//! The 64-bit hash of a line and of packed text. It is stored with anchors, so it must never change
//! on any machine. It does not resist forgery: `snippet_hash`, which is SHA-256, confirms every
//! match.

const START: u64 = 0x9e37_79b9_7f4a_7c15;
const STEP: u64 = 0xd6e8_feb8_6659_fd93;
const END: u64 = 0xa076_1d64_78bd_642f;

/// The hash of bytes that arrive in pieces; the boundaries of the pieces have no effect.
pub(super) struct LineHash {
    state: u64,
    pending: u64,
    length: u64,
}

impl LineHash {
    pub(super) fn new() -> Self {
        Self { state: START, pending: 0, length: 0 }
    }

    pub(super) fn push(&mut self, byte: u8) {
        self.pending |= u64::from(byte) << ((self.length % 8) * 8);
        self.length += 1;
        if self.length.is_multiple_of(8) {
            self.state = folded(self.state ^ self.pending, STEP);
            self.pending = 0;
        }
    }

    pub(super) fn finish(self) -> u64 {
        folded(folded(self.state ^ self.pending, STEP) ^ self.length, END)
    }
}

/// Returns the hash of a line in normal form.
pub(in crate::verifier) fn line_hash(line: &[u8]) -> u64 {
    let mut state = START;
    let mut words = line.chunks_exact(8);
    for word in &mut words {
        let word = word.try_into().map_or(0, u64::from_le_bytes);
        state = folded(state ^ word, STEP);
    }
    let mut rest = [0_u8; 8];
    for (to, from) in rest.iter_mut().zip(words.remainder()) {
        *to = *from;
    }
    let length = u64::try_from(line.len()).unwrap_or(u64::MAX);
    folded(folded(state ^ u64::from_le_bytes(rest), STEP) ^ length, END)
}

/// Returns the two halves of the 128-bit product, combined by XOR.
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_never_change_and_pieces_do_not_matter() {
        for (line, expect) in [
            ("", 0x4b24d35cba4a63b0),
            ("}", 0x88aa9c82ee73c668),
            ("use std::fs;", 0x1869f5618b7f388f),
            ("let x = 1;", 0x5460602ff07f5ae8),
        ] {
            let mut pieces = LineHash::new();
            line.bytes().for_each(|byte| pieces.push(byte));
            assert_eq!(pieces.finish(), line_hash(line.as_bytes()), "{line}");
            assert_eq!(line_hash(line.as_bytes()), expect, "{line}");
        }
    }
}
