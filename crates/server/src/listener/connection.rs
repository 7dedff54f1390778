//! Accepting connections and answering on them with hyper, HTTP/1.1, until the signal to stop.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tower::ServiceExt;

use super::paused_body::{Left, PausedBody};
use super::tls::Tls;
use super::unix_socket::OwnSocket;
use crate::auth::gate::Peer;
use crate::doors::Doors;

/// A TLS handshake must be done after this long.
const HANDSHAKE_MAX: Duration = Duration::from_secs(10);
/// After a failure to accept (no file descriptors left), a pause before the next try.
const ACCEPT_PAUSE_MS: u64 = 100;
/// Connections on the unix socket at once.
const SOCKET_CONNECTIONS_MAX: usize = 256;
/// So much of a refused body is read away before its answer; a client that sends more may see a reset.
const UNREAD_BYTES_MAX: usize = 64 * 1024 * 1024;

/// What every connection needs.
pub(super) struct Connections {
    pub(super) router: Router,
    pub(super) doors: Doors,
    pub(super) tls: Option<Tls>,
    pub(super) head_ms_max: u64,
    pub(super) peer: Peer,
    pub(super) permits: Arc<Semaphore>,
    pub(super) stopping: watch::Receiver<bool>,
}

impl Connections {
    /// Accepts TCP connections until the signal to stop, then waits for those that are open.
    pub(super) async fn accept_tcp(self: Arc<Self>, listener: TcpListener) {
        let mut open = JoinSet::new();
        let mut stopping = self.stopping.clone();
        loop {
            let accepted = tokio::select! {
                () = stopped(&mut stopping) => break,
                Some(_) = open.join_next() => {
                    self.doors.metrics.connections(open.len());
                    continue;
                }
                accepted = accept_one(&listener, &self.permits) => accepted,
            };
            match accepted {
                Ok((stream, permit)) => {
                    // Small answers must not wait for more to send.
                    if let Err(error) = stream.set_nodelay(true) {
                        tracing::debug!(%error, "TCP_NODELAY was refused");
                    }
                    open.spawn(self.clone().tcp(stream, permit));
                    self.doors.metrics.connections(open.len());
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    self.doors.clock.sleep(ACCEPT_PAUSE_MS).await;
                }
            }
        }
        drop(listener);
        while open.join_next().await.is_some() {}
    }

    /// Accepts connections of the same user on the unix socket, likewise.
    pub(super) async fn accept_unix(self: Arc<Self>, socket: OwnSocket) {
        let mut open = JoinSet::new();
        let mut stopping = self.stopping.clone();
        loop {
            let accepted = tokio::select! {
                () = stopped(&mut stopping) => break,
                Some(_) = open.join_next() => continue,
                accepted = socket.listener.accept(), if open.len() < SOCKET_CONNECTIONS_MAX => accepted,
            };
            match accepted {
                Ok((stream, _)) if socket.is_same_user(&stream) => {
                    let connections = self.clone();
                    open.spawn(async move { connections.answer(stream, Peer::Socket).await });
                }
                Ok(_) => tracing::warn!("a connection of another user on loci.sock was refused"),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    self.doors.clock.sleep(ACCEPT_PAUSE_MS).await;
                }
            }
        }
        drop(socket);
        while open.join_next().await.is_some() {}
    }

    async fn tcp(self: Arc<Self>, stream: tokio::net::TcpStream, permit: OwnedSemaphorePermit) {
        match &self.tls {
            None => self.answer(stream, self.peer).await,
            Some(tls) => match tokio::time::timeout(HANDSHAKE_MAX, tls.0.accept(stream)).await {
                Ok(Ok(stream)) => self.answer(stream, self.peer).await,
                Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
                Err(_) => tracing::debug!("a TLS handshake took too long"),
            },
        }
        drop(permit);
    }

    async fn answer(&self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, peer: Peer) {
        let doors = self.doors.clone();
        let router = self.router.clone();
        let answer = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
            let (mut head, body) = request.into_parts();
            head.extensions.insert(peer);
            let (doors, router) = (doors.clone(), router.clone());
            async move { answer_one(&doors, router, head, body).await }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(Duration::from_millis(self.head_ms_max))
            .serve_connection(TokioIo::new(stream), answer);
        let mut connection = std::pin::pin!(connection);
        let mut stopping = self.stopping.clone();
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = stopped(&mut stopping) => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended early");
        }
    }
}

/// Answers one request. What the door left unread of its body is read away first: a connection closed on unread bytes is
/// reset, and its client may never see why it was refused. A client that asks before it sends (`Expect`) is not made to send.
async fn answer_one(
    doors: &Doors,
    router: Router,
    head: hyper::http::request::Parts,
    body: Incoming,
) -> Result<hyper::Response<Body>, std::convert::Infallible> {
    let asks_first = head.headers.contains_key(hyper::header::EXPECT);
    let left = Left::default();
    let paused =
        |body| PausedBody::new(body, left.clone(), doors.clock.clone(), doors.options.body_pause_ms_max);
    let request = hyper::Request::from_parts(head, Body::new(paused(body)));
    let answer = router.oneshot(request).await;
    let unread = left.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(unread) = unread.filter(|_| !asks_first) {
        let mut rest = Limited::new(paused(unread), UNREAD_BYTES_MAX);
        while let Some(Ok(_)) = rest.frame().await {}
    }
    answer
}

/// Resolves at the signal to stop, or when nobody is left to give it.
async fn stopped(stopping: &mut watch::Receiver<bool>) {
    let _ = stopping.wait_for(|stop| *stop).await;
}

async fn accept_one(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> std::io::Result<(tokio::net::TcpStream, OwnedSemaphorePermit)> {
    let permit = permits.clone().acquire_owned().await.map_err(std::io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, permit))
}
