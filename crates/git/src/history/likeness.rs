//! The similarity of two files, as git computes it for renames: the bytes of the new file that
//! occur in the old one, compared by lines (or by 64 bytes) in any order, divided by the larger
//! size.

use std::sync::Arc;

/// The number that stands for full similarity, as in git.
pub(crate) const WHOLE: u64 = 60_000;

const PIECE_BYTES: usize = 64;
/// The number of bytes at the start of a file in which a NUL makes the file binary.
const BINARY_WITHIN: usize = 8_000;

/// The pieces of a file by hash, sorted, with the number of bytes of each.
#[derive(Debug)]
pub(crate) struct Fingerprint {
    pub(crate) bytes: u64,
    pieces: Box<[(u64, u32)]>,
}

impl Fingerprint {
    pub(crate) fn of(content: &[u8]) -> Self {
        let head = content.get(..BINARY_WITHIN).unwrap_or(content);
        let is_text = !head.contains(&0);
        let mut pieces = Vec::with_capacity(content.len() / 24 + 1);
        let mut rest = content;
        while !rest.is_empty() {
            let window = rest.get(..PIECE_BYTES).unwrap_or(rest);
            let length = window.iter().position(|byte| *byte == b'\n').map_or(window.len(), |at| at + 1);
            let (piece, after) = rest.split_at(length);
            rest = after;
            // Both forms of line ends are equal.
            let piece = match piece.strip_suffix(b"\r\n") {
                Some(line) if is_text => hash(line, piece.len() - 1, true),
                _ => hash(piece.strip_suffix(b"\n").unwrap_or(piece), piece.len(), piece.ends_with(b"\n")),
            };
            pieces.push(piece);
        }
        pieces.sort_unstable();
        let mut merged: Vec<(u64, u32)> = Vec::with_capacity(pieces.len());
        for (hash, bytes) in pieces {
            match merged.last_mut() {
                Some(last) if last.0 == hash => last.1 = last.1.saturating_add(bytes),
                _ => merged.push((hash, bytes)),
            }
        }
        Self { bytes: content.len() as u64, pieces: merged.into_boxed_slice() }
    }

    /// Returns its memory use in bytes.
    pub(crate) fn weight(&self) -> usize {
        size_of_val(&*self.pieces)
    }

    /// Returns the number of pieces to compare.
    pub(crate) fn pieces(&self) -> u64 {
        self.pieces.len() as u64
    }

    /// Returns the similarity of two files, as a part of [`WHOLE`].
    pub(crate) fn likeness(&self, other: &Self) -> u64 {
        let larger = self.bytes.max(other.bytes);
        if larger == 0 {
            return 0;
        }
        let mut common = 0_u64;
        let (mut mine, mut theirs) = (self.pieces.iter().peekable(), other.pieces.iter().peekable());
        while let (Some((a, a_bytes)), Some((b, b_bytes))) = (mine.peek(), theirs.peek()) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => drop(mine.next()),
                std::cmp::Ordering::Greater => drop(theirs.next()),
                std::cmp::Ordering::Equal => {
                    common += u64::from(*a_bytes.min(b_bytes));
                    mine.next();
                    theirs.next();
                }
            }
        }
        (common * WHOLE / larger).min(WHOLE)
    }
}

/// Returns the minimum similarity for a percentage.
pub(crate) fn wanted(percent: u8) -> u64 {
    u64::from(percent.min(100)) * WHOLE / 100
}

/// True if the sizes alone permit the similarity.
pub(crate) fn is_possible(a: u64, b: u64, wanted: u64) -> bool {
    let (smaller, larger) = (a.min(b), a.max(b));
    smaller.saturating_mul(WHOLE) >= larger.saturating_mul(wanted)
}

/// A fingerprint shared between comparisons.
pub(crate) type SharedFingerprint = Arc<Fingerprint>;

fn hash(line: &[u8], bytes: usize, ended: bool) -> (u64, u32) {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = u64::from(ended).wrapping_add(line.len() as u64).wrapping_mul(MIX);
    for eight in line.chunks(8) {
        let word = eight.iter().rev().fold(0, |word, byte| (word << 8) | u64::from(*byte));
        hash = (hash.rotate_left(23) ^ word).wrapping_mul(MIX);
    }
    (hash ^ (hash >> 29), u32::try_from(bytes).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likeness_is_what_is_common_over_the_larger() {
        for (old, new, expect) in [
            ("a\nb\nc\nd\n", "a\nb\nc\nd\n", 100),
            ("a\nb\nc\nd\n", "d\nc\nb\na\n", 100),
            ("a\nb\nc\nd\n", "a\nb\nx\ny\n", 50),
            ("a\nb\n", "a\nb\nc\nd\n", 50),
            ("a\r\nb\r\n", "a\nb\n", 66),
            ("a\na\na\n", "a\n", 33),
            ("x", "y", 0),
            ("", "", 0),
        ] {
            let likeness = Fingerprint::of(old.as_bytes()).likeness(&Fingerprint::of(new.as_bytes()));
            assert_eq!(likeness * 100 / WHOLE, expect, "{old:?} {new:?}");
        }
    }

    #[test]
    fn sizes_rule_out_what_cannot_be() {
        assert!(is_possible(50, 100, wanted(50)));
        assert!(!is_possible(49, 100, wanted(50)));
        assert!(is_possible(0, 0, wanted(50)));
    }
}
