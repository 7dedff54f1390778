//! By calling the router of this process: the same paths, shapes and errors, without a socket.

use axum::Router;
use axum::body::Body;
use futures::StreamExt;
use tower::ServiceExt;

use super::{Outgoing, Request, Response};
use crate::error::ClientError;

/// A router to call.
#[derive(Clone)]
pub(crate) struct InProcess(pub(crate) Router);

impl InProcess {
    pub(super) async fn send(&self, request: Request) -> Result<Response, ClientError> {
        let body = match request.body {
            Outgoing::Empty => Body::empty(),
            Outgoing::Whole(bytes) => Body::from(bytes),
            Outgoing::Stream(stream) => Body::from_stream(stream),
        };
        let mut outgoing = http::Request::builder()
            .method(request.method)
            .uri(request.path)
            .body(body)
            .map_err(|error| ClientError::Request(format!("the request cannot be made: {error}")))?;
        *outgoing.headers_mut() = request.headers;
        let response = match self.0.clone().oneshot(outgoing).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        let (parts, body) = response.into_parts();
        let body = body.into_data_stream().map(|piece| piece.map_err(Into::into)).boxed();
        Ok(Response { status: parts.status, headers: parts.headers, body })
    }
}
