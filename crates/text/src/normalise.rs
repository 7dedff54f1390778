//! The form in which two texts are compared for being the same text again.
//!
//! White space only: case, punctuation and typography are left alone, since a repeat that differs in them may differ in
//! meaning. Near-duplicates are `similarity` and `marks`.

/// `text` without white space at its ends, every inner run of white space made one space. Texts with an equal result
/// are exact repeats.
#[must_use]
pub fn normalise_exact(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !normal.is_empty() {
            normal.push(' ');
        }
        normal.push_str(word);
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_white_space_is_made_equal() {
        for (text, expect) in [
            ("", ""),
            (" \n\t", ""),
            ("  a \n b\u{a0}c  ", "a b c"),
            ("Anna's Cat.", "Anna's Cat."),
            ("日本\u{3000}語", "日本 語"),
        ] {
            assert_eq!(normalise_exact(text), expect, "{text:?}");
            assert_eq!(normalise_exact(expect), expect);
        }
    }
}
