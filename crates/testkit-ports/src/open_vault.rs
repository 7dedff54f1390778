//! A vault without encryption: it only adds a mark before the secret.

use loci_model::ports::vault::Vault;
use loci_model::{Error, Result};

/// A vault without encryption: it only adds a mark before the secret.
#[derive(Debug)]
pub struct OpenVault;

impl Vault for OpenVault {
    fn seal(&self, secret: &[u8]) -> Result<Vec<u8>> {
        Ok([b"sealed:", secret].concat())
    }

    fn open(&self, sealed: &[u8]) -> Result<Vec<u8>> {
        let secret = sealed.strip_prefix(b"sealed:");
        secret.map(<[u8]>::to_vec).ok_or_else(|| Error::bug("not sealed by this vault"))
    }

    fn digest(&self, text: &[u8]) -> Result<[u8; 32]> {
        Ok(<sha2::Sha256 as sha2::Digest>::digest([b"open", text].concat()).into())
    }
}
