//! Conversion of a Loci server's errors to errors of a file backend.

use loci_api::ErrorCode;

use super::storage_error::{StorageError, StorageErrorKind};
use crate::error::ClientError;

/// Returns true if the server has no such document, or no such memory.
pub(super) fn is_absent(error: &ClientError) -> bool {
    error.status() == Some(404)
}

/// Returns the error of a call, with the message of the client's error.
pub(super) fn storage_error(error: ClientError) -> StorageError {
    StorageError::new(kind(&error), error.to_string()).caused_by(error)
}

fn kind(error: &ClientError) -> StorageErrorKind {
    let ClientError::Refused { status, problem } = error else {
        return match error {
            ClientError::Request(_) => StorageErrorKind::InvalidContent,
            ClientError::Unreachable { .. } => StorageErrorKind::Unavailable,
            ClientError::Unexpected(_) | ClientError::Refused { .. } => StorageErrorKind::Broken,
        };
    };
    match problem.error_code() {
        Some(ErrorCode::StaleVersion | ErrorCode::PreconditionRequired) => {
            StorageErrorKind::PreconditionFailed
        }
        Some(ErrorCode::PathConflict) => StorageErrorKind::PathConflict,
        Some(ErrorCode::Invalid) if matches!(problem.field.as_deref(), Some("path" | "paths" | "prefix")) => {
            StorageErrorKind::InvalidPath
        }
        _ if problem.retryable => StorageErrorKind::Unavailable,
        _ => match status {
            400 | 422 => StorageErrorKind::InvalidContent,
            // A snapshot label in use, or work that another caller is doing.
            409 => StorageErrorKind::PreconditionFailed,
            status => StorageErrorKind::of_status(*status),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_api::Problem;

    #[test]
    fn problems_of_a_server() {
        let check = |status: u16, code: &str, field: Option<&str>, retryable: bool, expect: &str| {
            let problem = Problem {
                code: code.to_owned(),
                message: "rule: remedy".to_owned(),
                field: field.map(str::to_owned),
                retryable,
                details: None,
            };
            let error = storage_error(ClientError::Refused { status, problem: Box::new(problem) });
            assert_eq!((error.kind.code(), error.to_string().as_str()), (expect, "rule: remedy"), "{code}");
            assert!(error.source.is_some());
        };
        check(412, "STALE_VERSION", Some("if_match"), false, "precondition_failed");
        check(409, "PATH_CONFLICT", Some("path"), false, "path_conflict");
        check(400, "INVALID", Some("path"), false, "invalid_path");
        check(400, "INVALID", Some("body"), false, "invalid_content");
        check(413, "TOO_LARGE", Some("body"), false, "too_large");
        check(403, "DENIED", None, false, "denied");
        check(401, "UNAUTHENTICATED", None, false, "denied");
        check(404, "NOT_FOUND", None, false, "not_found");
        check(429, "THROTTLED", None, true, "unavailable");
        check(502, "HTTP_502", None, true, "unavailable");
        check(500, "BUG", None, false, "broken");
    }
}
