//! The HTTP connector of the SDK. It uses the client of all other requests of this crate: one TLS
//! stack, no proxies from the environment, and no redirects, which would carry a signature to
//! another host. The SDK makes the pauses between attempts.

use std::time::Duration;

use aws_sdk_bedrockagentcore::config::{HttpClient, RuntimeComponents};
use aws_sdk_bedrockagentcore::error::ConnectorError;
use aws_sdk_bedrockagentcore::primitives::SdkBody;
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use bytes::{Bytes, BytesMut};

use super::limits::{AGENTCORE_ANSWER_BYTES_MAX, AGENTCORE_CONNECT_MS_MAX};
use crate::agent::error::MemoryError;
use crate::transport;

/// An HTTP connector to every endpoint that the SDK names.
#[derive(Debug, Clone)]
pub(super) struct Http(reqwest::Client);

impl Http {
    pub(super) fn new() -> Result<Self, MemoryError> {
        let builder = reqwest::Client::builder()
            .connect_timeout(Duration::from_millis(AGENTCORE_CONNECT_MS_MAX))
            .redirect(reqwest::redirect::Policy::none());
        let client = transport::http_client(builder);
        client.map(Self).map_err(|error| MemoryError::Configuration(error.to_string()))
    }
}

impl HttpClient for Http {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Http {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let client = self.0.clone();
        HttpConnectorFuture::new(async move { sent(client, request).await })
    }
}

async fn sent(client: reqwest::Client, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
    let Some(body) = request.body().bytes().map(Bytes::copy_from_slice) else {
        return Err(ConnectorError::user("a body that comes in pieces is not sent".into()));
    };
    let request = request.try_into_http1x().map_err(|error| ConnectorError::user(error.into()))?;
    let (parts, _) = request.into_parts();
    let outgoing = client.request(parts.method, parts.uri.to_string()).headers(parts.headers).body(body);
    let mut answer = outgoing.send().await.map_err(not_sent)?;
    let mut bytes = BytesMut::new();
    while let Some(piece) = answer.chunk().await.map_err(not_sent)? {
        if bytes.len() + piece.len() > AGENTCORE_ANSWER_BYTES_MAX {
            let rule = format!("the answer is larger than {AGENTCORE_ANSWER_BYTES_MAX} bytes");
            return Err(ConnectorError::user(rule.into()));
        }
        bytes.extend_from_slice(&piece);
    }
    let mut response = http::Response::new(SdkBody::from(bytes.freeze()));
    *response.status_mut() = answer.status();
    *response.headers_mut() = std::mem::take(answer.headers_mut());
    HttpResponse::try_from(response).map_err(|error| ConnectorError::other(error.into(), None))
}

/// Returns the error for a request that could not be sent. Its message leaves out the URL, because
/// the SDK already logs the endpoint.
fn not_sent(error: reqwest::Error) -> ConnectorError {
    let error = error.without_url();
    if error.is_timeout() {
        ConnectorError::timeout(error.into())
    } else if error.is_builder() {
        ConnectorError::user(error.into())
    } else {
        ConnectorError::io(error.into())
    }
}
