//! The error of file backends: a kind for programs, a message for people, and the cause.

use std::error::Error as StdError;

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageErrorKind {
    /// The path breaks a rule.
    InvalidPath,
    /// The backend does not store such bytes or does not accept such a request.
    InvalidContent,
    /// The file exceeds the backend's maximum size.
    TooLarge,
    /// A precondition does not hold.
    PreconditionFailed,
    /// Another file or directory has the place of the path.
    PathConflict,
    /// A memory, snapshot or cursor of the call is absent. An absent file is no error.
    NotFound,
    /// The caller lacks the right.
    Denied,
    /// The backend lacks the capability.
    Unsupported,
    /// The backend is unreachable or unusable at the moment: a retry may succeed.
    Unavailable,
    /// The backend violated its contract.
    Broken,
}

use StorageErrorKind::{
    Broken, Denied, InvalidContent, InvalidPath, NotFound, PathConflict, PreconditionFailed, TooLarge,
    Unavailable, Unsupported,
};

/// Each kind, its code and its HTTP status.
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
    /// Returns the kind of a code of the HTTP form.
    pub fn of_code(code: &str) -> Option<Self> {
        KINDS.iter().find(|(_, known, _)| *known == code).map(|(kind, ..)| *kind)
    }

    /// Returns the kind of an HTTP status with an unknown code.
    pub fn of_status(status: u16) -> Self {
        match status {
            401 => Denied,
            408 | 429 | 502 | 504 => Unavailable,
            _ => KINDS.iter().find(|(.., known)| *known == status).map_or(Broken, |(kind, ..)| *kind),
        }
    }

    /// Returns the code of the HTTP form.
    pub fn code(self) -> &'static str {
        KINDS.iter().find(|(kind, ..)| *kind == self).map_or("broken", |(_, code, _)| code)
    }

    /// Returns the HTTP status of the HTTP form.
    pub fn status(self) -> u16 {
        KINDS.iter().find(|(kind, ..)| *kind == self).map_or(500, |(.., status)| *status)
    }

    /// Returns true if a retry without a change may succeed.
    pub fn is_retryable(self) -> bool {
        self == Unavailable
    }

    /// Returns true for an error that concerns only the file of the call: the next file may
    /// succeed.
    pub fn is_of_one_file(self) -> bool {
        matches!(self, InvalidPath | InvalidContent | TooLarge | PreconditionFailed | PathConflict | Denied)
    }
}

/// A failure of a backend. The message names the path, the rule and the remedy, and never the
/// content.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct StorageError {
    /// The kind.
    pub kind: StorageErrorKind,
    /// The message for people.
    pub message: String,
    /// The cause.
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

    /// Returns the error of a method whose capability is absent.
    pub fn unsupported(method: &str) -> Self {
        Self::new(Unsupported, format!("this backend has no {method}: see its capabilities"))
    }

    /// Returns the error of a condition that does not hold.
    pub fn precondition_failed(message: impl Into<String>) -> Self {
        Self::new(PreconditionFailed, message)
    }

    /// Returns the error of a path that breaks a rule.
    pub fn invalid_path(message: impl Into<String>) -> Self {
        Self::new(InvalidPath, message)
    }

    /// Returns true if a retry without a change may succeed.
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
