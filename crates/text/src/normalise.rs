//! The normal form in which texts are compared for exact repeats.
//!
//! It changes white space only. Case, punctuation and typography stay, because a repeat that
//! differs in them can differ in meaning. `similarity` and `marks` find near-duplicates.

/// Returns `text` without white space at its ends, with every inner run of white space replaced by
/// one space. Texts with an equal result are exact repeats.
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
