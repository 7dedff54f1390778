//! Checks if a statement is specific: it names a path, an identifier, a command, a number, a
//! version, or a quoted word.

use loci_text::code_mentions::has_mentions;

/// Returns true if nothing in the text can be looked up.
pub(crate) fn is_vague(text: &str) -> bool {
    let quoted = text.matches('"').count() >= 2 || text.contains(['`', '“', '«', '「']);
    !quoted
        && !text.chars().any(char::is_numeric)
        && !text.split_whitespace().any(is_name)
        && !has_mentions(text)
}

/// Returns true for a word that looks like code: with an inner slash, underscore, dot or capital.
fn is_name(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let within = word.get(1..).unwrap_or_default();
    let has_small = word.chars().any(char::is_lowercase);
    within.contains(['/', '_', '.', ':']) || (has_small && within.chars().any(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_looked_up() {
        let check = |text: &str, expect: bool| assert_eq!(is_vague(text), expect, "{text}");
        check("Be careful with the tests, they are slow.", true);
        check("Changes need more context.", true);
        check("Tests need port 5432.", false);
        check("Look at src/api first.", false);
        check("The handler is createOrder.", false);
        check("Set max_items.", false);
        check("The flag is called \"strict\".", false);
        check("Run `make`.", false);
        check("Ünser Wort.", true);
    }
}
