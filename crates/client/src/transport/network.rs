//! Over HTTP: to a URL, or through a unix socket.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

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

    pub(super) fn place(&self) -> &str {
        self.place.trim_end_matches('/')
    }

    fn unreachable(&self, error: reqwest::Error) -> ClientError {
        let place = &self.place;
        let message = if error.is_timeout() && !error.is_connect() {
            format!("the server at {place} took the call and did not answer in time")
        } else {
            format!("no server answers at {place}: is `loci serve` running there?")
        };
        ClientError::Unreachable { message, source: Box::new(error) }
    }

    pub(super) async fn send(&self, request: Request) -> Result<Response, ClientError> {
        let url = format!("{}{}", self.base, request.path);
        let outgoing = self.http.request(request.method, url).headers(request.headers);
        let outgoing = match request.body {
            Outgoing::Empty => outgoing,
            Outgoing::Whole(bytes) => outgoing.body(bytes),
            Outgoing::Stream(stream) => outgoing.body(reqwest::Body::wrap_stream(stream)),
        };
        let outgoing = match request.deadline_ms {
            Some(deadline_ms) => outgoing.timeout(Duration::from_millis(deadline_ms)),
            None => outgoing,
        };
        let response = outgoing.send().await.map_err(|error| self.unreachable(error))?;
        let status = response.status();
        Ok(Response { status, body: response.bytes_stream().map(|piece| piece.map_err(Into::into)).boxed() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_server_that_never_answers_is_given_up() {
        let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let network = Network::url(&format!("http://{}", silent.local_addr().unwrap())).unwrap();
        let request = Request {
            method: http::Method::GET,
            path: "/v1/memories".to_owned(),
            headers: http::HeaderMap::new(),
            body: Outgoing::Empty,
            deadline_ms: Some(50),
        };
        let error = network.send(request).await.err().unwrap();
        assert!(error.is_retryable() && error.to_string().contains("did not answer in time"), "{error}");
    }
}
