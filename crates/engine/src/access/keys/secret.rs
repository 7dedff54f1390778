//! Secrets: how they are drawn, and a type that cannot be logged by accident.

use loci_model::ports::ids::IdSource;
use loci_model::{AccessKeyId, Result};
use sha2::{Digest, Sha256};

/// Text that `Debug` and `Display` never show.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself: for the one place that must have it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Characters of the ids and secrets: 32 that are hard to confuse, so that five bits of a byte pick one evenly.
const UPPER: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/// The same in lower case.
const LOWER: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// Random characters of a key id, behind `LOCI`.
const ID_CHARS: usize = 16;
/// Characters of a secret or a token: 5 bits each, 260 bits.
const SECRET_CHARS: usize = 52;

/// A new public half.
pub(super) fn new_key_id(ids: &dyn IdSource) -> Result<AccessKeyId> {
    AccessKeyId::parse(format!("LOCI{}", draw(ids, UPPER, ID_CHARS)))
}

/// A new secret half.
pub(super) fn new_secret(ids: &dyn IdSource) -> Secret {
    Secret::new(draw(ids, LOWER, SECRET_CHARS))
}

/// A new bearer token; its prefix lets secret scanners find it.
pub(super) fn new_token(ids: &dyn IdSource) -> Secret {
    Secret::new(format!("loci_{}", draw(ids, LOWER, SECRET_CHARS)))
}

/// SHA-256 in hex: what is kept of a token.
pub(super) fn digest(token: &str) -> String {
    hex::encode(Sha256::digest(token.as_bytes()))
}

fn draw(ids: &dyn IdSource, alphabet: &[u8; 32], length: usize) -> String {
    let bytes = std::iter::repeat_with(|| ids.random()).flatten();
    bytes.take(length).map(|byte| char::from(alphabet[usize::from(byte & 31)])).collect()
}
