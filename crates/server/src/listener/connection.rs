//! Accepts connections and serves them with hyper, HTTP/1.1, until the signal to stop.
//!
//! If all regular slots are taken, a connection gives way to a new one while it waits for a head,
//! or for the rest of a body that is discarded. If none waits, a few connections are accepted for
//! health checks alone, so that a full server still reports its health.

use std::convert::Infallible;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::header::HeaderValue;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use loci_model::limits;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tower::ServiceExt;

use super::answered_body::AnsweredBody;
use super::host;
use super::pace::PaceRules;
use super::paced_body::{PacedBody, UnreadBody};
use super::paced_stream::PacedStream;
use super::slots::{Slot, Slots};
use super::tls::Tls;
use super::unix_socket::OwnSocket;
use crate::auth::gate::Peer;
use crate::doors::Doors;
use crate::operations::metrics::Metrics;

/// The maximum duration of a TLS handshake.
const HANDSHAKE_MAX: Duration = Duration::from_secs(10);
/// The pause after a failure to accept (no file descriptors left), in milliseconds.
const ACCEPT_PAUSE_MS: u64 = 100;
/// Paths that are served on connections beyond the regular ones.
const HEALTH_PATHS: &[&str] = &["/healthz", "/readyz"];

/// The shared state of connections.
pub(super) struct Connections {
    pub(super) router: Router,
    pub(super) doors: Doors,
    pub(super) tls: Option<Tls>,
    pub(super) head_ms_max: u64,
    pub(super) peer: Peer,
    pub(super) slots: Slots,
    pub(super) stopping: watch::Receiver<bool>,
}

impl Connections {
    /// Accepts TCP connections until the signal to stop, then waits for the open ones.
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
                accepted = accept_one(&listener, &self.slots) => accepted,
            };
            match accepted {
                Ok((stream, slot)) => {
                    // Without it small responses would wait for more data.
                    if let Err(error) = stream.set_nodelay(true) {
                        tracing::debug!(%error, "TCP_NODELAY was refused");
                    }
                    open.spawn(self.clone().tcp(stream, slot));
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

    /// Accepts connections of the same user on the unix socket, until the signal to stop.
    pub(super) async fn accept_unix(self: Arc<Self>, socket: OwnSocket) {
        let mut open = JoinSet::new();
        let mut stopping = self.stopping.clone();
        let has_room = |open: &JoinSet<()>| open.len() < limits::SOCKET_CONNECTIONS_MAX;
        loop {
            let accepted = tokio::select! {
                () = stopped(&mut stopping) => break,
                Some(_) = open.join_next() => continue,
                accepted = socket.listener.accept(), if has_room(&open) => accepted,
            };
            match accepted {
                Ok((stream, _)) if socket.is_same_user(&stream) => {
                    let connections = self.clone();
                    open.spawn(async move { connections.answer(stream, Peer::Socket, None).await });
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

    /// Serves a connection as long as it has its slot.
    async fn tcp(self: Arc<Self>, stream: tokio::net::TcpStream, slot: Slot) {
        let slot = Arc::new(slot);
        let mut served = std::pin::pin!(self.served(stream, &slot));
        // Bytes that have already arrived are visible only after the runtime has polled for events.
        tokio::task::yield_now().await;
        tokio::select! {
            // A head that has arrived is read before the slot can be lost.
            biased;
            () = served.as_mut() => return,
            () = slot.lost() => {}
        }
        // A head in transit is still served, as long as few connections wait for one.
        tokio::task::yield_now().await;
        let late = self.slots.late.try_acquire();
        let ms_max = if late.is_ok() { limits::LATE_HEAD_MS_MAX } else { 0 };
        let ended = tokio::time::timeout(Duration::from_millis(ms_max), served.as_mut()).await;
        if ended.is_ok() {
            return;
        }
        if slot.is_late() {
            return served.await;
        }
        self.doors.metrics.connection_displaced();
        tracing::debug!("a connection with an incomplete head gave way to another");
    }

    async fn served(&self, stream: tokio::net::TcpStream, slot: &Arc<Slot>) {
        let stream = PacedStream::new(stream, self.pace(), Arc::clone(slot));
        match &self.tls {
            None => self.answer(stream, self.peer, Some(slot)).await,
            Some(tls) => {
                let most = if slot.is_for_health { self.head_max(true) } else { HANDSHAKE_MAX };
                match tokio::time::timeout(most, tls.0.accept(stream)).await {
                    Ok(Ok(stream)) => self.answer(stream, self.peer, Some(slot)).await,
                    Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
                    Err(_) => tracing::debug!("a TLS handshake took too long"),
                }
            }
        }
    }

    fn pace(&self) -> PaceRules {
        PaceRules {
            clock: Arc::clone(&self.doors.clock),
            patience_ms: self.doors.options.patience_ms,
            slow: Arc::clone(&self.slots.slow),
        }
    }

    fn head_max(&self, is_for_health: bool) -> Duration {
        let own = Duration::from_millis(self.head_ms_max);
        if is_for_health { own.min(Duration::from_millis(limits::HEALTH_HEAD_MS_MAX)) } else { own }
    }

    /// Serves a connection. Those of the unix socket have no slot.
    async fn answer(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        peer: Peer,
        slot: Option<&Arc<Slot>>,
    ) {
        let (slot, is_for_health) = (slot.cloned(), slot.is_some_and(|slot| slot.is_for_health));
        let asking = ConnectionContext {
            pace: self.pace(),
            router: self.router.clone(),
            metrics: Arc::clone(&self.doors.metrics),
            stopping: self.stopping.clone(),
            peer,
        };
        let answer = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
            let (asking, slot) = (asking.clone(), slot.clone());
            if let Some(slot) = &slot {
                slot.head_came();
            }
            async move {
                let mut answer = asking.answered(request, slot.as_deref()).await?;
                if slot.as_ref().is_some_and(|slot| slot.is_late()) {
                    answer.headers_mut().insert(hyper::header::CONNECTION, HeaderValue::from_static("close"));
                }
                Ok::<_, Infallible>(answer.map(|body| AnsweredBody::new(body, slot)))
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.head_max(is_for_health))
            .max_buf_size(limits::REQUEST_HEAD_BYTES_MAX)
            .keep_alive(!is_for_health)
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

/// The state shared by the requests of one connection.
#[derive(Clone)]
struct ConnectionContext {
    pace: PaceRules,
    router: Router,
    metrics: Arc<Metrics>,
    stopping: watch::Receiver<bool>,
    peer: Peer,
}

impl ConnectionContext {
    async fn answered(
        self,
        request: hyper::Request<Incoming>,
        slot: Option<&Slot>,
    ) -> Result<hyper::Response<Body>, Infallible> {
        let (mut head, body) = request.into_parts();
        head.extensions.insert(self.peer);
        if let Some(rule) = host::fault(&head, self.peer) {
            return Ok(host::refused(rule));
        }
        let only_health = slot.is_some_and(|slot| slot.is_for_health || slot.is_late());
        if !only_health || HEALTH_PATHS.contains(&head.uri.path()) {
            return self.answer_one(head, body, slot).await;
        }
        self.metrics.connection_refused();
        if !asks_first(&head) {
            self.courtesy(slot, body, limits::UNREAD_SHORT_MS_MAX).await;
        }
        Ok(full())
    }

    /// Answers one request. The unread rest of its body is discarded first. That needs a slot for
    /// slow connections, at any transfer rate; without one the response is sent at once.
    async fn answer_one(
        self,
        head: hyper::http::request::Parts,
        body: Incoming,
        slot: Option<&Slot>,
    ) -> Result<hyper::Response<Body>, Infallible> {
        let asks_first = asks_first(&head);
        let left = UnreadBody::default();
        let body = PacedBody::new(body, left.clone(), self.pace.clone());
        let request = hyper::Request::from_parts(head, Body::new(body));
        let answer = self.router.clone().oneshot(request).await;
        let unread = left.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(unread) = unread.filter(|_| !asks_first)
            && let Ok(_slow) = Arc::clone(&self.pace.slow).try_acquire_owned()
        {
            self.courtesy(slot, unread, limits::UNREAD_MS_MAX).await;
        }
        answer
    }

    /// Discards the rest of a body before its response is sent. A connection closed with unread
    /// bytes is reset, and its client may never see the response. Discarding is optional, for a
    /// client that may be unauthenticated: it ends, and the response is sent, when another
    /// connection needs the slot.
    async fn courtesy(&self, slot: Option<&Slot>, body: Incoming, ms_max: u64) {
        let rest = read_away(&self.pace, body, ms_max, self.stopping.clone());
        let Some(slot) = slot else { return rest.await };
        tokio::select! {
            biased;
            () = slot.courtesy_lost() => {}
            () = rest => {}
        }
        slot.courtesy_ended();
    }
}

/// Returns true for a client that asks before it sends a body. It need not send one that would be
/// discarded.
fn asks_first(head: &hyper::http::request::Parts) -> bool {
    head.headers.contains_key(hyper::header::EXPECT)
}

/// Discards a body for at most `ms_max`, and no longer than a short time in which no byte arrives:
/// a body that was announced and never comes delays no response. The time is short too when the
/// server stops, because the response must be sent before the connection is closed.
async fn read_away(pace: &PaceRules, body: Incoming, ms_max: u64, mut stopping: watch::Receiver<bool>) {
    let mut rest = Limited::new(body, limits::UNREAD_BYTES_MAX);
    let began_us = pace.clock.monotonic_us();
    let all = async {
        loop {
            let spent_ms = pace.clock.monotonic_us().saturating_sub(began_us) / 1_000;
            let left_ms = ms_max.saturating_sub(spent_ms);
            let arrived = tokio::select! {
                biased;
                frame = rest.frame() => matches!(frame, Some(Ok(_))),
                () = pace.clock.sleep(left_ms.min(limits::UNREAD_SHORT_MS_MAX)) => false,
            };
            if !arrived || left_ms == 0 {
                return;
            }
        }
    };
    let stop = async {
        stopped(&mut stopping).await;
        pace.clock.sleep(limits::UNREAD_SHORT_MS_MAX).await;
    };
    tokio::select! {
        () = all => {}
        () = stop => {}
    }
}

/// Returns the response for all but health checks if no regular slot is left.
fn full() -> hyper::Response<Body> {
    let rule = "the server has as many connections as it takes at once: try again in a moment\n";
    let mut response = hyper::Response::new(Body::from(rule));
    *response.status_mut() = hyper::StatusCode::SERVICE_UNAVAILABLE;
    let headers = response.headers_mut();
    headers.insert(hyper::header::RETRY_AFTER, HeaderValue::from_static("1"));
    headers.insert(hyper::header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Resolves at the signal to stop, or when its sender is gone.
async fn stopped(stopping: &mut watch::Receiver<bool>) {
    let _ = stopping.wait_for(|stop| *stop).await;
}

async fn accept_one(listener: &TcpListener, slots: &Slots) -> std::io::Result<(tokio::net::TcpStream, Slot)> {
    let free = slots.free().await?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, slots.taken(free)))
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;

    use loci_engine_testkit::test_engine::TestEngine;
    use loci_testkit_ports::SeededIds;

    use super::*;
    use crate::DoorOptions;
    use crate::listener::listen;

    const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    const OTHER: &[u8] = b"GET /v1/memories HTTP/1.1\r\nHost: localhost\r\n\r\n";

    fn connections(world: &TestEngine, count: usize, stopping: watch::Receiver<bool>) -> Arc<Connections> {
        let (clock, ids) = (Arc::new(world.clock()), Arc::new(SeededIds::new(3)));
        Arc::new(Connections {
            router: Router::new().route("/healthz", axum::routing::get(|| async { "ok" })),
            doors: Doors::new(world.engine(), clock, ids, DoorOptions::default()),
            tls: None,
            head_ms_max: 15_000,
            peer: Peer::Loopback,
            slots: Slots::new(count),
            stopping,
        })
    }

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
    }

    fn sent(listener: &TcpListener, request: &[u8]) -> TcpStream {
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client.write_all(request).unwrap();
        client
    }

    fn read(mut client: TcpStream) -> String {
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Requests that arrived before their connections are accepted are answered, and none is closed
    /// for another, at any number.
    #[test]
    fn a_burst_of_requests_closes_none_of_its_own() {
        let (runtime, world) = (runtime(), TestEngine::new().unwrap());
        let (stop, stopping) = watch::channel(false);
        let connections = connections(&world, 4, stopping);
        let listener = runtime.block_on(async { listen("127.0.0.1:0".parse().unwrap()) }).unwrap();
        let clients: Vec<TcpStream> = (0..200).map(|_| sent(&listener, REQUEST)).collect();
        let answers = runtime.block_on(async {
            let accepting = tokio::spawn(connections.accept_tcp(listener));
            let reading = move || clients.into_iter().map(read).collect::<Vec<_>>();
            let answers = tokio::task::spawn_blocking(reading).await.unwrap();
            stop.send(true).unwrap();
            accepting.await.unwrap();
            answers
        });
        for answer in answers {
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        }
    }

    /// A connection that loses its slot at the moment its head arrives is served, not closed.
    #[test]
    fn a_head_that_came_is_answered_where_its_place_is_lost() {
        let (runtime, world) = (runtime(), TestEngine::new().unwrap());
        let (_stop, stopping) = watch::channel(false);
        let connections = connections(&world, 1, stopping);
        // Many rounds: without a fixed order of the two branches, some rounds pass by chance.
        for _ in 0..20 {
            let answer = runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let client = sent(&listener, OTHER);
                let (stream, slot) = accept_one(&listener, &connections.slots).await.unwrap();
                stream.readable().await.unwrap();
                slot.looked_for();
                let _other = connections.slots.taken(connections.slots.free().await.unwrap());
                Arc::clone(&connections).tcp(stream, slot).await;
                read(client)
            });
            assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("retry-after: 1"), "{answer}");
        }
        assert!(connections.doors.metrics.render().contains("loci_connections_refused_total 20\n"));
    }

    /// A head in transit when its connection lost the slot is answered: health checks as usual,
    /// others with a rejection. The connection ends after the response.
    #[test]
    fn a_head_that_comes_behind_the_loss_of_its_place_is_answered() {
        let (runtime, world) = (runtime(), TestEngine::new().unwrap());
        let (_stop, stopping) = watch::channel(false);
        let connections = connections(&world, 1, stopping);
        let kept_alive = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".as_slice();
        for (request, expect) in [(kept_alive, "HTTP/1.1 200"), (OTHER, "HTTP/1.1 503")] {
            let answer = runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let mut client = sent(&listener, b"");
                let (stream, slot) = accept_one(&listener, &connections.slots).await.unwrap();
                slot.looked_for();
                let _other = connections.slots.taken(connections.slots.free().await.unwrap());
                let late = &connections.slots.late;
                let send = async {
                    while late.available_permits() == loci_model::limits::LATE_CONNECTIONS_MAX {
                        tokio::task::yield_now().await;
                    }
                    client.write_all(request).unwrap();
                };
                tokio::join!(Arc::clone(&connections).tcp(stream, slot), send);
                read(client)
            });
            assert!(answer.starts_with(expect) && answer.contains("connection: close"), "{answer}");
        }
        assert_eq!(connections.slots.late.available_permits(), loci_model::limits::LATE_CONNECTIONS_MAX);
        assert!(connections.doors.metrics.render().contains("loci_connections_refused_total 1\n"));
    }
}
