//! Words of code: their number as the information of a block (`info`), and their hashes.
//! `grounding` determines the words of a fact.

use super::line_hash::line_hash;

/// Returns the number of identifier-like words of at least three characters. Each Han, Kana or
/// Hangul character counts as one.
pub(in crate::verifier) fn info(text: &str) -> u32 {
    let mut count = 0_u32;
    let mut run = 0_u32; // characters of the word so far
    for c in text.chars() {
        if c == '_' || c.is_ascii_alphabetic() || (c.is_ascii_digit() && run > 0) {
            run += 1;
        } else if is_ideograph(c) {
            count = count.saturating_add(1 + u32::from(run >= 3));
            run = 0;
        } else if !c.is_ascii() && c.is_alphabetic() {
            run += 1;
        } else {
            count = count.saturating_add(u32::from(run >= 3));
            run = 0;
        }
    }
    count.saturating_add(u32::from(run >= 3))
}

/// Returns true for characters that form a word alone.
pub(super) fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' // Kana
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' // Han
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}' // Han
        | '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}') // Hangul
}

/// Returns the words of a text: runs of letters, digits and underscores.
pub(in crate::verifier) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c != '_' && !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Returns the hashes of a line's words, in order.
pub(in crate::verifier) fn word_hashes(line: &str) -> impl Iterator<Item = u64> {
    words(line).map(|word| line_hash(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_tell_a_block_apart_are_counted() {
        for (text, expect) in [
            ("", 0),
            ("}", 0),
            ("if x == 12345", 0),
            ("pass", 1),
            ("use std::fs;", 2),
            ("version = \"2.1.5\"", 1),
            ("a1b2 _x3 9abc", 3),
            ("größe", 1),
            ("你好 abc", 3),
            ("abc你", 2),
            ("fn main() {\n    return foo_bar;\n}", 3),
        ] {
            assert_eq!(info(text), expect, "{text}");
        }
    }
}
