//! The transport over HTTP: to a URL, or through a unix socket.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;

use super::{Outgoing, Request, Response, failure, http_client};
use crate::error::ClientError;

/// The base URL of requests through the socket. They need a host, which has no meaning.
const SOCKET_BASE: &str = "http://localhost";

/// Returns a builder for connections without TLS: the system's certificates are not read, because
/// that takes longer than a request.
fn plain(builder: reqwest::ClientBuilder) -> reqwest::ClientBuilder {
    builder.tls_certs_only([])
}

/// Returns the certificates of a text in PEM.
fn certificates(pem: &[u8]) -> Result<Vec<reqwest::Certificate>, ClientError> {
    let found = reqwest::Certificate::from_pem_bundle(pem).ok().filter(|found| !found.is_empty());
    found.ok_or_else(|| {
        ClientError::Request(
            "the file of authorities has no certificate in PEM: it must contain at least one block \
             BEGIN CERTIFICATE"
                .to_owned(),
        )
    })
}

/// A connection pool to one server.
#[derive(Clone)]
pub(crate) struct Network {
    http: reqwest::Client,
    base: Arc<str>,
    place: Arc<str>,
}

impl Network {
    /// Creates the pool of a URL. `authorities` are certificates in PEM that `https` trusts besides
    /// those of the machine.
    pub(crate) fn url(base: &str, authorities: Option<&[u8]>) -> Result<Self, ClientError> {
        let bad = || {
            ClientError::Request(format!(
                "{base} is not the URL of a server: use one like http://127.0.0.1:8411"
            ))
        };
        if !base.starts_with("http://") && !base.starts_with("https://") {
            return Err(bad());
        }
        reqwest::Url::parse(base).map_err(|_| bad())?;
        let builder = reqwest::Client::builder();
        let http = http_client(match (base.starts_with("https://"), authorities) {
            (true, Some(pem)) => builder.tls_certs_merge(certificates(pem)?),
            (true, None) => builder,
            (false, None) => plain(builder),
            (false, Some(_)) => {
                return Err(ClientError::Request(format!(
                    "{base} uses no TLS, so no certificate is checked: use https://, or give no certificates"
                )));
            }
        })?;
        Ok(Self { http, base: base.trim_end_matches('/').into(), place: base.into() })
    }

    pub(crate) fn unix(path: &Path) -> Result<Self, ClientError> {
        let http = http_client(plain(reqwest::Client::builder()).unix_socket(path))?;
        Ok(Self { http, base: SOCKET_BASE.into(), place: path.display().to_string().into() })
    }

    pub(super) fn place(&self) -> &str {
        self.place.trim_end_matches('/')
    }

    fn unreachable(&self, error: reqwest::Error) -> ClientError {
        let message = failure::message(&self.place, &error);
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
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.bytes_stream().map(|piece| piece.map_err(Into::into)).boxed();
        Ok(Response { status, headers, body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn failed(url: &str, deadline_ms: u64) -> ClientError {
        let request = Request {
            method: http::Method::GET,
            path: "/v1/memories".to_owned(),
            headers: http::HeaderMap::new(),
            body: Outgoing::Empty,
            deadline_ms: Some(deadline_ms),
        };
        Network::url(url, None).unwrap().send(request).await.err().unwrap()
    }

    /// Starts a port that answers each connection with these bytes and closes it.
    fn answering(bytes: &'static [u8]) -> std::net::SocketAddr {
        use std::io::{Read as _, Write as _};
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 1024]);
                let _ = stream.write_all(bytes);
            }
        });
        address
    }

    #[tokio::test]
    async fn each_failure_has_its_own_sentence() {
        let free = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
        let plain = answering(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
        // The alert with which TLS answers data in another protocol.
        let secure = answering(&[0x15, 3, 3, 0, 2, 2, 70]);
        for (url, part) in [
            (format!("http://{free}"), "no server answers"),
            ("http://nowhere.invalid".to_owned(), "has no address"),
            (format!("https://{plain}"), "does not speak TLS: use http://"),
            (format!("http://{secure}"), "use https://"),
        ] {
            let error = failed(&url, 20_000).await;
            assert!(error.is_retryable() && error.to_string().contains(part), "{url}: {error}");
        }
    }

    #[tokio::test]
    async fn a_server_that_never_answers_is_given_up() {
        let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let error = failed(&format!("http://{}", silent.local_addr().unwrap()), 50).await;
        assert!(error.is_retryable() && error.to_string().contains("did not answer in time"), "{error}");
    }
}
