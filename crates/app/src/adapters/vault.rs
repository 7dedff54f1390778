//! The vault: secrets sealed with XChaCha20-Poly1305 under the master key, from `LOCI_MASTER_KEY`
//! or a file with mode 0600.

use std::io::{ErrorKind as IoError, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use chacha20poly1305::aead::{Aead, KeyInit};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use loci_json::without_mark;
use loci_model::ports::vault::Vault;
use loci_model::{Error, Result};
use loci_server::{regular_file, secret_file};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// Bytes of the master key.
const KEY_BYTES: usize = 32;
/// The bytes of the nonce that precedes the sealed text of a secret.
const NONCE_BYTES: usize = 24;
/// The derivation label of the key for digests. It separates that key from other uses of the master
/// key.
const DIGEST_KEY: &[u8] = b"loci digests v1";

/// The source of the master key.
pub enum MasterKey {
    /// The key itself, as 64 hex digits.
    Given(Zeroizing<String>),
    /// The path of a key file. It is created when a store first seals a secret.
    File(PathBuf),
}

/// A vault that reads its master key on first use.
pub struct FileVault {
    source: MasterKey,
    read: OnceLock<ReadKey>,
}

/// The master key after it was read, with the ciphers derived from it.
struct ReadKey {
    cipher: XChaCha20Poly1305,
    key: Zeroizing<[u8; KEY_BYTES]>,
    /// The secret prefix of the input of each digest. It is derived from the master key, so that
    /// knowing it opens no sealed secret.
    mark: Zeroizing<[u8; KEY_BYTES]>,
}

impl FileVault {
    /// Returns a vault that has not read its key yet.
    pub fn new(source: MasterKey) -> Self {
        Self { source, read: OnceLock::new() }
    }

    fn cipher(&self) -> Result<&XChaCha20Poly1305> {
        self.key().map(|read| &read.cipher)
    }

    fn key(&self) -> Result<&ReadKey> {
        if let Some(read) = self.read.get() {
            return Ok(read);
        }
        let key = match &self.source {
            MasterKey::Given(hex) => decode(hex, "LOCI_MASTER_KEY")?,
            MasterKey::File(path) => read(path)?.ok_or_else(missing)?,
        };
        Ok(self.keep(key))
    }

    fn keep(&self, key: Zeroizing<[u8; KEY_BYTES]>) -> &ReadKey {
        let mut mark = Sha256::new();
        mark.update(DIGEST_KEY);
        mark.update(key.as_slice());
        let mark = Zeroizing::new(mark.finalize().into());
        self.read.get_or_init(|| ReadKey { cipher: XChaCha20Poly1305::new(&Key::from(*key)), key, mark })
    }
}

impl Vault for FileVault {
    fn prepare(&self) -> Result<()> {
        if let (MasterKey::File(path), None) = (&self.source, self.read.get()) {
            self.keep(read_or_make(path)?);
        }
        self.cipher().map(drop)
    }

    fn has_key_file(&self) -> bool {
        match &self.source {
            MasterKey::Given(_) => false,
            MasterKey::File(path) => path.exists(),
        }
    }

    fn check(&self) -> Result<()> {
        let (MasterKey::File(path), Some(kept)) = (&self.source, self.read.get()) else { return Ok(()) };
        if *read(path)?.ok_or_else(missing)? == *kept.key {
            return Ok(());
        }
        let rule = "master.key of the data folder is another one than this process works with: put the one \
                    back that was \
                    there, or start the process again";
        Err(Error::unavailable(rule))
    }

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

    /// Returns the keyed digest of a text. The text is hashed to a fixed length first, so nobody
    /// can extend it without the key.
    fn digest(&self, text: &[u8]) -> Result<[u8; 32]> {
        let mut hasher = Sha256::new();
        hasher.update(self.key()?.mark.as_slice());
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
    hex::decode_to_slice(without_mark(text).trim(), key.as_mut_slice())
        .map_err(|_| Error::unavailable(format!("{place} must hold the master key as 64 hex digits")))?;
    Ok(key)
}

/// Returns the error for a missing key, without which no sealed secret can be opened.
fn missing() -> Error {
    let rule = "the master key is missing: put master.key back into the data folder, or give \
                LOCI_MASTER_KEY; where it is lost \
                for good, write a new one (64 hex digits, mode 0600) and rotate every access key (loci key \
                rotate)";
    Error::unavailable(rule)
}

fn read_or_make(path: &Path) -> Result<Zeroizing<[u8; KEY_BYTES]>> {
    read(path)?.map_or_else(|| make(path), Ok)
}

/// Reads the key from the file. Returns `None` if there is no file. Errors contain no path, because
/// remote callers see them.
fn read(path: &Path) -> Result<Option<Zeroizing<[u8; KEY_BYTES]>>> {
    let failed = |error: std::io::Error| {
        let rule =
            "master.key of the data folder cannot be read: make it readable for the user of this process";
        tracing::error!(%error, path = %path.display(), "the master key cannot be read");
        Error::unavailable(rule).caused_by(error)
    };
    match regular_file::read_to_string(path) {
        Ok(text) => {
            let text = Zeroizing::new(text);
            let about = std::fs::metadata(path).map_err(failed)?;
            if let Some(fault) = secret_file::fault("master.key of the data folder", &about) {
                return Err(Error::unavailable(fault));
            }
            decode(&text, "master.key").map(Some)
        }
        Err(error) if error.kind() == IoError::NotFound => Ok(None),
        Err(error) if error.kind() == IoError::InvalidInput => {
            let rule = "master.key of the data folder is not a regular file but a pipe, a device, a socket or a \
                        folder: put the file with the key in its place";
            Err(Error::unavailable(rule).caused_by(error))
        }
        Err(error) => Err(failed(error)),
    }
}

/// Writes the complete file under another name, then links it into place. Of two concurrent
/// processes one wins, and both read the same key.
fn make(path: &Path) -> Result<Zeroizing<[u8; KEY_BYTES]>> {
    let failed = |error: std::io::Error| {
        tracing::error!(%error, path = %path.display(), "the master key cannot be written");
        let rule = "master.key of the data folder cannot be written: make the folder writable for the user \
                    of this process";
        Error::unavailable(rule).caused_by(error)
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
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_one_process_seals_another_opens() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        let vault = || FileVault::new(MasterKey::File(path.clone()));
        assert!(vault().seal(b"secret").is_err() && !path.exists(), "no key is made in passing");
        let first = vault();
        first.prepare().unwrap();
        let sealed = first.seal(b"secret").unwrap();
        assert!(first.has_key_file() && first.check().is_ok());
        assert!(!sealed.windows(6).any(|part| part == b"secret"));
        assert_eq!(vault().open(&sealed).unwrap(), b"secret");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);

        let mut changed = sealed.clone();
        *changed.last_mut().unwrap() ^= 1;
        assert!(vault().open(&changed).is_err());
        assert!(vault().open(&sealed[..10]).is_err());
        let other = FileVault::new(MasterKey::Given(Zeroizing::new("00".repeat(32))));
        assert!(other.open(&sealed).is_err());
        other.prepare().unwrap();
        assert!(!other.has_key_file() && other.check().is_ok());

        // After a removal or replacement, no other process can open the secrets that this one still
        // opens.
        std::fs::write(&path, "22".repeat(32)).unwrap();
        assert!(first.check().unwrap_err().message.contains("another one"));
        std::fs::remove_file(&path).unwrap();
        for error in [first.check().unwrap_err(), vault().open(&sealed).unwrap_err()] {
            assert!(error.message.contains("the master key is missing"), "{}", error.message);
        }
        assert_eq!(first.open(&sealed).unwrap(), b"secret");
        assert!(!path.exists());
    }

    #[test]
    fn errors_name_no_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        std::fs::create_dir(&path).unwrap();
        let vault = FileVault::new(MasterKey::File(path));
        for error in [vault.prepare().unwrap_err(), vault.seal(b"x").unwrap_err()] {
            assert!(error.message.contains("master.key of the data folder"), "{}", error.message);
            assert!(!error.message.contains(folder.path().to_str().unwrap()), "{}", error.message);
        }
    }

    #[test]
    fn a_pipe_is_no_key_and_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let (told, heard) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let vault = FileVault::new(MasterKey::File(path));
            told.send([vault.prepare().unwrap_err(), vault.seal(b"x").unwrap_err()]).unwrap();
        });
        for error in heard.recv_timeout(std::time::Duration::from_secs(60)).unwrap() {
            assert!(error.message.contains("not a regular file"), "{}", error.message);
        }
    }

    #[test]
    fn a_key_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        std::fs::write(&path, "11".repeat(32)).unwrap();
        for mode in [0o644, 0o640, 0o660] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let error = FileVault::new(MasterKey::File(path.clone())).seal(b"x").unwrap_err();
            assert!(error.message.contains("chmod 600"), "{}", error.message);
            assert!(error.message.contains(&format!("{mode:04o}")), "{}", error.message);
        }
    }
}
