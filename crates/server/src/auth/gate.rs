//! Decides if a request needs credentials: never on the socket, not on loopback as long as there is
//! no key, and always otherwise. It grants nothing; the engine checks grants.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use http::{HeaderMap, header};
use loci_engine::Engine;
use loci_model::ports::clock::Clock;
use loci_model::principal::Principal;
use loci_model::{Error, ErrorKind, Result};

use super::single_header::single;
use super::site;

/// The interval between lookups for keys, in microseconds, as long as there is none. Another
/// process may have created one.
const RECHECK_US: u64 = 1_000_000;
/// The maximum number of characters of `X-Loci-User`, a name for logs.
const USER_CHARS_MAX: usize = 100;
const USER: &str = "X-Loci-User";

/// The connection of a request. The listener sets it on every request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// The request comes from within this process.
    Process,
    /// The request comes over the unix socket of the data folder, from a process of the same user.
    Socket,
    /// The request comes over TCP to a loopback address, without a proxy.
    Loopback,
    /// The request comes over TCP from any address.
    Network,
}

/// Decides if a request needs credentials.
pub struct Gate {
    engine: Engine,
    clock: Arc<dyn Clock>,
    os_user: String,
    /// True once a key existed. Credentials are then required until the process ends, because
    /// revoking the last key must not open the server.
    has_keys: AtomicBool,
    checked_us: AtomicU64,
}

impl Gate {
    /// Creates a gate for the keys of an engine.
    pub fn new(engine: Engine, clock: Arc<dyn Clock>, os_user: String) -> Self {
        Self { engine, clock, os_user, has_keys: AtomicBool::new(false), checked_us: AtomicU64::new(0) }
    }

    /// Returns the caller if no credentials are required; `None` if the interface must require
    /// them.
    ///
    /// # Errors
    /// An error if a browser's page, a foreign host name or a client of a proxy tries to use
    /// development mode, or if the store cannot be read.
    pub async fn open_caller(&self, peer: Peer, headers: &HeaderMap) -> Result<Option<Principal>> {
        match peer {
            Peer::Process | Peer::Socket => Ok(Some(self.local_caller(headers)?)),
            Peer::Network => Ok(None),
            Peer::Loopback => {
                if self.any_keys().await? {
                    return Ok(None);
                }
                site::require_own_machine(headers)?;
                Ok(Some(self.local_caller(headers)?))
            }
        }
    }

    /// Returns true if a key exists or existed.
    pub async fn any_keys(&self) -> Result<bool> {
        if self.has_keys.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let now = self.clock.monotonic_us().max(1);
        let checked = self.checked_us.load(Ordering::Relaxed);
        if checked != 0 && now.saturating_sub(checked) < RECHECK_US {
            return Ok(false);
        }
        let any = self.engine.any_keys().await?;
        self.checked_us.store(now, Ordering::Relaxed);
        if any {
            self.has_keys.store(true, Ordering::Relaxed);
        }
        Ok(any)
    }

    /// Repeats the lookup at the next request, because this process created a key.
    pub fn keys_changed(&self) {
        self.checked_us.store(0, Ordering::Relaxed);
    }

    /// Returns the caller of a bearer token.
    ///
    /// # Errors
    /// `Unauthenticated` if the request has no bearer token, or if the token belongs to no active
    /// key.
    pub async fn bearer_caller(&self, headers: &HeaderMap) -> Result<Principal> {
        let refused = |message: &str| Error::new(ErrorKind::Unauthenticated, message);
        let value = single(headers, header::AUTHORIZATION.as_str());
        let value = value.map_err(|error| refused(&error.message))?.and_then(|value| value.to_str().ok());
        let Some(value) = value else {
            return Err(refused(
                "credentials are needed: send Authorization: Bearer with the token of a key",
            ));
        };
        let token = value.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let Some((_, token)) = token else {
            return Err(refused("the native API takes Authorization: Bearer with the token of a key"));
        };
        let found = self.engine.token_lookup(token.trim()).await?;
        found.ok_or_else(|| refused("the token is not that of an active key"))
    }

    fn local_caller(&self, headers: &HeaderMap) -> Result<Principal> {
        let Some(value) = single(headers, USER)? else {
            return Ok(Principal::administrator(self.os_user.clone()));
        };
        let rule = "X-Loci-User must be 1 to 100 printable ASCII characters";
        let name = value.to_str().map_err(|_| Error::invalid(USER, rule))?;
        if name.is_empty() || name.len() > USER_CHARS_MAX {
            return Err(Error::invalid(USER, rule));
        }
        Ok(Principal::administrator(name))
    }
}

impl std::fmt::Debug for Gate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gate").field("has_keys", &self.has_keys).finish_non_exhaustive()
    }
}
