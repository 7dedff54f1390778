//! An outgoing request, its response, and the errors without a response. Error messages never
//! contain keys, queries or content.

use std::fmt;

use http::{HeaderMap, HeaderName, HeaderValue, Method};
use loci_model::ports::BoxFuture;

use crate::sign_v4::{Signing, SigningError};

/// The origin of an address, which decides where a request may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressOrigin {
    /// The configuration: private networks are allowed, cloud metadata services are not.
    Configured,
    /// A client: only public addresses are allowed.
    Public,
}

/// The permission to send a request twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Retry {
    /// A repeat has the same effect.
    Safe,
    /// The request is not repeated.
    Never,
}

/// An outgoing request.
#[derive(Clone)]
pub struct OutboundRequest {
    /// The method.
    pub method: Method,
    /// The complete address.
    pub url: String,
    /// The headers; several with the same name are sent in order.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The body.
    pub body: Vec<u8>,
    /// The origin of the address.
    pub reach: AddressOrigin,
    /// The permission to repeat the request.
    pub retry: Retry,
    /// The timeout of one attempt in milliseconds; `None` selects that of the policy.
    pub timeout_ms: Option<u64>,
    /// The signing method. Every attempt is signed again when it is sent, because a signature is
    /// valid for five minutes, and a queue may take longer.
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

/// A response of any status.
#[derive(Clone)]
pub struct OutboundAnswer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The complete body.
    pub body: Vec<u8>,
    /// The number of attempts.
    pub tries: u32,
    /// The duration in milliseconds, including pauses.
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

/// The reason for which an address is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressRefusal {
    /// The scheme is neither http nor https.
    Scheme,
    /// The address contains a user name or password.
    Credentials,
    /// The port belongs to another service.
    Port,
    /// The host is missing or invalid.
    Host,
    /// An address of this machine.
    Loopback,
    /// An address of a private or shared network.
    Private,
    /// A link-local address.
    LinkLocal,
    /// A cloud metadata service.
    Metadata,
    /// An address that belongs to no single host: multicast, broadcast, reserved, documentation.
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

/// The reason for which there is no response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutboundError {
    /// The address is refused; nothing was sent.
    Refused(AddressRefusal),
    /// The response did not arrive in time.
    Timeout,
    /// The connection failed; the reason, without the address.
    Connect(String),
    /// The response is larger than the policy allows.
    TooLarge,
    /// The response is not HTTP, or is incomplete; the reason, without content.
    Protocol(String),
    /// The request cannot be signed; nothing was sent.
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
