//! The vault: seals secrets under the master key, which only the binary knows.

use crate::Result;

/// Seals and opens small secrets.
pub trait Vault: Send + Sync {
    /// Encrypts; the result starts with its nonce and is authenticated.
    fn seal(&self, secret: &[u8]) -> Result<Vec<u8>>;

    /// Decrypts what [`Vault::seal`] made; an error if the master key is another one or the bytes were changed.
    fn open(&self, sealed: &[u8]) -> Result<Vec<u8>>;

    /// Returns the digest of a text under the vault's own key: the same text has the same digest, and without
    /// the key the digest says nothing of the text.
    fn digest(&self, text: &[u8]) -> Result<[u8; 32]>;
}
