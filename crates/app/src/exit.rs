//! Exit codes: 0 ok · 1 failed · 2 usage · 3 not found · 4 conflict · 5 difference or gate not met.

use std::process::ExitCode;

use loci_api::ErrorCode;
use loci_client::ClientError;
use loci_model::ErrorKind;

use crate::output;

/// Invalid arguments that the parser cannot detect.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

/// The error of a check that found a difference. Its exit code is 5.
#[derive(Debug)]
pub(crate) struct Difference(pub(crate) String);

/// The error for a plan that waits for a person's review. It is not a failure, and has its own exit
/// code.
#[derive(Debug)]
pub(crate) struct PendingPlan(pub(crate) String);

/// The error for a named object that does not exist. Its exit code is 3.
#[derive(Debug)]
pub(crate) struct NotFound(pub(crate) String);

/// The result of a command with its own exit codes.
#[derive(Debug)]
pub(crate) struct CommandOutcome {
    /// The exit code.
    pub(crate) code: u8,
    /// The text for people.
    pub(crate) text: String,
}

impl CommandOutcome {
    /// Returns `error` with this exit code instead of its default one.
    pub(crate) fn of(code: u8, error: anyhow::Error) -> anyhow::Error {
        error.context(Self { code, text: "consolidation".to_owned() })
    }
}

impl std::fmt::Display for CommandOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for CommandOutcome {}

macro_rules! shown {
    ($($name:ident)+) => {$(
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::error::Error for $name {}
    )+};
}

shown!(Usage Difference PendingPlan NotFound);

/// Prints the error of a command and returns its exit code.
pub(crate) fn failed(error: &anyhow::Error, json: bool) -> ExitCode {
    match error.downcast_ref::<PendingPlan>() {
        Some(plan) if !json => output::note(plan),
        // Programs receive the plan itself.
        Some(_) => {}
        None => output::failure(error, json),
    }
    ExitCode::from(code(error))
}

fn code(error: &anyhow::Error) -> u8 {
    // A command's own codes take precedence over the default code of the cause.
    if let Some(outcome) = error.downcast_ref::<CommandOutcome>() {
        return outcome.code;
    }
    for cause in error.chain() {
        if cause.is::<Usage>() || cause.is::<PendingPlan>() {
            return 2;
        }
        if cause.is::<NotFound>() {
            return 3;
        }
        if cause.is::<Difference>() {
            return 5;
        }
        if let Some(error) = cause.downcast_ref::<ClientError>() {
            return match error.status() {
                Some(404) => 3,
                Some(409 | 412) => 4,
                Some(400 | 422) => 2,
                Some(_) | None => 1,
            };
        }
        if let Some(error) = cause.downcast_ref::<loci_model::Error>() {
            return match error.kind {
                ErrorKind::NotFound => 3,
                ErrorKind::Conflict => 4,
                ErrorKind::Invalid | ErrorKind::TooLarge => 2,
                ErrorKind::Denied
                | ErrorKind::Unauthenticated
                | ErrorKind::Throttled
                | ErrorKind::Unavailable
                | ErrorKind::Upstream
                | ErrorKind::Bug => 1,
            };
        }
    }
    1
}

/// The error code of a check that found a difference. The API has no such code.
const DIFFERENCE: &str = "DIFFERENCE";
/// The error code of all other failures that a command itself detects.
const FAILED: &str = "FAILED";

/// Returns the code of an error that the API did not report: the code of its first cause of a known
/// type.
pub(crate) fn error_code(error: &anyhow::Error) -> &'static str {
    error.chain().find_map(code_of_cause).unwrap_or(FAILED)
}

fn code_of_cause(cause: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
    if cause.is::<Usage>() {
        return Some(ErrorCode::Invalid.word());
    }
    if cause.is::<NotFound>() {
        return Some(ErrorCode::NotFound.word());
    }
    if cause.is::<Difference>() {
        return Some(DIFFERENCE);
    }
    if let Some(error) = cause.downcast_ref::<ClientError>() {
        return match error {
            ClientError::Refused { .. } => error.error_code().map(ErrorCode::word),
            ClientError::Unreachable { .. } => Some(ErrorCode::Unavailable.word()),
            ClientError::Unexpected(_) => Some(ErrorCode::Upstream.word()),
            ClientError::Request(_) => Some(ErrorCode::Invalid.word()),
        };
    }
    let error = cause.downcast_ref::<loci_model::Error>()?;
    let code = match error.kind {
        ErrorKind::Invalid => ErrorCode::Invalid,
        ErrorKind::NotFound => ErrorCode::NotFound,
        ErrorKind::Conflict => ErrorCode::Conflict,
        ErrorKind::TooLarge => ErrorCode::TooLarge,
        ErrorKind::Denied => ErrorCode::Denied,
        ErrorKind::Unauthenticated => ErrorCode::Unauthenticated,
        ErrorKind::Throttled => ErrorCode::Throttled,
        ErrorKind::Unavailable => ErrorCode::Unavailable,
        ErrorKind::Upstream => ErrorCode::Upstream,
        ErrorKind::Bug => ErrorCode::Bug,
    };
    Some(code.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes() {
        let check = |error: anyhow::Error, expect: u8, expect_word: &str| {
            let error = error.context("doing it");
            assert_eq!((code(&error), error_code(&error)), (expect, expect_word));
        };
        check(anyhow::anyhow!("x"), 1, "FAILED");
        check(Usage("x".into()).into(), 2, "INVALID");
        check(PendingPlan("x".into()).into(), 2, "FAILED");
        check(loci_model::Error::invalid("f", "x").into(), 2, "INVALID");
        check(loci_model::Error::not_found("x").into(), 3, "NOT_FOUND");
        check(NotFound("x".into()).into(), 3, "NOT_FOUND");
        check(loci_model::Error::conflict("x").into(), 4, "CONFLICT");
        check(Difference("x".into()).into(), 5, "DIFFERENCE");
        check(loci_model::Error::unavailable("x").into(), 1, "UNAVAILABLE");
        check(ClientError::Request("x".into()).into(), 1, "INVALID");
    }
}
