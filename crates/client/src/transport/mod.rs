//! The transports of a request: over a URL, over a unix socket, or by calling a service of this
//! process.

mod failure;
mod in_process;
mod network;
pub(super) mod trace_parent;

use std::time::Duration;

use bytes::Bytes;
use futures::stream::BoxStream;
use http::{HeaderMap, Method, StatusCode};

use crate::error::ClientError;

pub(crate) use in_process::InProcess;
pub use in_process::InProcessBody;
pub(crate) use network::Network;

/// The timeout of connecting to a host that does not respond at all.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A stream of bytes.
pub(crate) type ByteStream = BoxStream<'static, Result<Bytes, Box<dyn std::error::Error + Send + Sync>>>;

/// The body of a request.
pub(crate) enum Outgoing {
    Empty,
    Whole(Bytes),
    Stream(ByteStream),
}

/// A request, without its host.
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Outgoing,
    /// The timeout over a connection, in milliseconds.
    pub(crate) deadline_ms: Option<u64>,
}

/// A response whose body is still to come.
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: ByteStream,
}

/// A transport to a server.
#[derive(Clone)]
pub(crate) enum Transport {
    Network(Network),
    InProcess(InProcess),
}

impl Transport {
    /// Returns a description of the server; equal for one server.
    pub(crate) fn place(&self) -> String {
        match self {
            Self::Network(network) => network.place().to_owned(),
            Self::InProcess(_) => "this process".to_owned(),
        }
    }

    pub(crate) async fn send(&self, request: Request) -> Result<Response, ClientError> {
        match self {
            Self::Network(network) => network.send(request).await,
            Self::InProcess(service) => service.send(request).await,
        }
    }
}

/// Builds a connection pool: TLS is rustls with ring, and proxies of the environment are not used.
/// Redirects are responses and are not followed: they would send a write to a host that nobody
/// named.
pub(crate) fn http_client(builder: reqwest::ClientBuilder) -> Result<reqwest::Client, ClientError> {
    // One provider for the process; a second call finds it installed, which is sufficient.
    let _ = rustls::crypto::ring::default_provider().install_default();
    builder
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .build()
        .map_err(|error| ClientError::Request(format!("the HTTP client cannot be made: {error}")))
}
