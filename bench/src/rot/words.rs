//! Counts the words of a line for sampling, strata and the length that makes a copy recognisable.
//! It is separate code, because labels must not use the verifier's definition of words.

/// Counts words of at least three letters, digits or underscores that do not begin with a digit. In
/// scripts without spaces, each character counts.
pub(super) fn count(line: &[u8]) -> usize {
    let text = String::from_utf8_lossy(line);
    let mut words = 0;
    let mut length = 0usize;
    for c in text.chars() {
        if is_ideograph(c) {
            words += 1;
            words += usize::from(length >= 3);
            length = 0;
        } else if c == '_' || c.is_alphabetic() || (length > 0 && c.is_numeric()) {
            length += 1;
        } else {
            words += usize::from(length >= 3);
            length = 0;
        }
    }
    words + usize::from(length >= 3)
}

fn is_ideograph(c: char) -> bool {
    let is_kana_or_hangul = matches!(u32::from(c), 0x3040..=0x30ff | 0xac00..=0xd7af);
    is_kana_or_hangul || matches!(u32::from(c), 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0x20000..=0x2ffff)
}

/// Counts the words of several lines.
pub(super) fn of_lines(lines: &[Vec<u8>]) -> usize {
    lines.iter().map(|line| count(line)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_identifiers_of_three() {
        for (line, expect) in [
            ("let value = other_thing(1, 2);", 3),
            ("}", 0),
            ("if a == b", 0),
            ("x86 1234 0abc", 2),
            ("für", 1),
            ("漢字 kana", 3),
        ] {
            assert_eq!(count(line.as_bytes()), expect, "{line}");
        }
    }
}
