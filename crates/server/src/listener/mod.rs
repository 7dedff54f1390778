//! Listening: TCP (with or without TLS) and the unix socket of the data folder, one router behind both. It decides
//! where listening is allowed, how many connections there may be, and how to stop; not what is answered.

mod answered_body;
mod connection;
mod exposure;
mod host;
pub(crate) mod pace;
mod paced_body;
mod paced_stream;
mod patience;
mod place_queue;
mod slots;
mod tls;
mod unix_socket;

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

/// Where and how to listen.
#[derive(Debug, Clone)]
pub struct ListenOptions {
    /// The address; port 0 takes a free one.
    pub address: SocketAddr,
    /// The unix socket; `None`: none.
    pub socket: Option<PathBuf>,
    /// Certificate and key.
    pub tls: Option<TlsFiles>,
    /// A proxy before this server ends TLS: requests are not local even on loopback.
    pub behind_proxy: bool,
    /// Connections at once, the socket's not counted. One that has yet to send a head gives way to
    /// a new one; where none has, health checks alone are answered beyond them.
    pub connections_max: usize,
    /// A client must have sent a request's head after this long.
    pub head_ms_max: u64,
    /// After the signal to stop, requests under way have this long.
    pub drain_ms_max: u64,
}

impl ListenOptions {
    /// The defaults for an address.
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

/// A bound listener that does not answer yet.
pub struct Bound {
    tcp: TcpListener,
    socket: Option<OwnSocket>,
    tls: Option<Tls>,
    options: ListenOptions,
    doors: Doors,
}

/// Connections that the system holds for the server until it accepts them: one beyond is tried
/// again by its client after a second, and then after three.
const BACKLOG: u32 = 1_024;

/// Returns a socket that listens on the address.
fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A server that was restarted takes its port although old connections to it still end.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Binds. Refuses to listen beyond loopback without keys and TLS (or a proxy that says it has it).
///
/// # Errors
/// `Conflict` where listening there is not allowed, with the remedy; `Unavailable` where the address cannot be had.
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
    /// The address in force, with the port that was given.
    ///
    /// # Errors
    /// Where the system does not say.
    pub fn address(&self) -> Result<SocketAddr> {
        self.tcp.local_addr().map_err(|error| Error::unavailable("the address is not known").caused_by(error))
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    /// Answers until `shutdown` resolves; then lets requests under way finish, within limits.
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
        // The receivers are gone only if every task has ended, which is what is waited for.
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
