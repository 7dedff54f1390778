//! The transport that calls a service of this process, such as the router of `loci-server`: the
//! same paths, types and errors, without a socket. It depends on no framework.

use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty, Full, StreamBody};
use tower::ServiceExt;

use super::{ByteStream, Outgoing, Request, Response};
use crate::error::ClientError;

/// The body of a request to a service of this process.
pub type InProcessBody = UnsyncBoxBody<Bytes, Box<dyn Error + Send + Sync>>;

/// A service to call.
#[derive(Clone)]
pub(crate) struct InProcess(
    Arc<dyn Fn(http::Request<InProcessBody>) -> BoxFuture<'static, http::Response<ByteStream>> + Send + Sync>,
);

impl InProcess {
    pub(crate) fn new<S, B>(service: S) -> Self
    where
        S: tower::Service<http::Request<InProcessBody>, Response = http::Response<B>, Error = Infallible>
            + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send,
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        // No `async` block: the compiler would ask for `Send` of the future of every lifetime.
        let answered = |outcome: Result<http::Response<B>, Infallible>| match outcome {
            Ok(response) => {
                response.map(|body| body.into_data_stream().map(|piece| piece.map_err(Into::into)).boxed())
            }
            Err(never) => match never {},
        };
        Self(Arc::new(move |request| service.clone().oneshot(request).map(answered).boxed()))
    }

    pub(super) async fn send(&self, request: Request) -> Result<Response, ClientError> {
        let body = match request.body {
            Outgoing::Empty => Empty::new().map_err(Into::into).boxed_unsync(),
            Outgoing::Whole(bytes) => Full::new(bytes).map_err(Into::into).boxed_unsync(),
            Outgoing::Stream(stream) => {
                StreamBody::new(stream.map(|piece| piece.map(http_body::Frame::data))).boxed_unsync()
            }
        };
        let mut outgoing = http::Request::builder()
            .method(request.method)
            .uri(request.path)
            .body(body)
            .map_err(|error| ClientError::Request(format!("the request cannot be made: {error}")))?;
        *outgoing.headers_mut() = request.headers;
        let (parts, body) = (self.0)(outgoing).await.into_parts();
        Ok(Response { status: parts.status, headers: parts.headers, body })
    }
}
