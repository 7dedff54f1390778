//! Division of long texts into pieces that AgentCore accepts. Joined together, the pieces are the
//! whole text.

/// Returns pieces of at most `chars_max` characters. A cut follows white space if there is some in
/// the last tenth of a piece.
pub(super) fn pieces(text: &str, chars_max: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((end, _)) = rest.char_indices().nth(chars_max.max(1)) {
        let (full, _) = rest.split_at(end);
        let tenth = full.char_indices().nth(chars_max - chars_max / 10).map_or(end, |(at, _)| at);
        let space = full.char_indices().rev().find(|(_, character)| character.is_whitespace());
        let at = match space {
            Some((at, character)) if at >= tenth => at + character.len_utf8(),
            _ => end,
        };
        let (piece, behind) = rest.split_at(at);
        pieces.push(piece);
        rest = behind;
    }
    if !rest.is_empty() {
        pieces.push(rest);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn cuts() {
        let check = |text: &str, chars_max: usize, expect: &[&str]| {
            assert_eq!(pieces(text, chars_max), expect);
        };
        check("", 10, &[]);
        check("0123456789", 10, &["0123456789"]);
        check("0123456789x", 10, &["0123456789", "x"]);
        check("012345678 x", 10, &["012345678 ", "x"]);
        check("0 2345678xy", 10, &["0 2345678x", "y"]);
        check("ééé", 2, &["éé", "é"]);
    }

    proptest! {
        #[test]
        fn pieces_together_are_the_text(text in "[a é\n]{0,60}", chars_max in 1_usize..25) {
            let pieces = pieces(&text, chars_max);
            prop_assert_eq!(pieces.concat(), text.as_str());
            prop_assert!(pieces.iter().all(|piece| (1..=chars_max).contains(&piece.chars().count())));
        }
    }
}
