//! The listener: TCP (with or without TLS) and the unix socket of the data folder, with one router
//! for both. It decides where the server may listen, the number of connections, and the shutdown,
//! but not the responses.

mod answered_body;
mod connection;
mod exposure;
mod host;
pub(crate) mod pace;
mod paced_body;
mod paced_stream;
mod patience;
mod slots;
mod tls;
mod unix_socket;
mod yield_queue;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use loci_model::ports::BoxFuture;
use loci_model::{Error, Result, limits};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::auth::gate::Peer;
use crate::doors::Doors;
use connection::Connections;
use slots::Slots;
use tls::Tls;
pub use tls::TlsFiles;
use unix_socket::OwnSocket;

/// Options of the listener.
#[derive(Debug, Clone)]
pub struct ListenOptions {
    /// The TCP address to listen on. Port 0 takes a free port.
    pub address: SocketAddr,
    /// The path of the unix socket; `None` for no socket.
    pub socket: Option<PathBuf>,
    /// The files with the TLS certificate and its key; `None` to serve without TLS.
    pub tls: Option<TlsFiles>,
    /// True if a proxy before this server terminates TLS. Requests then do not count as local, even
    /// on loopback.
    pub behind_proxy: bool,
    /// The maximum number of connections at once, without those of the socket. One that waits for a
    /// head gives way to a new one. If none waits, only health checks are served beyond the
    /// maximum.
    pub connections_max: usize,
    /// The time in which a client must send the head of a request, in milliseconds.
    pub head_ms_max: u64,
    /// The time for running requests after the signal to stop, in milliseconds.
    pub drain_ms_max: u64,
}

impl ListenOptions {
    /// Creates the defaults for an address.
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            socket: None,
            tls: None,
            behind_proxy: false,
            connections_max: limits::CONNECTIONS_MAX_DEFAULT,
            head_ms_max: 15_000,
            drain_ms_max: 10_000,
        }
    }
}

/// A bound listener that does not serve yet.
pub struct Bound {
    tcp: TcpListener,
    socket: Option<OwnSocket>,
    tls: Option<Tls>,
    options: ListenOptions,
    doors: Doors,
}

/// The number of connections that the system queues until the server accepts them. The client of a
/// further one retries after one second, then after three.
const BACKLOG: u32 = 1_024;

/// Returns a socket that listens on the address.
fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A restarted server can take its port while old connections still end.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Binds the address. It does not listen beyond loopback without keys and TLS (or a proxy with
/// TLS).
///
/// # Errors
/// `Conflict` if listening there is not allowed, with the remedy; `Unavailable` if the address
/// cannot be bound.
pub async fn bind(options: ListenOptions, doors: Doors) -> Result<Bound> {
    let any_keys = doors.gate.any_keys().await?;
    exposure::check(&options, any_keys)?;
    let tls = options.tls.as_ref().map(Tls::load).transpose()?;
    let tcp = listen(options.address).map_err(|error| {
        Error::unavailable(format!("cannot listen on {}: {error}; choose another address", options.address))
    })?;
    let socket = match &options.socket {
        Some(path) => OwnSocket::bind(path).await?,
        None => None,
    };
    Ok(Bound { tcp, socket, tls, options, doors })
}

impl Bound {
    /// Returns the bound address, with its actual port.
    ///
    /// # Errors
    /// An error if the system does not report it.
    pub fn address(&self) -> Result<SocketAddr> {
        self.tcp.local_addr().map_err(|error| Error::unavailable("the address is not known").caused_by(error))
    }

    /// Returns `http` or `https`.
    pub fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    /// Serves until `shutdown` resolves, then lets running requests finish, within limits.
    pub async fn serve(self, router: Router, shutdown: BoxFuture<'static, ()>) {
        let (stop, stopping) = watch::channel(false);
        let connections = Arc::new(Connections {
            router,
            doors: self.doors.clone(),
            tls: self.tls,
            head_ms_max: self.options.head_ms_max,
            peer: tcp_peer(&self.options),
            slots: Slots::new(self.options.connections_max),
            stopping,
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(connections.clone().accept_tcp(self.tcp));
        if let Some(socket) = self.socket {
            tasks.spawn(connections.clone().accept_unix(socket));
        }
        drop(connections);
        shutdown.await;
        tracing::info!("stopping: no new connections, requests under way are finished");
        // The receivers are gone only after every task has ended, which is the awaited state.
        let _ = stop.send(true);
        let drain = Duration::from_millis(self.options.drain_ms_max);
        let ended = tokio::time::timeout(drain, async { while tasks.join_next().await.is_some() {} }).await;
        if ended.is_err() {
            tracing::warn!("requests were still under way when the time to stop was up");
        }
    }
}

impl std::fmt::Debug for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bound").field("options", &self.options).finish_non_exhaustive()
    }
}

fn tcp_peer(options: &ListenOptions) -> Peer {
    if options.address.ip().is_loopback() && !options.behind_proxy { Peer::Loopback } else { Peer::Network }
}

#[cfg(test)]
mod tests;
