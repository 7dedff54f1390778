//! A common spelling for texts that differ only in case or in the composition of their characters.
//!
//! It uses full case folding: `Straße` and `STRASSE` are equal, Turkish dotless `ı` and `i` differ.
//! It does not unify compatible characters (NFKC does) and does not change white space.

use unicase::UniCase;
use unicode_normalization::UnicodeNormalization;

/// Returns the text in NFC, with full case folding, and in NFC again, because folding can decompose
/// a character.
#[must_use]
pub fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let composed: String = text.nfc().collect();
    UniCase::unicode(composed).to_folded_case().nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_one_spelling() {
        let check = |a: &str, b: &str, same: bool| {
            assert_eq!(folded(a) == folded(b), same, "{a:?} {b:?}");
        };
        check("README", "readme", true);
        check("Straße", "STRASSE", true);
        check("cafe\u{301}", "Café", true);
        check("ΣΊΣΥΦΟΣ", "σίσυφος", true);
        check("ﬁle", "FILE", true);
        check("\u{212a}elvin", "kelvin", true);
        check("i", "ı", false);
        check("I", "İ", false);
        check("ＡＢＣ", "abc", false);
        check("日本", "日本", true);
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in any::<String>()) {
            let once = folded(&text);
            prop_assert_eq!(folded(&once), once);
        }

        #[test]
        fn composition_makes_no_difference(text in any::<String>()) {
            let apart: String = text.nfd().collect();
            prop_assert_eq!(folded(&apart), folded(&text));
        }
    }
}
