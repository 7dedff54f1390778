//! The hash of cited lines that a caller brings along: ours, or one of those that a program would
//! make of a slice of a file. Of the caller's hash nothing is kept.

use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::anchor::MadeAnchor;

/// How a caller's hash fits the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HashAgreement {
    /// It is the lines' hash.
    Agrees,
    /// It is a hash of ours, of other lines: `snippet_hash_mismatch`.
    Differs,
    /// It is no hash that is known here: warning `SNIPPET_HASH_IGNORED`.
    Ignored,
}

/// Compares a caller's hash with the lines that were read.
pub fn compare_hash(given: &str, made: &MadeAnchor) -> HashAgreement {
    let ours = &made.anchor.snippet_hash;
    if given == ours {
        return HashAgreement::Agrees;
    }
    if given.starts_with("vm1:") {
        return HashAgreement::Differs;
    }
    if ours.strip_prefix("vm1:") == Some(given)
        || slice_hashes(&made.content).iter().any(|hash| hash == given)
    {
        return HashAgreement::Agrees;
    }
    HashAgreement::Ignored
}

/// SHA-256 of the slice, and its id as a git blob of either kind; with the line end of its last line and without.
fn slice_hashes(content: &str) -> Vec<String> {
    let mut hashes = Vec::new();
    for text in [content.to_owned(), format!("{content}\n")] {
        let blob = format!("blob {}\0{text}", text.len());
        hashes.push(hex::encode(Sha256::digest(text.as_bytes())));
        hashes.push(hex::encode(Sha1::digest(blob.as_bytes())));
        hashes.push(hex::encode(Sha256::digest(blob.as_bytes())));
    }
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_have_the_hashes_that_programs_make_of_them() {
        let hashes = slice_hashes("hello");
        assert!(
            hashes.contains(&"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824".to_owned())
        );
        assert!(hashes.contains(&"ce013625030ba8dba906f756967f9e9ca394464a".to_owned()), "with its line end");
        assert!(hashes.contains(&"b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0".to_owned()), "without it");
    }
}
