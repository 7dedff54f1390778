//! `/healthz`: the process answers. `/readyz`: the store can be read and written. `/metrics`: the Prometheus text.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};

use crate::doors::Doors;

/// `GET /healthz`.
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// `GET /readyz`.
pub(crate) async fn readyz(State(doors): State<Doors>) -> Response {
    match doors.engine.store().info(true).await {
        Ok(_) => (StatusCode::OK, "ready\n").into_response(),
        Err(error) => {
            tracing::warn!(?error, "not ready");
            (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {error}\n")).into_response()
        }
    }
}

/// `GET /metrics`.
pub(crate) async fn metrics(State(doors): State<Doors>) -> Response {
    let kind = (header::CONTENT_TYPE, "text/plain; version=0.0.4");
    ([kind], doors.metrics.render()).into_response()
}
