//! BERT's rules for single characters: removal, white space, punctuation, accents and lower case.
//! Each rule considers only one character, never its neighbours.

use super::tables;

/// Calls `emit` with the characters that replace one: none, the character, its base letters in
/// lower case, or a space for white space and around ideographs.
pub(super) fn normalise(character: char, emit: &mut impl FnMut(char)) {
    if character.is_ascii() {
        return normalise_ascii(character, emit);
    }
    if in_ranges(&tables::REMOVED, character) {
        return;
    }
    if character.is_whitespace() {
        return emit(' ');
    }
    let ideograph = is_ideograph(character);
    if ideograph {
        emit(' ');
    }
    without_accents(character, &mut |base| base.to_lowercase().for_each(&mut *emit));
    if ideograph {
        emit(' ');
    }
}

/// True if a character is a word of its own.
pub(super) fn stands_alone(character: char) -> bool {
    if character.is_ascii() {
        character.is_ascii_punctuation()
    } else {
        in_ranges(&tables::PUNCTUATION, character)
    }
}

fn normalise_ascii(character: char, emit: &mut impl FnMut(char)) {
    match character {
        '\t' | '\n' | '\r' | ' ' => emit(' '),
        _ if character.is_ascii_control() => {}
        _ => emit(character.to_ascii_lowercase()),
    }
}

/// Emits the canonical decomposition without non-spacing marks.
fn without_accents(character: char, emit: &mut impl FnMut(char)) {
    let code = u32::from(character);
    if (0xac00..0xd7a4).contains(&code) {
        return hangul_letters(code - 0xac00, emit);
    }
    if in_ranges(&tables::MARKS, character) {
        return;
    }
    if let Some([_, base]) = row(&tables::BASE, code) {
        return emit_code(*base, emit);
    }
    if let Some([_, letters @ ..]) = row::<4>(&tables::LONGER, code) {
        return letters.iter().filter(|letter| **letter != 0).for_each(|letter| emit_code(*letter, emit));
    }
    emit(character);
}

/// Emits the letters of a Hangul syllable, as defined by Unicode: 19 leads × 21 vowels × 28 tails,
/// of which the first is none.
fn hangul_letters(syllable: u32, emit: &mut impl FnMut(char)) {
    emit_code(0x1100 + syllable / (21 * 28), emit);
    emit_code(0x1161 + syllable / 28 % 21, emit);
    let tail = syllable % 28;
    if tail > 0 {
        emit_code(0x11a7 + tail, emit);
    }
}

fn emit_code(code: u32, emit: &mut impl FnMut(char)) {
    if let Some(character) = char::from_u32(code) {
        emit(character);
    }
}

/// True for the blocks that the reference surrounds with spaces. It omits U+2B820 to U+2B91F, so
/// this function does too.
fn is_ideograph(character: char) -> bool {
    matches!(u32::from(character),
        0x4e00..=0x9fff | 0x3400..=0x4dbf | 0x20000..=0x2a6df | 0x2a700..=0x2b81f | 0x2b920..=0x2ceaf
        | 0xf900..=0xfaff | 0x2f800..=0x2fa1f)
}

fn in_ranges(ranges: &[u32], character: char) -> bool {
    let code = u32::from(character);
    let (ranges, _) = ranges.as_chunks::<2>();
    let after = ranges.partition_point(|[first, _]| *first <= code);
    after.checked_sub(1).and_then(|index| ranges.get(index)).is_some_and(|[_, last]| code <= *last)
}

fn row<const WIDTH: usize>(table: &[u32], code: u32) -> Option<&[u32; WIDTH]> {
    let (rows, _) = table.as_chunks::<WIDTH>();
    let index = rows.binary_search_by_key(&Some(&code), |row| row.first()).ok()?;
    rows.get(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalises_character_by_character() {
        let check = |text: &str, expect: &str| {
            let mut normalised = String::new();
            text.chars().for_each(|character| normalise(character, &mut |c| normalised.push(c)));
            assert_eq!(normalised, expect, "{text:?}");
        };
        check("Café ÅNGSTRÖM", "cafe angstrom");
        check("a\u{0}b\u{7f}c\u{200d}d\u{fffd}e", "abcde");
        check("a\tb\u{a0}c\u{2003}d", "a b c d");
        check("漢字kana", " 漢  字 kana");
        check("각", "\u{1100}\u{1161}\u{11a8}");
        check("ǆ Ǆ İ ß", "ǆ ǆ i ß");
    }
}
