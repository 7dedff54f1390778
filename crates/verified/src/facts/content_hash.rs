//! The identity of a fact: the digest of its subject and its text in normal form.

use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;

/// Returns the SHA-256 of the normalised subject and fact, 64 hex digits. Case, white space and a
/// final full stop make no difference.
pub fn content_hash(subject: &str, fact: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update(normal(subject));
    hasher.update([0]);
    hasher.update(normal(fact));
    hex::encode(hasher.finalize())
}

/// Returns a subject or a text in normal form.
pub(crate) fn normal(text: &str) -> String {
    // ASCII needs no Unicode tables, and the result is equal.
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
