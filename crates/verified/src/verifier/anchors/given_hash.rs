//! The hash of cited lines that a caller supplies: one of Loci's own, or one that a program
//! computes from a slice of a file. The caller's hash is not stored.

use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::anchor::MadeAnchor;

/// The agreement of a caller's hash with the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HashAgreement {
    /// The hash is that of the lines.
    Agrees,
    /// The hash is one of Loci's, but of other lines: `snippet_hash_mismatch`.
    Differs,
    /// The hash is of an unknown kind: warning `SNIPPET_HASH_IGNORED`.
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

/// Returns the SHA-256 of the slice and its ids as a git blob of either kind, with and without a
/// line end after its last line.
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
