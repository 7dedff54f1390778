//! The client of the native API: its transport, its identity, and the functions through which
//! every method sends its request and reads the response.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt;
use futures::future::{BoxFuture, Either, select};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use loci_api::{Problem, ProblemBody};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::call_target::CallTarget;
use crate::error::ClientError;
use crate::transport::trace_parent::{self, TraceSource};
use crate::transport::{
    ByteStream, InProcess, InProcessBody, Network, Outgoing, Request, Response, Transport,
};

/// The response header that marks a replayed response: the response of an earlier request with the
/// same idempotency key.
const REPLAYED: &str = "loci-replayed";

/// A client of one server. Clones share the connection, so cloning costs little.
#[derive(Clone)]
pub struct Client {
    transport: Transport,
    headers: HeaderMap,
    trace: Option<TraceSource>,
    deadline_ms: Option<u64>,
    meanwhile: Option<WaitingWork>,
}

/// Creates the work to do while a request waits: for a connection to a server, and for the start of
/// the response, also of a service in this process. The work is dropped when the response starts.
pub type WaitingWork = Arc<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

/// A response of JSON lines, as a stream of bytes.
pub type LineStream = ByteStream;

impl Client {
    /// Creates a client for the URL of a server, such as `http://127.0.0.1:8411`.
    ///
    /// # Errors
    /// If `base` is not a URL.
    pub fn url(base: &str) -> Result<Self, ClientError> {
        Network::url(base, None).map(|network| Self::over(Transport::Network(network)))
    }

    /// Creates a client for the URL of a server, such as `https://memory.example`. The client
    /// trusts the certificate authorities of the machine, and the certificates in `authorities`
    /// (PEM).
    ///
    /// # Errors
    /// If `base` is not an `https` URL, or `authorities` contains no certificate or an invalid one.
    pub fn url_with_authorities(base: &str, authorities: &[u8]) -> Result<Self, ClientError> {
        Network::url(base, Some(authorities)).map(|network| Self::over(Transport::Network(network)))
    }

    /// Creates a client of the unix socket of a server.
    ///
    /// # Errors
    /// If the HTTP client cannot be created.
    pub fn unix(socket: &Path) -> Result<Self, ClientError> {
        Network::unix(socket).map(|network| Self::over(Transport::Network(network)))
    }

    /// Creates a client of a service in this process, such as the router of the server.
    pub fn in_process<S, B>(service: S) -> Self
    where
        S: tower::Service<
                http::Request<InProcessBody>,
                Response = http::Response<B>,
                Error = std::convert::Infallible,
            > + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send,
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        Self::over(Transport::InProcess(InProcess::new(service)))
    }

    fn over(transport: Transport) -> Self {
        Self { transport, headers: HeaderMap::new(), trace: None, deadline_ms: None, meanwhile: None }
    }

    /// Returns a text that identifies the server, different for different servers.
    pub(crate) fn place(&self) -> String {
        self.transport.place()
    }

    /// Sets the bearer token of an access key, which the client sends with every request.
    ///
    /// # Errors
    /// If a header cannot contain the token.
    pub fn with_token(mut self, token: &str) -> Result<Self, ClientError> {
        let bad = |_| ClientError::Request("the token holds characters that no token has".to_owned());
        self.headers.insert(header::AUTHORIZATION, bearer(token).map_err(bad)?);
        Ok(self)
    }

    /// Sets the memory that tool calls use, by name or id.
    ///
    /// # Errors
    /// If a header cannot contain the name.
    pub fn with_memory(mut self, name_or_id: &str) -> Result<Self, ClientError> {
        let bad = |_| ClientError::Request("the name of a memory must be printable ASCII".to_owned());
        self.headers.insert("x-loci-memory", HeaderValue::from_str(name_or_id).map_err(bad)?);
        Ok(self)
    }

    /// Sets the user of operations memory for whom the client makes its requests. The access key
    /// must belong to that user, or permit acting for that user.
    ///
    /// # Errors
    /// If a header cannot contain the name.
    pub fn with_user(mut self, user: &str) -> Result<Self, ClientError> {
        let bad = |_| ClientError::Request("the name of a user must be printable ASCII".to_owned());
        self.headers.insert("x-loci-user", HeaderValue::from_str(user).map_err(bad)?);
        Ok(self)
    }

    /// Sets the working directory of the calling process on the server's machine. It defines `HEAD`
    /// and `WORKTREE` for every operation that reads code. Servers on other machines reject it.
    ///
    /// # Errors
    /// If a header cannot contain the directory.
    pub fn with_directory(mut self, directory: &Path) -> Result<Self, ClientError> {
        let text = directory.to_str().ok_or_else(|| {
            ClientError::Request("the name of the working directory must be UTF-8".to_owned())
        })?;
        let text =
            percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string();
        let bad = |_| ClientError::Request("the working directory cannot stand in a header".to_owned());
        self.headers.insert("x-loci-directory", HeaderValue::from_str(&text).map_err(bad)?);
        Ok(self)
    }

    /// Marks the caller as a person at a command line. The server lets a person make decisions that
    /// it denies to an agent.
    pub fn with_person(mut self) -> Self {
        self.headers.insert("x-loci-person", HeaderValue::from_static("true"));
        self
    }

    /// Sets the idempotency key of requests that create something. Use a new key for each creation:
    /// a retry with the same key creates nothing twice.
    ///
    /// # Errors
    /// If a header cannot contain the key.
    pub fn with_idempotency_key(mut self, key: &str) -> Result<Self, ClientError> {
        let bad = |_| ClientError::Request("an idempotency key must be printable ASCII".to_owned());
        self.headers.insert("idempotency-key", HeaderValue::from_str(key).map_err(bad)?);
        Ok(self)
    }

    /// Sets a second idempotency key of each creation: the key that an earlier version of the
    /// program would have used. An item that was created or erased under the former key counts as
    /// such.
    ///
    /// # Errors
    /// If a header cannot contain the key.
    pub fn with_former_key(mut self, key: &str) -> Result<Self, ClientError> {
        let bad = |_| ClientError::Request("a former key must be printable ASCII".to_owned());
        self.headers.insert("loci-former-key", HeaderValue::from_str(key).map_err(bad)?);
        Ok(self)
    }

    /// Sets the entity tag that an object must have on the server for a change to apply.
    ///
    /// # Errors
    /// If a header cannot contain the tag.
    pub fn with_if_match(mut self, etag: &str) -> Result<Self, ClientError> {
        let bad = |_| ClientError::Request("an entity tag must be printable ASCII".to_owned());
        self.headers.insert(header::IF_MATCH, HeaderValue::from_str(etag).map_err(bad)?);
        Ok(self)
    }

    /// Makes changes apply only to objects that do not exist on the server yet.
    pub fn with_if_absent(mut self) -> Self {
        self.headers.insert(header::IF_NONE_MATCH, HeaderValue::from_static("*"));
        self
    }

    /// Sets what the server does with an imported item whose source was erased there: it rejects
    /// the item, or stores it again if `restore` is true.
    pub fn with_if_erased(mut self, restore: bool) -> Self {
        let word = if restore { "restore" } else { "refuse" };
        self.headers.insert("loci-if-erased", HeaderValue::from_static(word));
        self
    }

    /// Sets the timeout of calls over a connection, in milliseconds. The server may still complete
    /// a call after this time.
    pub fn with_deadline_ms(mut self, deadline_ms: u64) -> Self {
        self.deadline_ms = Some(deadline_ms);
        self
    }

    /// Sets the work to do while a request waits for its response.
    pub fn with_meanwhile(mut self, meanwhile: WaitingWork) -> Self {
        self.meanwhile = Some(meanwhile);
        self
    }

    /// Removes the work set by `with_meanwhile`, for calls whose purpose is to wait.
    pub fn without_meanwhile(mut self) -> Self {
        self.meanwhile = None;
        self
    }

    /// Makes the calls part of the program's trace: each call asks the source for its `traceparent`
    /// and sends it.
    pub fn with_trace_source(mut self, source: TraceSource) -> Self {
        self.trace = Some(source);
        self
    }

    /// Sets the content type of request bodies to that of document files.
    pub(crate) fn with_files(mut self) -> Self {
        self.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/markdown; charset=utf-8"));
        self
    }

    /// Sets the content type of request bodies to bytes.
    pub(crate) fn with_bytes(mut self) -> Self {
        self.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
        self
    }

    /// Returns the body of a response as bytes.
    pub(crate) async fn bytes<A>(&self, at: CallTarget<A>) -> Result<Vec<u8>, ClientError> {
        self.collected(at, Outgoing::Empty).await
    }

    /// Returns the body of a response that is text and not JSON.
    pub(crate) async fn text<A>(
        &self,
        at: CallTarget<A>,
        query: &impl Serialize,
    ) -> Result<String, ClientError> {
        String::from_utf8(self.collected(at.with_query(query)?, Outgoing::Empty).await?)
            .map_err(|_| ClientError::Unexpected("the server's answer is no UTF-8".to_owned()))
    }

    pub(crate) async fn query<A: DeserializeOwned>(
        &self,
        at: CallTarget<A>,
        query: &impl Serialize,
    ) -> Result<A, ClientError> {
        self.plain(at.with_query(query)?).await
    }

    /// Sends a `POST` and returns its response; `None` if the response is empty (204).
    pub(crate) async fn maybe_send<A: DeserializeOwned>(
        &self,
        at: CallTarget<A>,
        request: &impl Serialize,
    ) -> Result<Option<A>, ClientError> {
        let text = self.collected(at, whole(request)?).await?;
        if text.is_empty() { Ok(None) } else { read(&text).map(Some) }
    }

    pub(crate) async fn send<A: DeserializeOwned>(
        &self,
        at: CallTarget<A>,
        request: &impl Serialize,
    ) -> Result<A, ClientError> {
        self.plain_body(at, whole(request)?).await
    }

    pub(crate) async fn plain<A: DeserializeOwned>(&self, at: CallTarget<A>) -> Result<A, ClientError> {
        self.plain_body(at, Outgoing::Empty).await
    }

    pub(crate) async fn plain_body<A: DeserializeOwned>(
        &self,
        at: CallTarget<A>,
        body: Outgoing,
    ) -> Result<A, ClientError> {
        read(&self.collected(at, body).await?)
    }

    /// Sends a call and returns the whole body of a successful response.
    async fn collected<A>(&self, at: CallTarget<A>, body: Outgoing) -> Result<Vec<u8>, ClientError> {
        collect(self.stream(at, body).await?).await
    }

    /// Sends a `POST` and returns its response. The flag is true if the response was replayed from
    /// an earlier request with the same idempotency key. Older servers never set it.
    pub(crate) async fn send_once<A: DeserializeOwned>(
        &self,
        at: CallTarget<A>,
        request: &impl Serialize,
    ) -> Result<(A, bool), ClientError> {
        let response = self.success(at, whole(request)?).await?;
        let is_replayed = response.headers.contains_key(REPLAYED);
        Ok((read(&collect(response.body).await?)?, is_replayed))
    }

    /// Sends a call and returns the body of a successful response as a stream.
    pub(crate) async fn stream<A>(
        &self,
        at: CallTarget<A>,
        body: Outgoing,
    ) -> Result<LineStream, ClientError> {
        Ok(self.success(at, body).await?.body)
    }

    /// Sends a call and checks the status of the response. The future is boxed, so that its code is
    /// compiled once and not for each operation.
    fn success<A>(&self, at: CallTarget<A>, body: Outgoing) -> BoxFuture<'_, Result<Response, ClientError>> {
        Box::pin(self.answered(at.method, at.path, body))
    }

    async fn answered(&self, method: Method, path: String, body: Outgoing) -> Result<Response, ClientError> {
        let mut headers = self.headers.clone();
        if let Some(value) = trace_parent::header(self.trace.as_ref()) {
            headers.insert("traceparent", value);
        }
        if !matches!(body, Outgoing::Empty) && !headers.contains_key(header::CONTENT_TYPE) {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let request = Request { method, path, headers, body, deadline_ms: self.deadline_ms };
        let response = self.sent(request).await?;
        if response.status.is_success() {
            return Ok(response);
        }
        Err(refusal(response.status, &collect(response.body).await?))
    }

    /// Sends a request, and runs the work set by `with_meanwhile` until the response starts.
    async fn sent(&self, request: Request) -> Result<Response, ClientError> {
        let sending = self.transport.send(request);
        let Some(meanwhile) = &self.meanwhile else { return sending.await };
        match select(pin!(sending), meanwhile()).await {
            Either::Left((response, _)) => response,
            Either::Right(((), sending)) => sending.await,
        }
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

fn read<A: DeserializeOwned>(text: &[u8]) -> Result<A, ClientError> {
    loci_json::from_slice(text)
        .map_err(|error| ClientError::Unexpected(format!("the server's answer cannot be read: {error}")))
}

/// Returns a request serialized as JSON, for the body of a call.
fn whole(request: &impl Serialize) -> Result<Outgoing, ClientError> {
    let body = serde_json::to_vec(request)
        .map_err(|error| ClientError::Request(format!("the request cannot be written: {error}")))?;
    Ok(Outgoing::Whole(body.into()))
}

/// Returns all bytes of a body. The future is boxed, so that its code is compiled once and not for
/// each operation.
fn collect(mut body: LineStream) -> BoxFuture<'static, Result<Vec<u8>, ClientError>> {
    Box::pin(async move {
        let mut text = Vec::new();
        while let Some(piece) = body.next().await {
            let piece = piece.map_err(|source| ClientError::Unreachable {
                message: "the connection ended in the middle of the answer".to_owned(),
                source,
            })?;
            text.extend_from_slice(&piece);
        }
        Ok(text)
    })
}

/// Returns the header value of a bearer token. It is marked as sensitive, so that no log shows it.
///
/// # Errors
/// If a header cannot contain the token.
pub(crate) fn bearer(token: &str) -> Result<HeaderValue, http::header::InvalidHeaderValue> {
    let mut value = HeaderValue::from_str(&format!("Bearer {token}"))?;
    value.set_sensitive(true);
    Ok(value)
}

fn refusal(status: StatusCode, body: &[u8]) -> ClientError {
    match loci_json::from_slice::<ProblemBody>(body) {
        Ok(body) => ClientError::Refused { status: status.as_u16(), problem: Box::new(body.error) },
        Err(_) => ClientError::Refused { status: status.as_u16(), problem: Box::new(foreign(status)) },
    }
}

/// Returns the problem for an error response that Loci did not write, usually the page of a proxy.
/// The text of the page is left out, because it may contain anything.
fn foreign(status: StatusCode) -> Problem {
    let retryable = status.is_server_error()
        || matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS);
    Problem {
        code: format!("HTTP_{}", status.as_u16()),
        message: format!(
            "the answer was {status}, and not in the words of Loci: a proxy before the server may have given it"
        ),
        field: None,
        retryable,
        details: None,
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;

    use super::*;

    fn somewhere<A>() -> CallTarget<A> {
        crate::call_target::at(&loci_api::operation::Operation::<(), A>::post("/v1", ""), &[])
    }

    #[test]
    fn calls_are_part_of_the_callers_trace() {
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let echo = |headers: HeaderMap| async move {
            serde_json::json!([headers.get("traceparent").map(|value| value.to_str().unwrap())]).to_string()
        };
        let client = Client::in_process(Router::new().fallback(echo));
        let traced = client.clone().with_trace_source(std::sync::Arc::new(|| Some(parent.to_owned())));
        let told = |client: &Client| {
            let answer = client.plain(somewhere::<[Option<String>; 1]>());
            futures::executor::block_on(answer).unwrap()
        };
        assert_eq!(told(&traced), [Some(parent.to_owned())]);
        assert_eq!(told(&client), [None]);
    }

    #[test]
    fn an_answer_that_was_given_before_says_so() {
        let once = |headers: HeaderMap| async move {
            let again = headers.get("idempotency-key").is_some_and(|key| key == "again");
            let told = again.then_some((REPLAYED, "true"));
            (axum::response::AppendHeaders(told), "1")
        };
        let client = Client::in_process(Router::new().fallback(once));
        let told = |key: &str| {
            let client = client.clone().with_idempotency_key(key).unwrap();
            futures::executor::block_on(client.send_once(somewhere::<u8>(), &())).unwrap()
        };
        assert_eq!([told("once"), told("again")], [(1, false), (1, true)]);
    }

    #[tokio::test]
    async fn something_is_done_while_a_server_is_waited_for() {
        let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let begun = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let counted = begun.clone();
        let meanwhile: WaitingWork = Arc::new(move || {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Box::pin(std::future::pending())
        });
        let url = format!("http://{}", silent.local_addr().unwrap());
        let client = Client::url(&url).unwrap().with_deadline_ms(50).with_meanwhile(meanwhile.clone());
        let ask = |client: Client| async move { client.plain(somewhere::<serde_json::Value>()).await };
        assert!(ask(client.clone()).await.unwrap_err().is_retryable());
        assert!(ask(client.without_meanwhile()).await.unwrap_err().is_retryable());
        let here = Client::in_process(Router::new().fallback(|| async { "1" })).with_meanwhile(meanwhile);
        assert_eq!(ask(here).await.unwrap(), 1);
        assert_eq!(begun.load(std::sync::atomic::Ordering::Relaxed), 2, "the calls with work meanwhile");
    }

    #[test]
    fn errors_of_others_are_known_by_their_status_and_not_repeated() {
        let check = |status: StatusCode, retryable: bool| {
            let error = refusal(status, b"<html>a page of a proxy</html>");
            assert_eq!((error.status(), error.is_retryable()), (Some(status.as_u16()), retryable));
            let said = error.to_string();
            assert!(said.contains(status.as_str()) && !said.contains("page"), "{said}");
        };
        check(StatusCode::BAD_GATEWAY, true);
        check(StatusCode::GATEWAY_TIMEOUT, true);
        check(StatusCode::TOO_MANY_REQUESTS, true);
        check(StatusCode::UNAUTHORIZED, false);
        check(StatusCode::PAYLOAD_TOO_LARGE, false);
    }
}
