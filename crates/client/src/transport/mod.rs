//! The ways of a request to a server: over a URL, over a unix socket, or by calling a service of this
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

/// A host that does not even refuse is given up after this long.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes as they come.
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
    /// Over a connection it ends after so long.
    pub(crate) deadline_ms: Option<u64>,
}

/// An answer whose body is still to come.
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: ByteStream,
}

/// One of the ways.
#[derive(Clone)]
pub(crate) enum Transport {
    Network(Network),
    InProcess(InProcess),
}

impl Transport {
    /// In words; the same for the same server.
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

/// A pool of connections: TLS is rustls with ring, and proxies of the environment are not used. A
/// redirect is an answer and is not followed: it would carry a write to a place that nobody named.
pub(crate) fn http_client(builder: reqwest::ClientBuilder) -> Result<reqwest::Client, ClientError> {
    // One provider for the process; a second call finds it installed, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    builder
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .build()
        .map_err(|error| ClientError::Request(format!("the HTTP client cannot be made: {error}")))
}
