//! The mapping from errors of the engine to the codes of the native API and of the tools.
//!
//! The AgentCore API, buckets and git have errors of their own, in their modules.

use http::StatusCode;
use loci_api::ErrorCode;
use loci_model::{CodeReason, Error, ErrorKind, Reason};

/// Returns the code of an error.
pub(crate) fn code_of(error: &Error) -> ErrorCode {
    match error.reason {
        Some(Reason::IdempotentParameterMismatch) => ErrorCode::IdempotencyKeyReused,
        Some(Reason::ResourceConflict) => ErrorCode::Conflict,
        Some(Reason::QuotaExceeded) => ErrorCode::QuotaExceeded,
        Some(Reason::CannotParse) if error.kind == ErrorKind::Invalid => ErrorCode::CannotParse,
        Some(Reason::BadReply) => ErrorCode::BadReply,
        Some(Reason::AlreadyAnswered) => ErrorCode::AlreadyAnswered,
        Some(Reason::LeaseLost) => ErrorCode::LeaseLost,
        Some(Reason::StaleVersion) => ErrorCode::StaleVersion,
        Some(Reason::PreconditionRequired) => ErrorCode::PreconditionRequired,
        Some(Reason::PathConflict) => ErrorCode::PathConflict,
        Some(Reason::RedactedContent) => ErrorCode::RedactedContent,
        Some(Reason::SourceErased) => ErrorCode::SourceErased,
        Some(Reason::RunActive) => ErrorCode::RunActive,
        Some(Reason::Code(reason)) => code_of_citation(reason),
        Some(Reason::CannotParse | Reason::FieldValidationFailed | Reason::EventInOtherSession) | None => {
            code_of_kind(error.kind)
        }
    }
}

/// Returns the code of an error of which only the kind is known.
pub fn code_of_kind(kind: ErrorKind) -> ErrorCode {
    match kind {
        ErrorKind::NotFound => ErrorCode::NotFound,
        ErrorKind::Conflict => ErrorCode::Conflict,
        ErrorKind::Invalid => ErrorCode::Invalid,
        ErrorKind::TooLarge => ErrorCode::TooLarge,
        ErrorKind::Denied => ErrorCode::Denied,
        ErrorKind::Unauthenticated => ErrorCode::Unauthenticated,
        ErrorKind::Throttled => ErrorCode::Throttled,
        ErrorKind::Unavailable => ErrorCode::Unavailable,
        ErrorKind::Upstream => ErrorCode::Upstream,
        ErrorKind::Bug => ErrorCode::Bug,
    }
}

fn code_of_citation(reason: CodeReason) -> ErrorCode {
    match reason {
        CodeReason::RepositoryUnknown => ErrorCode::RepositoryUnknown,
        CodeReason::RefNotFound => ErrorCode::RefNotFound,
        CodeReason::PathRejected => ErrorCode::PathRejected,
        CodeReason::CitationUnreadable => ErrorCode::CitationUnreadable,
        CodeReason::CitationLowInformation => ErrorCode::CitationLowInformation,
        CodeReason::TooLarge => ErrorCode::TooLarge,
        CodeReason::BinaryFile => ErrorCode::BinaryFile,
        CodeReason::Submodule => ErrorCode::Submodule,
        CodeReason::SymlinkEscape => ErrorCode::SymlinkEscape,
        CodeReason::Unverifiable => ErrorCode::Unverifiable,
        CodeReason::SecretDetected => ErrorCode::SecretDetected,
        CodeReason::NotVerified => ErrorCode::NotVerified,
        CodeReason::NotActive => ErrorCode::NotActive,
    }
}

/// Returns a status from the list of codes.
pub(crate) fn http_status(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_of_http() {
        for code in ErrorCode::ALL {
            assert_eq!(http_status(code.status()).as_u16(), code.status());
            assert_eq!(http_status(code.tool_status()).as_u16(), code.tool_status());
        }
    }

    #[test]
    fn errors_have_a_word_and_a_status_on_each_door() {
        let check = |error: Error, native: (&str, u16), in_tools: (&str, u16)| {
            let code = code_of(&error);
            assert_eq!((code.word(), code.status()), native, "{error:?}");
            assert_eq!((code.tool_word(), code.tool_status()), in_tools, "{error:?}");
        };
        let of = |kind: ErrorKind| Error::new(kind, "no");
        let invalid = ("INVALID_ARGUMENT", 400);
        let conflict = ("CONFLICT", 409);
        let internal = ("INTERNAL", 500);
        check(of(ErrorKind::NotFound), ("NOT_FOUND", 404), ("NOT_FOUND", 404));
        check(of(ErrorKind::Conflict), conflict, conflict);
        check(of(ErrorKind::Invalid), ("INVALID", 400), invalid);
        check(of(ErrorKind::TooLarge), ("TOO_LARGE", 413), ("TOO_LARGE", 413));
        check(of(ErrorKind::Denied), ("DENIED", 403), ("FORBIDDEN", 403));
        check(of(ErrorKind::Unauthenticated), ("UNAUTHENTICATED", 401), ("AUTH_REQUIRED", 401));
        check(of(ErrorKind::Throttled), ("THROTTLED", 429), ("RATE_LIMITED", 429));
        check(of(ErrorKind::Unavailable), ("UNAVAILABLE", 503), internal);
        check(of(ErrorKind::Upstream), ("UPSTREAM", 502), internal);
        check(of(ErrorKind::Bug), ("BUG", 500), internal);

        let because = |kind: ErrorKind, reason: Reason| of(kind).because(reason);
        let field = because(ErrorKind::Invalid, Reason::FieldValidationFailed);
        check(field, ("INVALID", 400), invalid);
        check(because(ErrorKind::Invalid, Reason::EventInOtherSession), ("INVALID", 400), invalid);
        check(because(ErrorKind::Invalid, Reason::CannotParse), ("CANNOT_PARSE", 400), invalid);
        check(because(ErrorKind::Bug, Reason::CannotParse), ("BUG", 500), internal);
        check(because(ErrorKind::Invalid, Reason::ResourceConflict), conflict, conflict);
        let reused = because(ErrorKind::Invalid, Reason::IdempotentParameterMismatch);
        check(reused, ("IDEMPOTENCY_KEY_REUSED", 422), conflict);
        let quota = ("QUOTA_EXCEEDED", 409);
        check(because(ErrorKind::TooLarge, Reason::QuotaExceeded), quota, quota);
        check(because(ErrorKind::Invalid, Reason::BadReply), ("BAD_REPLY", 422), invalid);
        for (reason, native) in [
            (Reason::AlreadyAnswered, ("ALREADY_ANSWERED", 409)),
            (Reason::LeaseLost, ("LEASE_LOST", 409)),
            (Reason::StaleVersion, ("STALE_VERSION", 412)),
            (Reason::PreconditionRequired, ("PRECONDITION_REQUIRED", 428)),
            (Reason::PathConflict, ("PATH_CONFLICT", 409)),
            (Reason::RedactedContent, ("REDACTED_CONTENT", 409)),
            (Reason::SourceErased, ("SOURCE_ERASED", 409)),
            (Reason::RunActive, ("RUN_ACTIVE", 409)),
        ] {
            check(because(ErrorKind::Conflict, reason), native, conflict);
        }
        for reason in CodeReason::ALL {
            let (native, in_tools) = match reason {
                CodeReason::RepositoryUnknown => (404, 404),
                CodeReason::RefNotFound => (400, 404),
                CodeReason::PathRejected => (400, 400),
                CodeReason::TooLarge => (413, 413),
                CodeReason::Unverifiable => (503, 503),
                CodeReason::NotVerified | CodeReason::NotActive => (409, 409),
                _ => (400, 422),
            };
            let word = reason.as_str();
            check(Error::code(*reason, "no"), (word, native), (word, in_tools));
        }
    }
}
