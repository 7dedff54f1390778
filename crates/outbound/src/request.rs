//! A request that leaves, its answer, and why there is none. Messages never hold keys, queries or content.

use std::fmt;

use http::{HeaderMap, HeaderName, HeaderValue, Method};
use loci_model::ports::BoxFuture;

use crate::sign_v4::{Signing, Unsignable};

/// Who named the address: decides where a request may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// The configuration: private networks are allowed, cloud metadata is not.
    Configured,
    /// A client: public addresses alone.
    Public,
}

/// Whether a request may be made twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Retry {
    /// It has the same effect when it is.
    Safe,
    /// It may not.
    Never,
}

/// A request.
#[derive(Clone)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The address, whole.
    pub url: String,
    /// Headers; several of one name are sent in order.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The body.
    pub body: Vec<u8>,
    /// Who named the address.
    pub reach: Reach,
    /// Whether it may be made twice.
    pub retry: Retry,
    /// Given up after this long; `None`: as the policy says.
    pub timeout_ms: Option<u64>,
    /// Signed when it is sent, and anew for every try: a signature is good for five minutes, and queues may be longer.
    pub signing: Option<Signing>,
}

impl fmt::Debug for Request {
    /// Addresses and headers may hold keys, the body content: none is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("reach", &self.reach)
            .field("retry", &self.retry)
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// An answer, whatever its status.
#[derive(Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Vec<u8>,
    /// Requests that were made.
    pub tries: u32,
    /// How long it took, pauses included.
    pub elapsed_ms: u64,
}

impl fmt::Debug for Answer {
    /// Headers and body may be sensitive: only their sizes are shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("status", &self.status)
            .field("body_bytes", &self.body.len())
            .field("tries", &self.tries)
            .field("elapsed_ms", &self.elapsed_ms)
            .finish_non_exhaustive()
    }
}

/// Why an address is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Forbidden {
    /// Neither http nor https.
    Scheme,
    /// A user name or password in it.
    Credentials,
    /// A port that is another service's.
    Port,
    /// No host, or one that cannot be read.
    Host,
    /// This machine.
    Loopback,
    /// A private or shared network.
    Private,
    /// The local link.
    LinkLocal,
    /// Cloud metadata.
    Metadata,
    /// No address of one host: multicast, broadcast, reserved, documentation.
    Special,
}

impl Forbidden {
    /// The word of metrics and logs.
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

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutboundError {
    /// The address is refused; nothing was sent.
    Refused(Forbidden),
    /// No answer in time.
    Timeout,
    /// No connection; why, without the address.
    Connect(String),
    /// The answer is larger than the policy takes.
    TooLarge,
    /// What came is not HTTP, or broke off; why, without content.
    Protocol(String),
    /// It cannot be signed; nothing was sent.
    Unsignable(Unsignable),
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

/// Sends requests under the policy: addresses checked, bodies bounded, what may be repeated repeated.
pub trait Transport: Send + Sync {
    /// Sends one.
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Answer, OutboundError>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_sensitive_is_shown() {
        let request = Request {
            method: Method::POST,
            url: "https://user:secret@example.org/?key=secret".into(),
            headers: vec![(http::header::AUTHORIZATION, HeaderValue::from_static("Bearer secret"))],
            body: b"secret".to_vec(),
            reach: Reach::Public,
            retry: Retry::Never,
            timeout_ms: None,
            signing: None,
        };
        let headers = request.headers.iter().cloned().collect();
        let answer = Answer { status: 200, headers, body: b"secret".to_vec(), tries: 1, elapsed_ms: 2 };
        for shown in [format!("{request:?}"), format!("{answer:?}")] {
            assert!(!shown.contains("secret"), "{shown}");
        }
        assert_eq!(
            OutboundError::Refused(Forbidden::Metadata).to_string(),
            "the address is refused (metadata)"
        );
    }
}
