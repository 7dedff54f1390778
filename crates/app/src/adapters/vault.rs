//! The vault: secrets sealed with XChaCha20-Poly1305 under the master key, from `LOCI_MASTER_KEY` or a file (0600).

use std::io::{ErrorKind as IoError, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use chacha20poly1305::aead::{Aead, KeyInit};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use loci_model::ports::vault::Vault;
use loci_model::{Error, Result};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// Bytes of the master key.
const KEY_BYTES: usize = 32;
/// Bytes of a nonce, in front of what is sealed.
const NONCE_BYTES: usize = 24;
/// Separates the key of digests from the master key.
const DIGEST_KEY: &[u8] = b"loci digests v1";

/// Where the master key is.
pub enum MasterKey {
    /// Given, as 64 hex digits.
    Given(Zeroizing<String>),
    /// In this file, made at the first need.
    File(PathBuf),
}

/// Seals under a master key that is read, or made, at the first need.
pub struct FileVault {
    source: MasterKey,
    cipher: OnceLock<XChaCha20Poly1305>,
    /// Starts every digest; made of the master key, so that whoever learns it cannot open what is sealed.
    mark: OnceLock<Zeroizing<[u8; KEY_BYTES]>>,
}

impl FileVault {
    /// A vault that has not looked for its key yet.
    pub fn new(source: MasterKey) -> Self {
        Self { source, cipher: OnceLock::new(), mark: OnceLock::new() }
    }

    fn cipher(&self) -> Result<&XChaCha20Poly1305> {
        if let Some(cipher) = self.cipher.get() {
            return Ok(cipher);
        }
        let cipher = XChaCha20Poly1305::new(&Key::from(*self.key()?));
        Ok(self.cipher.get_or_init(|| cipher))
    }

    fn key(&self) -> Result<Zeroizing<[u8; KEY_BYTES]>> {
        match &self.source {
            MasterKey::Given(hex) => decode(hex, "LOCI_MASTER_KEY"),
            MasterKey::File(path) => read_or_make(path),
        }
    }

    fn mark(&self) -> Result<&[u8; KEY_BYTES]> {
        if self.mark.get().is_none() {
            let key = self.key()?;
            let mut hasher = Sha256::new();
            hasher.update(DIGEST_KEY);
            hasher.update(key.as_slice());
            let mark = Zeroizing::new(<[u8; KEY_BYTES]>::from(hasher.finalize()));
            self.mark.get_or_init(|| mark);
        }
        self.mark.get().map(|mark| &**mark).ok_or_else(|| Error::bug("the key of digests is not there"))
    }
}

impl Vault for FileVault {
    fn seal(&self, secret: &[u8]) -> Result<Vec<u8>> {
        let nonce = random::<NONCE_BYTES>()?;
        let sealed = self
            .cipher()?
            .encrypt(&XNonce::from(nonce), secret)
            .map_err(|_| Error::bug("a secret could not be sealed"))?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    fn open(&self, sealed: &[u8]) -> Result<Vec<u8>> {
        let wrong = || {
            let remedy = "a stored secret does not open under the master key: give the key it was sealed with \
                          (LOCI_MASTER_KEY or master.key), or rotate the access key";
            Error::unavailable(remedy)
        };
        let (nonce, rest) = sealed.split_at_checked(NONCE_BYTES).ok_or_else(wrong)?;
        let nonce = XNonce::try_from(nonce).map_err(|_| wrong())?;
        self.cipher()?.decrypt(&nonce, rest).map_err(|_| wrong())
    }

    /// The inner digest has one length for all texts: nobody can append to it without the key.
    fn digest(&self, text: &[u8]) -> Result<[u8; 32]> {
        let mut hasher = Sha256::new();
        hasher.update(self.mark()?);
        hasher.update(Sha256::digest(text));
        Ok(hasher.finalize().into())
    }
}

fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|_| Error::unavailable("the operating system gives no random bytes"))?;
    Ok(bytes)
}

fn decode(text: &str, place: &str) -> Result<Zeroizing<[u8; KEY_BYTES]>> {
    let mut key = Zeroizing::new([0; KEY_BYTES]);
    hex::decode_to_slice(text.trim(), key.as_mut_slice())
        .map_err(|_| Error::unavailable(format!("{place} must hold the master key as 64 hex digits")))?;
    Ok(key)
}

fn read_or_make(path: &Path) -> Result<Zeroizing<[u8; KEY_BYTES]>> {
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let text = Zeroizing::new(text);
            check_mode(path)?;
            decode(&text, &path.display().to_string())
        }
        Err(error) if error.kind() == IoError::NotFound => make(path),
        Err(error) => {
            Err(Error::unavailable(format!("the master key {} cannot be read", path.display()))
                .caused_by(error))
        }
    }
}

fn check_mode(path: &Path) -> Result<()> {
    let failed = |error: std::io::Error| {
        Error::unavailable(format!("the master key {} cannot be read", path.display())).caused_by(error)
    };
    let mode = std::fs::metadata(path).map_err(failed)?.permissions().mode();
    if mode & 0o077 == 0 {
        Ok(())
    } else {
        Err(Error::unavailable(format!("{} can be read by others: chmod 600 it", path.display())))
    }
}

/// Makes the file whole under another name, then links it into place: of two processes one wins, both read the same.
fn make(path: &Path) -> Result<Zeroizing<[u8; KEY_BYTES]>> {
    let failed = |error: std::io::Error| {
        Error::unavailable(format!("the master key {} cannot be written", path.display())).caused_by(error)
    };
    let key = Zeroizing::new(random::<KEY_BYTES>()?);
    let text = Zeroizing::new(hex::encode(key.as_slice()));
    let draft = path.with_extension(hex::encode(random::<8>()?));
    let write = || -> std::io::Result<()> {
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::hard_link(&draft, path)
    };
    let outcome = write();
    let _ = std::fs::remove_file(&draft); // a draft left behind is 0600 and unused
    match outcome {
        Ok(()) => Ok(key),
        Err(error) if error.kind() == IoError::AlreadyExists => read_or_make(path),
        Err(error) => Err(failed(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_process_seals_another_opens() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        let vault = || FileVault::new(MasterKey::File(path.clone()));
        let sealed = vault().seal(b"secret").unwrap();
        assert!(!sealed.windows(6).any(|part| part == b"secret"));
        assert_eq!(vault().open(&sealed).unwrap(), b"secret");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);

        let mut changed = sealed.clone();
        *changed.last_mut().unwrap() ^= 1;
        assert!(vault().open(&changed).is_err());
        assert!(vault().open(&sealed[..10]).is_err());
        let other = FileVault::new(MasterKey::Given(Zeroizing::new("00".repeat(32))));
        assert!(other.open(&sealed).is_err());
    }

    #[test]
    fn a_key_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        std::fs::write(&path, "11".repeat(32)).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        let error = FileVault::new(MasterKey::File(path)).seal(b"x").unwrap_err();
        assert!(error.message.contains("chmod 600"), "{}", error.message);
    }
}
