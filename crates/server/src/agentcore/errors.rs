//! Errors of the AgentCore API: name, status, body and headers. Loci's error kinds are mapped to
//! AWS's error names here only.

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use loci_model::{Error, ErrorKind, Reason as ModelReason};
use serde::Serialize;

use super::constraints::{FieldRefusal, Reason, Refusal};
use super::route::Operation;
use super::wire_names::wire_name;

/// Error names and statuses of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Validation,
    ServiceQuotaExceeded,
    AccessDenied,
    ResourceNotFound,
    UnknownOperation,
    Conflict,
    Throttled,
    Service,
}

impl Name {
    /// Returns the name of the error shape. The tags endpoints have their own names for two errors.
    fn spelled(self, tags: bool) -> &'static str {
        match self {
            Self::Validation => "ValidationException",
            Self::ServiceQuotaExceeded => "ServiceQuotaExceededException",
            Self::AccessDenied => "AccessDeniedException",
            Self::ResourceNotFound => "ResourceNotFoundException",
            Self::UnknownOperation => "UnknownOperationException",
            Self::Conflict => "ConflictException",
            Self::Throttled if tags => "ThrottlingException",
            Self::Throttled => "ThrottledException",
            Self::Service if tags => "InternalServerException",
            Self::Service => "ServiceException",
        }
    }

    fn status(self) -> StatusCode {
        match self {
            Self::Validation => StatusCode::BAD_REQUEST,
            Self::ServiceQuotaExceeded => StatusCode::PAYMENT_REQUIRED,
            Self::AccessDenied => StatusCode::FORBIDDEN,
            Self::ResourceNotFound | Self::UnknownOperation => StatusCode::NOT_FOUND,
            Self::Conflict => StatusCode::CONFLICT,
            Self::Throttled => StatusCode::TOO_MANY_REQUESTS,
            Self::Service => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

/// The reason why a call has no result: the form of the request, or an error of the engine.
#[derive(Debug)]
pub(crate) enum AgentCoreFailure {
    /// No operation has this path and method.
    UnknownOperation,
    /// The form of the request is invalid.
    Request(Refusal),
    /// The engine rejected the call, or failed.
    Engine(Error),
}

impl From<Refusal> for AgentCoreFailure {
    fn from(refusal: Refusal) -> Self {
        Self::Request(refusal)
    }
}

impl From<Error> for AgentCoreFailure {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

/// An error in the form of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WireError {
    pub(crate) name: &'static str,
    pub(crate) status: StatusCode,
    message: String,
    reason: Option<Reason>,
    fields: Vec<FieldRefusal>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(rename = "__type")]
    shape: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    field_list: Vec<Field<'a>>,
}

#[derive(Serialize)]
struct Field<'a> {
    name: &'a str,
    message: &'a str,
}

impl WireError {
    /// Creates the API's error for a failure of this operation; `None` if there is no such
    /// operation.
    pub(crate) fn new(operation: Option<Operation>, failure: AgentCoreFailure) -> Self {
        let tags = operation.is_some_and(Operation::is_tags);
        match failure {
            AgentCoreFailure::UnknownOperation => {
                Self::plain(Name::UnknownOperation, tags, "No operation has this path and method".to_owned())
            }
            AgentCoreFailure::Request(refusal) => Self {
                name: Name::Validation.spelled(tags),
                status: Name::Validation.status(),
                message: refusal.message,
                reason: Some(refusal.reason),
                fields: refusal.fields,
            },
            AgentCoreFailure::Engine(error) => Self::of_engine(operation, tags, error),
        }
    }

    fn plain(name: Name, tags: bool, message: String) -> Self {
        Self { name: name.spelled(tags), status: name.status(), message, reason: None, fields: Vec::new() }
    }

    fn of_engine(operation: Option<Operation>, tags: bool, error: Error) -> Self {
        let name = name_of(operation, &error);
        let error = error.with_names(wire_name);
        let message = match name {
            // A broken invariant is no help to the caller; the log has it.
            Name::Service if error.kind == ErrorKind::Bug => "An internal error occurred".to_owned(),
            _ => error.message,
        };
        if name != Name::Validation {
            return Self::plain(name, tags, message);
        }
        let fields =
            error.field.map(|name| FieldRefusal { name, message: message.clone() }).into_iter().collect();
        let reason = Some(error.reason.map_or(Reason::FieldValidationFailed, reason_of));
        Self { name: name.spelled(tags), status: name.status(), message, reason, fields }
    }

    /// Returns the response, without the headers that every response has.
    pub(crate) fn into_response(self) -> Response<Bytes> {
        let body = Body {
            shape: self.name,
            message: &self.message,
            reason: self.reason.map(Reason::name),
            field_list: self
                .fields
                .iter()
                .map(|field| Field { name: &field.name, message: &field.message })
                .collect(),
        };
        // The body has only strings, so serializing it cannot fail.
        let body = serde_json::to_vec(&body).unwrap_or_else(|_| b"{}".to_vec());
        let mut response = Response::new(Bytes::from(body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert("x-amzn-errortype", HeaderValue::from_static(self.name));
        response
    }
}

/// Returns the API's name for an error. Permanent failures are 4xx, because SDKs retry all others.
fn name_of(operation: Option<Operation>, error: &Error) -> Name {
    let memory_change = matches!(
        operation,
        Some(Operation::CreateMemory | Operation::UpdateMemory | Operation::DeleteMemory)
    );
    match error.kind {
        ErrorKind::Invalid | ErrorKind::Conflict | ErrorKind::TooLarge
            if error.reason == Some(ModelReason::QuotaExceeded) =>
        {
            Name::ServiceQuotaExceeded
        }
        ErrorKind::Invalid | ErrorKind::TooLarge => Name::Validation,
        ErrorKind::Conflict if memory_change && error.reason.is_none() => Name::Conflict,
        // For other operations the API has no conflict that must not be retried.
        ErrorKind::Conflict => Name::Validation,
        ErrorKind::NotFound => Name::ResourceNotFound,
        ErrorKind::Denied | ErrorKind::Unauthenticated => Name::AccessDenied,
        ErrorKind::Throttled => Name::Throttled,
        ErrorKind::Unavailable | ErrorKind::Upstream | ErrorKind::Bug => Name::Service,
    }
}

fn reason_of(reason: ModelReason) -> Reason {
    match reason {
        ModelReason::CannotParse => Reason::CannotParse,
        // The last ones belong to operations that the API does not have.
        ModelReason::FieldValidationFailed
        | ModelReason::QuotaExceeded
        | ModelReason::BadReply
        | ModelReason::AlreadyAnswered
        | ModelReason::LeaseLost
        | ModelReason::RedactedContent
        | ModelReason::SourceErased
        | ModelReason::StaleVersion
        | ModelReason::PreconditionRequired
        | ModelReason::PathConflict
        | ModelReason::RunActive
        | ModelReason::Code(_) => Reason::FieldValidationFailed,
        ModelReason::IdempotentParameterMismatch => Reason::IdempotentParameterMismatch,
        ModelReason::EventInOtherSession => Reason::EventInOtherSession,
        ModelReason::ResourceConflict => Reason::ResourceConflict,
    }
}

/// Returns the HTTP code of a failed item in a batch.
pub(crate) fn item_code(kind: ErrorKind) -> u16 {
    match kind {
        ErrorKind::Invalid | ErrorKind::TooLarge | ErrorKind::Conflict => 400,
        ErrorKind::Denied | ErrorKind::Unauthenticated => 403,
        ErrorKind::NotFound => 404,
        ErrorKind::Throttled => 429,
        ErrorKind::Unavailable | ErrorKind::Upstream | ErrorKind::Bug => 500,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(operation: Option<Operation>, failure: impl Into<AgentCoreFailure>, expect: &Expect) {
        let response = WireError::new(operation, failure.into()).into_response();
        let header = response.headers()["x-amzn-errortype"].to_str().unwrap();
        let body = std::str::from_utf8(response.body()).unwrap();
        expect.assert_eq(&format!("{} {header} {body}", response.status().as_u16()));
    }

    #[test]
    fn kinds_become_names() {
        let create = Some(Operation::CreateMemory);
        let event = Some(Operation::CreateEvent);
        let tags = Some(Operation::TagResource);
        let of = Error::new;
        check(
            create,
            Error::conflict("Memory with name x already exists").because(ModelReason::ResourceConflict),
            &expect![[
                r#"400 ValidationException {"__type":"ValidationException","message":"Memory with name x already exists","reason":"ResourceConflict"}"#
            ]],
        );
        check(
            create,
            Error::conflict("busy"),
            &expect![[r#"409 ConflictException {"__type":"ConflictException","message":"busy"}"#]],
        );
        check(
            event,
            Error::conflict("busy"),
            &expect![[
                r#"400 ValidationException {"__type":"ValidationException","message":"busy","reason":"FieldValidationFailed"}"#
            ]],
        );
        check(
            create,
            of(ErrorKind::TooLarge, "seven").because(ModelReason::QuotaExceeded),
            &expect![[
                r#"402 ServiceQuotaExceededException {"__type":"ServiceQuotaExceededException","message":"seven"}"#
            ]],
        );
        check(
            event,
            Error::invalid("branch.rootEventId", "root elsewhere").because(ModelReason::EventInOtherSession),
            &expect![[
                r#"400 ValidationException {"__type":"ValidationException","message":"root elsewhere","reason":"EventInOtherSession","fieldList":[{"name":"branch.rootEventId","message":"root elsewhere"}]}"#
            ]],
        );
        check(
            event,
            Error::invalid("clientToken", "other").because(ModelReason::IdempotentParameterMismatch),
            &expect![[
                r#"400 ValidationException {"__type":"ValidationException","message":"other","reason":"IdempotentParameterMismatchException","fieldList":[{"name":"clientToken","message":"other"}]}"#
            ]],
        );
        check(
            event,
            Error::not_found("no"),
            &expect![[
                r#"404 ResourceNotFoundException {"__type":"ResourceNotFoundException","message":"no"}"#
            ]],
        );
        check(
            event,
            Error::denied("no"),
            &expect![[r#"403 AccessDeniedException {"__type":"AccessDeniedException","message":"no"}"#]],
        );
        check(
            event,
            of(ErrorKind::Throttled, "slow"),
            &expect![[r#"429 ThrottledException {"__type":"ThrottledException","message":"slow"}"#]],
        );
        check(
            tags,
            of(ErrorKind::Throttled, "slow"),
            &expect![[r#"429 ThrottlingException {"__type":"ThrottlingException","message":"slow"}"#]],
        );
        check(
            event,
            Error::bug("secret invariant"),
            &expect![[
                r#"500 ServiceException {"__type":"ServiceException","message":"An internal error occurred"}"#
            ]],
        );
        check(
            tags,
            Error::unavailable("disk full"),
            &expect![[
                r#"500 InternalServerException {"__type":"InternalServerException","message":"disk full"}"#
            ]],
        );
        check(
            None,
            AgentCoreFailure::UnknownOperation,
            &expect![[
                r#"404 UnknownOperationException {"__type":"UnknownOperationException","message":"No operation has this path and method"}"#
            ]],
        );
    }
}
