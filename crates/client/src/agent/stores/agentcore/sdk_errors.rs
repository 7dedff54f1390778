//! Classification of SDK errors. An error that no message causes is transient, even if AgentCore
//! calls it final: otherwise a revoked key would send a whole conversation into quarantine.

use std::error::Error;

use aws_sdk_bedrockagentcore::error::{ProvideErrorMetadata, SdkError};

use crate::agent::error::{ErrorClass, StoreError};

/// The names of the errors that mean that the request itself is invalid.
const AT_FAULT: [&str; 3] = ["ValidationException", "InvalidInputException", "SerializationException"];

/// Returns the store error for an SDK error, with its class and AgentCore's error name. The caller
/// adds the failed operation.
pub(super) fn store_error<E>(error: SdkError<E>) -> StoreError
where
    E: ProvideErrorMetadata + Error + Send + Sync + 'static,
{
    let class = match &error {
        SdkError::ServiceError(answer) => class(answer.raw().status().as_u16(), answer.err().code()),
        SdkError::ConstructionFailure(_) => ErrorClass::Permanent,
        SdkError::ResponseError(_) => ErrorClass::Unclassified,
        _ => ErrorClass::Transient,
    };
    let said = match error.as_service_error() {
        Some(said) => {
            let code = said.code().unwrap_or("an error without a name");
            said.message().map_or_else(|| code.to_owned(), |message| format!("{code}: {message}"))
        }
        None => chain(&error),
    };
    let found = StoreError::of(class, said);
    match error.into_source() {
        Ok(source) => found.caused_by(Source(source)),
        Err(_) => found,
    }
}

fn class(status: u16, code: Option<&str>) -> ErrorClass {
    match (status, code) {
        (413 | 422, _) | (400, None) => ErrorClass::Permanent,
        (400, Some(code)) if AT_FAULT.contains(&code) => ErrorClass::Permanent,
        _ => ErrorClass::Transient,
    }
}

/// Formats the error and its sources in one line.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut behind = error.source();
    while let Some(error) = behind {
        text.push_str(": ");
        text.push_str(&error.to_string());
        behind = error.source();
    }
    text
}

/// The cause of an SDK error.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Source(Box<dyn Error + Send + Sync>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes() {
        let check = |status: u16, code: Option<&str>, expect: ErrorClass| {
            assert_eq!(class(status, code), expect, "{status} {code:?}");
        };
        for code in AT_FAULT {
            check(400, Some(code), ErrorClass::Permanent);
        }
        check(400, None, ErrorClass::Permanent);
        check(400, Some("ThrottlingException"), ErrorClass::Transient);
        check(400, Some("ExpiredTokenException"), ErrorClass::Transient);
        check(413, None, ErrorClass::Permanent);
        for (status, code) in [
            (402, "ServiceQuotaExceededException"),
            (403, "AccessDeniedException"),
            (404, "ResourceNotFoundException"),
            (409, "RetryableConflictException"),
            (429, "ThrottledException"),
            (500, "ServiceException"),
        ] {
            check(status, Some(code), ErrorClass::Transient);
        }
    }
}
