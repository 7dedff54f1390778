//! Over HTTP: to a URL, or through a unix socket.

use std::path::Path;
use std::sync::Arc;

use futures::StreamExt;

use super::{Outgoing, Request, Response, http_client};
use crate::error::ClientError;

/// Requests through the socket need a host; it is nobody's.
const SOCKET_BASE: &str = "http://localhost";

/// A connection pool to one server.
#[derive(Clone)]
pub(crate) struct Network {
    http: reqwest::Client,
    base: Arc<str>,
    place: Arc<str>,
}

impl Network {
    pub(crate) fn url(base: &str) -> Result<Self, ClientError> {
        let bad = || {
            ClientError::Request(format!(
                "{base} is not the URL of a server: use one like http://127.0.0.1:8411"
            ))
        };
        if !base.starts_with("http://") && !base.starts_with("https://") {
            return Err(bad());
        }
        reqwest::Url::parse(base).map_err(|_| bad())?;
        let http = http_client(reqwest::Client::builder())?;
        Ok(Self { http, base: base.trim_end_matches('/').into(), place: base.into() })
    }

    pub(crate) fn unix(path: &Path) -> Result<Self, ClientError> {
        let http = http_client(reqwest::Client::builder().unix_socket(path))?;
        Ok(Self { http, base: SOCKET_BASE.into(), place: path.display().to_string().into() })
    }

    pub(super) async fn send(&self, request: Request) -> Result<Response, ClientError> {
        let url = format!("{}{}", self.base, request.path);
        let outgoing = self.http.request(request.method, url).headers(request.headers);
        let outgoing = match request.body {
            Outgoing::Empty => outgoing,
            Outgoing::Whole(bytes) => outgoing.body(bytes),
            Outgoing::Stream(stream) => outgoing.body(reqwest::Body::wrap_stream(stream)),
        };
        let response = outgoing.send().await.map_err(|error| ClientError::Unreachable {
            message: format!("no server answers at {}: is `loci serve` running there?", self.place),
            source: Box::new(error),
        })?;
        let status = response.status();
        Ok(Response { status, body: response.bytes_stream().map(|piece| piece.map_err(Into::into)).boxed() })
    }
}
