//! Errors in the form of S3: a code, a message, the resource, the request's id.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use loci_model::{Error, ErrorKind, Reason};

use super::xml;
use crate::auth::sigv4::SignatureError;

/// The reason for the rejection of a request.
#[derive(Debug)]
pub(super) struct S3Fault {
    pub(super) status: StatusCode,
    pub(super) code: &'static str,
    pub(super) message: String,
    /// The size of the object in bytes; present only if the requested range is invalid.
    pub(super) bytes: Option<usize>,
}

impl S3Fault {
    pub(super) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), bytes: None }
    }

    pub(super) fn bad(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    pub(super) fn invalid_argument(message: &str) -> Self {
        Self::bad("InvalidArgument", message)
    }

    pub(super) fn not_implemented(message: &str) -> Self {
        let known =
            "put, get, head, delete, list (version 2), delete of many, head and location of a bucket are";
        Self::new(StatusCode::NOT_IMPLEMENTED, "NotImplemented", format!("{message}: {known}"))
    }

    pub(super) fn no_such_key(key: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "NoSuchKey", format!("nothing lies under the key {key}"))
    }

    pub(super) fn no_such_bucket(bucket: &str) -> Self {
        let rule = format!(
            "there is no bucket {bucket}: it is the id or name of a memory, or a name in [s3.buckets]"
        );
        Self::new(StatusCode::NOT_FOUND, "NoSuchBucket", rule)
    }

    pub(super) fn precondition_failed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::PRECONDITION_FAILED, "PreconditionFailed", message)
    }

    /// Returns the response. A response to `HEAD` has no body.
    pub(super) fn response(self, resource: &str, request_id: &str, is_head: bool) -> Response {
        let mut response = if is_head {
            Response::new(Body::empty())
        } else {
            xml::response(xml::error(&self, resource, request_id))
        };
        *response.status_mut() = self.status;
        if let Some(range) =
            self.bytes.and_then(|bytes| HeaderValue::try_from(format!("bytes */{bytes}")).ok())
        {
            response.headers_mut().insert(header::CONTENT_RANGE, range);
        }
        response
    }
}

impl From<Error> for S3Fault {
    fn from(error: Error) -> Self {
        let (status, code) = match error.kind {
            ErrorKind::NotFound => (StatusCode::NOT_FOUND, "NoSuchKey"),
            ErrorKind::Conflict if error.reason == Some(Reason::StaleVersion) => {
                (StatusCode::PRECONDITION_FAILED, "PreconditionFailed")
            }
            ErrorKind::Conflict => (StatusCode::CONFLICT, "OperationAborted"),
            ErrorKind::Invalid => (StatusCode::BAD_REQUEST, "InvalidArgument"),
            ErrorKind::TooLarge => (StatusCode::BAD_REQUEST, "EntityTooLarge"),
            ErrorKind::Denied => (StatusCode::FORBIDDEN, "AccessDenied"),
            ErrorKind::Unauthenticated => unauthenticated(&error),
            ErrorKind::Throttled | ErrorKind::Unavailable | ErrorKind::Upstream => {
                tracing::warn!(?error, "a request for a bucket failed");
                (StatusCode::SERVICE_UNAVAILABLE, "SlowDown")
            }
            ErrorKind::Bug => {
                tracing::error!(?error, "a request for a bucket failed");
                (StatusCode::INTERNAL_SERVER_ERROR, "InternalError")
            }
        };
        Self::new(status, code, error.message)
    }
}

/// Returns the status and the code of an authentication failure. Clients distinguish these codes,
/// and one of them makes them correct their clocks.
fn unauthenticated(error: &Error) -> (StatusCode, &'static str) {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<SignatureError>());
    let Some(cause) = cause else { return (StatusCode::FORBIDDEN, "InvalidAccessKeyId") };
    match cause {
        SignatureError::Skew(_) => (StatusCode::FORBIDDEN, "RequestTimeTooSkewed"),
        SignatureError::Mismatch => (StatusCode::FORBIDDEN, "SignatureDoesNotMatch"),
        SignatureError::BodyHash => (StatusCode::BAD_REQUEST, "XAmzContentSHA256Mismatch"),
        SignatureError::ChunkedBodyTooLarge(_) => (StatusCode::BAD_REQUEST, "EntityTooLarge"),
        SignatureError::Chunk(_) => (StatusCode::BAD_REQUEST, "IncompleteBody"),
        SignatureError::Malformed(_) => (StatusCode::BAD_REQUEST, "AuthorizationHeaderMalformed"),
        SignatureError::Absent
        | SignatureError::Presigned
        | SignatureError::Algorithm
        | SignatureError::Service
        | SignatureError::ScopeDate
        | SignatureError::Expired
        | SignatureError::SignedHeaderRequired
        | SignatureError::SignedHeaderAbsent
        | SignatureError::UnsignedPayload => (StatusCode::FORBIDDEN, "AccessDenied"),
    }
}
