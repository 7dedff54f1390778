//! Types of the required methods: a file's content, an entry of a listing, and the condition of a
//! change.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::storage_error::StorageError;

/// The content of a file in a backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackendFile {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// The SHA-256 of the bytes, in lower-case hex digits.
    pub sha256: String,
}

impl BackendFile {
    /// Returns the file with these bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        let sha256 = sha256_hex(&bytes);
        Self { bytes, sha256 }
    }
}

/// The result of writing a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileWriteResult {
    /// The SHA-256 of the stored bytes, in lower-case hex digits.
    pub sha256: String,
}

/// A file in the listing of a backend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackendEntry {
    /// The full path of the file.
    pub path: String,
    /// The size of the file, in bytes.
    pub size: u64,
    /// The SHA-256 of the bytes, in hex digits. `None` if the backend would have to read the file
    /// for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// The condition under which a file is changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum FilePrecondition {
    /// The file is changed whether it exists or not.
    #[default]
    Any,
    /// The file must not exist.
    Absent,
    /// The file must exist and have this SHA-256, in lower-case hex digits.
    Sha256(String),
}

impl FilePrecondition {
    /// Checks the precondition against the SHA-256 of the current file. `present` is `None` if
    /// there is no file.
    ///
    /// # Errors
    /// `PreconditionFailed` if the condition does not hold.
    pub fn check(&self, path: &str, present: Option<&str>) -> Result<(), StorageError> {
        let rule = match (self, present) {
            (Self::Any, _) | (Self::Absent, None) => return Ok(()),
            (Self::Sha256(wanted), Some(present)) if wanted.eq_ignore_ascii_case(present) => return Ok(()),
            (Self::Absent, Some(_)) => format!("{path} must be absent, and is there: read it first"),
            (Self::Sha256(wanted), None) => {
                format!("{path} must have the sha256 {wanted}, and is absent: write it with Absent")
            }
            (Self::Sha256(wanted), Some(present)) => {
                format!("{path} must have the sha256 {wanted}, and has {present}: read it and try again")
            }
        };
        Err(StorageError::precondition_failed(rule))
    }
}

/// Returns the SHA-256 of bytes in lower-case hex digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256_hex(b""), empty);
        let sha = |text: &str| FilePrecondition::Sha256(text.to_owned());
        let check = |only_if: &FilePrecondition, present: Option<&str>, expect: bool| {
            assert_eq!(only_if.check("a.md", present).is_ok(), expect, "{only_if:?} {present:?}");
        };
        check(&FilePrecondition::Any, None, true);
        check(&FilePrecondition::Any, Some(empty), true);
        check(&FilePrecondition::Absent, None, true);
        check(&FilePrecondition::Absent, Some(empty), false);
        check(&sha(empty), Some(empty), true);
        check(&sha(&empty.to_uppercase()), Some(empty), true);
        check(&sha("00"), Some(empty), false);
        check(&sha(empty), None, false);
    }
}
