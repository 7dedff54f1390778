//! An outgoing request, its response, and the errors without a response. Error messages never
//! contain keys, queries or content.

use std::fmt;

use http::{HeaderMap, HeaderName, HeaderValue, Method};
use loci_model::ports::BoxFuture;

use crate::sign_v4::{Signing, SigningError};

/// The origin of an address. It decides which networks a request may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressOrigin {
    /// The address is from the configuration. Private networks are allowed, cloud metadata services
    /// are not.
    Configured,
    /// The address is from a client. Only public networks are allowed.
    Public,
}

/// The permission to send a request again after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Retry {
    /// Sending the request again has the same effect as sending it once.
    Safe,
    /// Sending the request again may have another effect, so it is not repeated.
    Never,
}

/// An outgoing request.
#[derive(Clone)]
pub struct OutboundRequest {
    /// The HTTP method of the request.
    pub method: Method,
    /// The complete URL of the request.
    pub url: String,
    /// The headers of the request. Several with the same name are sent in order.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The body of the request.
    pub body: Vec<u8>,
    /// The origin of `url`, which decides which networks the request may reach.
    pub reach: AddressOrigin,
    /// The permission to send the request again.
    pub retry: Retry,
    /// The timeout of one attempt, in milliseconds. `None` means the timeout of
    /// [`OutboundOptions`](crate::client::OutboundOptions).
    pub timeout_ms: Option<u64>,
    /// The data to sign the request with. `None` sends it unsigned. Each attempt is signed when it
    /// is sent, because a signature is valid for five minutes and a request may wait longer.
    pub signing: Option<Signing>,
}

impl fmt::Debug for OutboundRequest {
    /// Hides the address, the headers and the body, which may contain keys or content.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("reach", &self.reach)
            .field("retry", &self.retry)
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// A response with any status.
#[derive(Clone)]
pub struct OutboundAnswer {
    /// The HTTP status of the response.
    pub status: u16,
    /// The headers of the response.
    pub headers: HeaderMap,
    /// The complete body of the response.
    pub body: Vec<u8>,
    /// The number of attempts until this response.
    pub tries: u32,
    /// The time from the first attempt to this response in milliseconds, including pauses.
    pub elapsed_ms: u64,
}

impl fmt::Debug for OutboundAnswer {
    /// Shows only the sizes of headers and body, which may be sensitive.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("status", &self.status)
            .field("body_bytes", &self.body.len())
            .field("tries", &self.tries)
            .field("elapsed_ms", &self.elapsed_ms)
            .finish_non_exhaustive()
    }
}

/// The reason for which an address is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressRefusal {
    /// The scheme is neither http nor https.
    Scheme,
    /// The address contains a user name or password.
    Credentials,
    /// The port is below 1024 and belongs to another service.
    Port,
    /// The host is missing or invalid.
    Host,
    /// The host is this machine.
    Loopback,
    /// The host is in a private or shared network.
    Private,
    /// The host has a link-local address.
    LinkLocal,
    /// The host is a cloud metadata service.
    Metadata,
    /// The host has an address of no single machine: multicast, broadcast, reserved, documentation.
    Special,
}

impl AddressRefusal {
    /// Returns the name of the reason in metrics and logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scheme => "scheme",
            Self::Credentials => "credentials",
            Self::Port => "port",
            Self::Host => "host",
            Self::Loopback => "loopback",
            Self::Private => "private",
            Self::LinkLocal => "link_local",
            Self::Metadata => "metadata",
            Self::Special => "special",
        }
    }
}

/// The reason for which a request has no response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutboundError {
    /// The address is rejected, so nothing was sent.
    Refused(AddressRefusal),
    /// The response did not arrive in time.
    Timeout,
    /// The connection failed. The text is the reason, without the address.
    Connect(String),
    /// The response is larger than the policy allows.
    TooLarge,
    /// The response is not HTTP, or is incomplete. The text is the reason, without content of the
    /// response.
    Protocol(String),
    /// The request could not be signed, so nothing was sent.
    Unsignable(SigningError),
}

impl fmt::Display for OutboundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => write!(f, "the address is refused ({})", why.as_str()),
            Self::Timeout => f.write_str("no answer in time"),
            Self::Connect(why) => write!(f, "no connection: {why}"),
            Self::TooLarge => f.write_str("the answer is too large"),
            Self::Protocol(why) => write!(f, "the answer cannot be read: {why}"),
            Self::Unsignable(why) => write!(f, "the request cannot be signed: {why}"),
        }
    }
}

impl std::error::Error for OutboundError {}

/// A sender of requests under the policy: it checks addresses, limits bodies, and repeats where
/// this is safe.
pub trait Transport: Send + Sync {
    /// Sends a request.
    fn send(&self, request: OutboundRequest) -> BoxFuture<'_, Result<OutboundAnswer, OutboundError>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_sensitive_is_shown() {
        let request = OutboundRequest {
            method: Method::POST,
            url: "https://user:secret@example.org/?key=secret".into(),
            headers: vec![(http::header::AUTHORIZATION, HeaderValue::from_static("Bearer secret"))],
            body: b"secret".to_vec(),
            reach: AddressOrigin::Public,
            retry: Retry::Never,
            timeout_ms: None,
            signing: None,
        };
        let headers = request.headers.iter().cloned().collect();
        let answer =
            OutboundAnswer { status: 200, headers, body: b"secret".to_vec(), tries: 1, elapsed_ms: 2 };
        for shown in [format!("{request:?}"), format!("{answer:?}")] {
            assert!(!shown.contains("secret"), "{shown}");
        }
        assert_eq!(
            OutboundError::Refused(AddressRefusal::Metadata).to_string(),
            "the address is refused (metadata)"
        );
    }
}
