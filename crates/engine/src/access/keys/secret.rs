//! Secrets: their random generation, and a type that cannot be logged by accident.

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

    /// Returns the secret, for the one caller that must have it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Alphabet of ids and secrets: 32 characters that are hard to confuse, so that five bits of a byte
/// select one uniformly.
const UPPER: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/// Lower-case form of `UPPER`.
const LOWER: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// Number of random characters of a key id after `LOCI`.
const ID_CHARS: usize = 16;
/// Characters of a secret or a token: 5 bits each, 260 bits.
const SECRET_CHARS: usize = 52;

/// Returns a new public half.
pub(super) fn new_key_id(ids: &dyn IdSource) -> Result<AccessKeyId> {
    AccessKeyId::parse(format!("LOCI{}", draw(ids, UPPER, ID_CHARS)))
}

/// Returns a new secret half.
pub(super) fn new_secret(ids: &dyn IdSource) -> Secret {
    Secret::new(draw(ids, LOWER, SECRET_CHARS))
}

/// Returns a new bearer token. Its prefix lets secret scanners find it.
pub(super) fn new_token(ids: &dyn IdSource) -> Secret {
    Secret::new(format!("loci_{}", draw(ids, LOWER, SECRET_CHARS)))
}

/// Returns the SHA-256 digest in hex, the only stored form of a token.
pub(super) fn digest(token: &str) -> String {
    hex::encode(Sha256::digest(token.as_bytes()))
}

fn draw(ids: &dyn IdSource, alphabet: &[u8; 32], length: usize) -> String {
    let bytes = std::iter::repeat_with(|| ids.random()).flatten();
    bytes.take(length).map(|byte| char::from(alphabet[usize::from(byte & 31)])).collect()
}
