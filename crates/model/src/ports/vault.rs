//! The vault: seals secrets under the master key, which only the binary knows.

use crate::Result;

/// The lease whose holder is the witness of the master key. It belongs to a store, and is never
/// moved to another one.
pub const WITNESS_LEASE: &str = "master key";
/// The holder in a database that was restored from a backup without sealed data. A master key next
/// to it belongs to the data that was there before.
pub const RESTORED_UNSEALED: &str = "restored unsealed";

/// Seals and opens small secrets.
pub trait Vault: Send + Sync {
    /// Creates the master key if there is none. Only for a store without sealed data, because
    /// another key opens nothing.
    ///
    /// # Errors
    /// `Unavailable` if it can be neither read nor created.
    fn prepare(&self) -> Result<()> {
        Ok(())
    }

    /// True if a master key is stored with the store, so that data was sealed under it; false for a
    /// key from elsewhere.
    fn has_key_file(&self) -> bool {
        false
    }

    /// Checks that the master key is still present as this process read it, so that another process
    /// would read the same key.
    ///
    /// # Errors
    /// `Unavailable`.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Encrypts; the result starts with its nonce and is authenticated. Never creates a master key.
    fn seal(&self, secret: &[u8]) -> Result<Vec<u8>>;

    /// Decrypts the result of [`Vault::seal`]; an error if the master key differs or the bytes were
    /// changed.
    fn open(&self, sealed: &[u8]) -> Result<Vec<u8>>;

    /// Returns the digest of a text under the vault's own key. Equal texts have equal digests, and
    /// without the key the digest reveals nothing about the text.
    fn digest(&self, text: &[u8]) -> Result<[u8; 32]>;
}
