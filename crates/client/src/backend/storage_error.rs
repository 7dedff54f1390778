//! The error of file backends: a kind for programs, a message for people, and the cause.

use std::error::Error as StdError;

/// The kind of an error of a file backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageErrorKind {
    /// The path breaks a rule for paths.
    InvalidPath,
    /// The backend cannot store these bytes, or an argument is invalid.
    InvalidContent,
    /// The file exceeds the maximum size of the backend.
    TooLarge,
    /// The precondition of the change does not hold.
    PreconditionFailed,
    /// The path cannot have a file, because another file or directory is in the way.
    PathConflict,
    /// The memory, snapshot or cursor that the call names does not exist. A missing file is not an
    /// error.
    NotFound,
    /// The caller has no right to make the call.
    Denied,
    /// The backend does not support the method.
    Unsupported,
    /// The backend cannot be reached or used now. A retry may succeed.
    Unavailable,
    /// The backend violated the contract of [`FileBackend`](super::FileBackend).
    Broken,
}

use StorageErrorKind::{
    Broken, Denied, InvalidContent, InvalidPath, NotFound, PathConflict, PreconditionFailed, TooLarge,
    Unavailable, Unsupported,
};

/// Each kind of error, with its code and HTTP status.
const KINDS: [(StorageErrorKind, &str, u16); 10] = [
    (InvalidPath, "invalid_path", 400),
    (InvalidContent, "invalid_content", 422),
    (TooLarge, "too_large", 413),
    (PreconditionFailed, "precondition_failed", 412),
    (PathConflict, "path_conflict", 409),
    (NotFound, "not_found", 404),
    (Denied, "denied", 403),
    (Unsupported, "unsupported", 501),
    (Unavailable, "unavailable", 503),
    (Broken, "broken", 500),
];

impl StorageErrorKind {
    /// Returns the kind with this code in the HTTP format. `None` for an unknown code.
    pub fn of_code(code: &str) -> Option<Self> {
        KINDS.iter().find(|(_, known, _)| *known == code).map(|(kind, ..)| *kind)
    }

    /// Returns the kind for an HTTP status whose response has no known code.
    pub fn of_status(status: u16) -> Self {
        match status {
            401 => Denied,
            408 | 429 | 502 | 504 => Unavailable,
            _ => KINDS.iter().find(|(.., known)| *known == status).map_or(Broken, |(kind, ..)| *kind),
        }
    }

    /// Returns the code of the kind in the HTTP format.
    pub fn code(self) -> &'static str {
        KINDS.iter().find(|(kind, ..)| *kind == self).map_or("broken", |(_, code, _)| code)
    }

    /// Returns the HTTP status of the kind in the HTTP format.
    pub fn status(self) -> u16 {
        KINDS.iter().find(|(kind, ..)| *kind == self).map_or(500, |(.., status)| *status)
    }

    /// Returns true if the same call may succeed when it is repeated.
    pub fn is_retryable(self) -> bool {
        self == Unavailable
    }

    /// Returns true if the error concerns only the file of the call, so that a call for another
    /// file may succeed.
    pub fn is_of_one_file(self) -> bool {
        matches!(self, InvalidPath | InvalidContent | TooLarge | PreconditionFailed | PathConflict | Denied)
    }
}

/// An error of a file backend. The message names the path, the rule and what to do, and never
/// contains file content.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct StorageError {
    /// The kind of the error.
    pub kind: StorageErrorKind,
    /// The message for people.
    pub message: String,
    /// The error that caused this one.
    #[source]
    pub source: Option<Box<dyn StdError + Send + Sync>>,
}

impl StorageError {
    /// Returns an error of a kind.
    pub fn new(kind: StorageErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// Returns the error with its cause.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns the error for a method that the backend does not support.
    pub fn unsupported(method: &str) -> Self {
        Self::new(Unsupported, format!("this backend has no {method}: see its capabilities"))
    }

    /// Returns the error for a precondition that does not hold.
    pub fn precondition_failed(message: impl Into<String>) -> Self {
        Self::new(PreconditionFailed, message)
    }

    /// Returns the error for a path that breaks a rule.
    pub fn invalid_path(message: impl Into<String>) -> Self {
        Self::new(InvalidPath, message)
    }

    /// Returns true if the same call may succeed when it is repeated.
    pub fn is_retryable(&self) -> bool {
        self.kind.is_retryable()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_statuses_lead_back_to_their_kinds() {
        for (kind, code, status) in KINDS {
            assert_eq!((kind.code(), kind.status()), (code, status));
            assert_eq!(StorageErrorKind::of_code(code), Some(kind));
            assert_eq!(StorageErrorKind::of_status(status), kind);
            assert_eq!(kind.is_retryable(), kind == Unavailable);
        }
        assert_eq!(StorageErrorKind::of_code("other"), None);
        for (status, kind) in [(401, Denied), (429, Unavailable), (504, Unavailable), (418, Broken)] {
            assert_eq!(StorageErrorKind::of_status(status), kind);
        }
    }
}
