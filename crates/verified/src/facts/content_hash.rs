//! What makes two facts the same fact: the digest of subject and text in their normal form.

use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;

/// SHA-256 of normalised subject and fact, 64 hex digits. Case, white space and a final full stop make no difference.
pub fn content_hash(subject: &str, fact: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update(normal(subject));
    hasher.update([0]);
    hasher.update(normal(fact));
    hex::encode(hasher.finalize())
}

/// Subject or text in normal form.
pub(crate) fn normal(text: &str) -> String {
    // ASCII is its own normal form: the same answer, without the tables of Unicode.
    let folded: String = if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        text.nfc().flat_map(char::to_lowercase).collect()
    };
    let spaced = loci_text::normalise_exact(&folded);
    spaced.strip_suffix('.').map_or(spaced.as_str(), str::trim_end).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_fact_in_other_spellings() {
        let one = content_hash("Builds", "The version stands in three files.");
        let check = |subject: &str, fact: &str, same: bool| {
            assert_eq!(content_hash(subject, fact) == one, same, "{subject} {fact}");
        };
        check("builds ", "the  version\nstands in three files", true);
        check("Builds", "The version stands in three files .", true);
        check("Builds", "The version stands in two files.", false);
        check("BuildsThe", "version stands in three files.", false);
    }
}
