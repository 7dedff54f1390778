//! Secrets: their random generation, and a type that cannot be logged by accident.

use loci_model::ports::ids::IdSource;
use loci_model::{AccessKeyId, Result};
use sha2::{Digest, Sha256};

/// Text that `Debug` and `Display` never show.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Creates a secret from a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text of the secret, for code that must send or hash it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The characters of key ids and secrets: 32 characters that are hard to confuse, so that five
/// bits of a random byte select one with equal probability.
const UPPER: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/// Lower-case form of `UPPER`.
const LOWER: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// The number of random characters in a key id, after the prefix `LOCI`.
const ID_CHARS: usize = 16;
/// The number of random characters in a secret or a token: 5 bits each, 260 bits in total.
const SECRET_CHARS: usize = 52;

/// Creates the public id of a key pair.
pub(super) fn new_key_id(ids: &dyn IdSource) -> Result<AccessKeyId> {
    AccessKeyId::parse(format!("LOCI{}", draw(ids, UPPER, ID_CHARS)))
}

/// Creates the secret of a key pair.
pub(super) fn new_secret(ids: &dyn IdSource) -> Secret {
    Secret::new(draw(ids, LOWER, SECRET_CHARS))
}

/// Creates a bearer token. Its prefix lets secret scanners find it.
pub(super) fn new_token(ids: &dyn IdSource) -> Secret {
    Secret::new(format!("loci_{}", draw(ids, LOWER, SECRET_CHARS)))
}

/// Returns the SHA-256 digest of a bearer token in hex, the only form in which a token is stored.
pub(super) fn digest(token: &str) -> String {
    hex::encode(Sha256::digest(token.as_bytes()))
}

fn draw(ids: &dyn IdSource, alphabet: &[u8; 32], length: usize) -> String {
    let bytes = std::iter::repeat_with(|| ids.random()).flatten();
    bytes.take(length).map(|byte| char::from(alphabet[usize::from(byte & 31)])).collect()
}
