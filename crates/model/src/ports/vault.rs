//! The vault: seals secrets under the master key, which only the binary knows.

use crate::Result;

/// The lease whose holder is the witness of the master key: it belongs to a store, and is never moved to
/// another.
pub const WITNESS_LEASE: &str = "master key";
/// The holder in a database that was restored from a backup in which nothing was sealed: a master key beside
/// it belongs to what lay there before.
pub const RESTORED_UNSEALED: &str = "restored unsealed";

/// Seals and opens small secrets.
pub trait Vault: Send + Sync {
    /// Makes the master key where there is none. Only for a store that has nothing sealed yet: another key
    /// opens nothing.
    ///
    /// # Errors
    /// `Unavailable` where it can be neither read nor made.
    fn prepare(&self) -> Result<()> {
        Ok(())
    }

    /// True where a master key lies with the store, so that something was sealed under it; false for one
    /// that is given from elsewhere.
    fn has_key_file(&self) -> bool {
        false
    }

    /// Proves that the master key is there as this process read it, so that another process would read the
    /// same.
    ///
    /// # Errors
    /// `Unavailable`.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Encrypts; the result starts with its nonce and is authenticated. Never makes a master key.
    fn seal(&self, secret: &[u8]) -> Result<Vec<u8>>;

    /// Decrypts what [`Vault::seal`] made; an error if the master key is another one or the bytes were changed.
    fn open(&self, sealed: &[u8]) -> Result<Vec<u8>>;

    /// Returns the digest of a text under the vault's own key: the same text has the same digest, and without
    /// the key the digest says nothing of the text.
    fn digest(&self, text: &[u8]) -> Result<[u8; 32]>;
}
