//! The pseudonym that replaces a forgotten person's name, and texts without pseudonyms for readers
//! of names and values, because its digits are neither. A pseudonym cannot be traced to the person.
//! Pure.

use std::borrow::Cow;

/// Prefix of a pseudonym.
const BEGINNING: &str = "erased-";
/// Number of hex digits that distinguish pseudonyms.
const DIGITS: usize = 12;

/// Returns the pseudonym of a person, from random hex digits.
pub fn pseudonym(digits: &str) -> String {
    format!("{BEGINNING}{}", digits.get(..DIGITS).unwrap_or(digits))
}

/// Returns a text without pseudonyms and the `@` before them.
pub fn without_pseudonyms(text: &str) -> Cow<'_, str> {
    if !text.contains(BEGINNING) {
        return Cow::Borrowed(text);
    }
    let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let (mut kept, mut rest, mut last) = (String::with_capacity(text.len()), text, None);
    while let Some((before, behind)) = rest.split_once(BEGINNING) {
        kept.push_str(before);
        let begins = !before.chars().next_back().or(last).is_some_and(is_of_word);
        let length = behind.find(|c: char| !is_of_word(c)).unwrap_or(behind.len());
        let word = behind.get(..length).unwrap_or_default();
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if begins && word.len() == DIGITS && word.bytes().all(is_digit) {
            if kept.ends_with('@') {
                kept.pop();
            }
        } else {
            kept.push_str(BEGINNING);
            kept.push_str(word);
        }
        // The rest continues after a word.
        last = word.chars().next_back().or(Some('-'));
        rest = behind.get(length..).unwrap_or_default();
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pseudonym_is_no_word_of_a_text() {
        let check = |text: &str, expect: &str| assert_eq!(without_pseudonyms(text), expect, "{text}");
        let one = pseudonym("028fc5abcdef0123");
        assert_eq!(one, "erased-028fc5abcdef");
        check(&format!("As @{one} said, MAX is 3."), "As  said, MAX is 3.");
        check(&format!("`@{one}` and {one}"), "`` and ");
        check(&format!("@{one}'s, (@{one})"), "'s, ()");
        for kept in ["un", "x-", "@x-"] {
            check(&format!("{kept}{one}"), &format!("{kept}{one}"));
        }
        for kept in [
            "erased-028fc5",
            "erased-028fc5abcdef0",
            "erased-028fc5abcdeg",
            "erased-",
            "erased-erased-028fc5abcdef",
            "erased-028fc5abcdef-x",
            "Größe",
            "",
        ] {
            check(kept, kept);
        }
        let many = "erased-".repeat(50_000);
        check(&many, &many);
    }
}
