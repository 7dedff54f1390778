//! Scans a line's bytes, eight at a time: where it ends, and if its normal form is a part of it.
//! This holds for most lines of code; the others need a slower pass.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * ONES;

/// The result of the scan of a line.
pub(super) struct LineShape {
    /// The bytes up to the line feed, or to the end.
    pub(super) length: usize,
    /// The start of the line after its indentation.
    pub(super) start: usize,
    /// The end of the line.
    pub(super) end: usize,
    /// The indentation in columns.
    pub(super) indent: u32,
    /// True if the line is ASCII without control characters, with single spaces inside and none at
    /// the end. Then the range from `start` to `end` is its normal form. If false, the line needs
    /// the slower pass, although it may also be in normal form.
    pub(super) is_plain: bool,
}

impl LineShape {
    /// Scans the first line of these bytes.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut indent = 0;
        let mut start = 0;
        for byte in bytes {
            match byte {
                b' ' => indent += 1,
                b'\t' => indent = (indent / 8 + 1) * 8,
                _ => break,
            }
            start += 1;
        }
        let rest = bytes.get(start..).unwrap_or_default();
        let (length, mut is_plain) = scan(rest);
        is_plain &= length == 0 || rest.get(length - 1) != Some(&b' ');
        Self { length: start + length, start, end: start + length, indent, is_plain }
    }
}

/// Returns the bytes up to the line feed. The second value is true if they are ASCII without
/// control characters and without two spaces in a row.
fn scan(bytes: &[u8]) -> (usize, bool) {
    let mut odd = 0;
    let mut space_before = 0;
    let mut words = bytes.chunks_exact(8);
    let mut at = 0;
    for word in &mut words {
        let word = word.try_into().map_or(0, u64::from_le_bytes);
        let look = look(word, space_before);
        odd |= look.odd;
        if let Some(end) = look.end {
            return (at + end, odd == 0);
        }
        space_before = look.space_last;
        at += 8;
    }
    let mut padded = [b'\n'; 8];
    for (to, from) in padded.iter_mut().zip(words.remainder()) {
        *to = *from;
    }
    let look = look(u64::from_le_bytes(padded), space_before);
    (at + look.end.unwrap_or(8), odd | look.odd == 0)
}

struct WordScan {
    /// The bytes before a line feed, if there is one.
    end: Option<usize>,
    /// The high bit of each byte before it that is not plain.
    odd: u64,
    /// The high bit of the first byte, if the last byte is a space.
    space_last: u64,
}

fn look(word: u64, space_before: u64) -> WordScan {
    let feeds = equal(word, b'\n');
    let (end, before) = match feeds {
        0 => (None, u64::MAX),
        _ => {
            let bits = feeds.trailing_zeros() - 7;
            (Some((bits / 8) as usize), (1_u64 << bits) - 1)
        }
    };
    let spaces = equal(word, b' ');
    let doubled = spaces & ((spaces << 8) | space_before);
    // Below 0x20: exact up to the first such byte, and only that one matters.
    let control = word.wrapping_sub(0x20 * ONES) & !word & HIGH;
    WordScan { end, odd: (doubled | control | (word & HIGH)) & before, space_last: spaces >> 56 }
}

/// Returns the high bit of each byte that equals `byte`.
fn equal(word: u64, byte: u8) -> u64 {
    let differs = word ^ (u64::from(byte) * ONES);
    !(((differs & !HIGH) + !HIGH) | differs) & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shape(text: &str) -> (usize, usize, usize, u32, bool) {
        let shape = LineShape::of(text.as_bytes());
        (shape.length, shape.start, shape.end, shape.indent, shape.is_plain)
    }

    #[test]
    fn lines_are_seen_as_they_are() {
        for (text, expect) in [
            ("", (0, 0, 0, 0, true)),
            ("\nx", (0, 0, 0, 0, true)),
            ("   \nx", (3, 3, 3, 3, true)),
            ("ab\ncd", (2, 0, 2, 0, true)),
            ("\t ab cd;\n", (8, 2, 8, 9, true)),
            ("a !b !c !d !e !f\n", (16, 0, 16, 0, true)),
            ("a  b\n", (4, 0, 4, 0, false)),
            ("1234567  9\n", (10, 0, 10, 0, false)),
            ("12345678  1\n", (11, 0, 11, 0, false)),
            ("a \n", (2, 0, 2, 0, false)),
            ("a\tb\n", (3, 0, 3, 0, false)),
            ("abc\n\u{fc}  x", (3, 0, 3, 0, true)),
            ("\u{fc}\n", (2, 0, 2, 0, false)),
        ] {
            assert_eq!(shape(text), expect, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn the_fast_look_agrees_with_a_slow_one(text in "[a !~\t\n\u{b}\u{1f}\u{e9}]{0,40}") {
            let line = text.split('\n').next().unwrap_or_default();
            let (length, start, end, _, is_plain) = shape(&text);
            prop_assert_eq!(length, line.len());
            let body = line.trim_start_matches([' ', '\t']);
            prop_assert_eq!((start, end), (line.len() - body.len(), line.len()));
            let plain = body.bytes().all(|b| (0x20..0x80).contains(&b)) && !body.contains("  ") && !body.ends_with(' ');
            prop_assert_eq!(is_plain, plain);
        }
    }
}
