//! Classification of the errors of a Loci server.

use loci_api::ErrorCode;

use crate::agent::error::{ErrorClass, StoreError};
use crate::error::ClientError;

/// Returns the store error for an error of the client. An error that no message causes is
/// transient, even if the server calls it final: otherwise a revoked key would send a whole
/// conversation into quarantine.
pub(in crate::agent::stores) fn store_error(what: &str, error: ClientError) -> StoreError {
    StoreError::of(class(&error), format!("{what}: {error}")).caused_by(error)
}

fn class(error: &ClientError) -> ErrorClass {
    match error {
        ClientError::Unreachable { .. } => ErrorClass::Transient,
        ClientError::Refused { status, problem } => match status {
            400 | 409 | 413 | 422 if !problem.retryable => ErrorClass::Permanent,
            _ => ErrorClass::Transient,
        },
        ClientError::Request(_) => ErrorClass::Permanent,
        ClientError::Unexpected(_) => ErrorClass::Unclassified,
    }
}

/// Returns the class of the error of one item in a batch, from the server's error code.
pub(super) fn class_of_code(code: &str) -> ErrorClass {
    match ErrorCode::parse(code) {
        Some(
            ErrorCode::Throttled
            | ErrorCode::Unavailable
            | ErrorCode::Upstream
            | ErrorCode::Bug
            | ErrorCode::Denied
            | ErrorCode::Unauthenticated,
        ) => ErrorClass::Transient,
        _ => ErrorClass::Permanent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes() {
        let check = |status: u16, retryable: bool, expect: ErrorClass| {
            let problem = loci_api::Problem {
                code: "X".into(),
                message: "m".into(),
                field: None,
                retryable,
                details: None,
            };
            assert_eq!(
                class(&ClientError::Refused { status, problem: Box::new(problem) }),
                expect,
                "{status}"
            );
        };
        for status in [400, 409, 413, 422] {
            check(status, false, ErrorClass::Permanent);
            check(status, true, ErrorClass::Transient);
        }
        for status in [401, 403, 404, 429, 500, 503] {
            check(status, false, ErrorClass::Transient);
        }
        assert_eq!(class(&ClientError::Unexpected("?".into())), ErrorClass::Unclassified);
    }
}
