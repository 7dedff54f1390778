//! The connection to the memory. If the server was unreachable at the start, the memory is offline:
//! calls fail at once, and one attempt is made every 30 seconds, regardless of the number of calls
//! and clones. Once connected, it stays connected: a call that fails later returns its own error.

use std::io;
use std::sync::{Arc, OnceLock, Weak};

use loci_api::memory::ensure::{MemoryEnsure, MemoryEnsureQuery};

use super::notices::Notices;
use crate::agent::Clock;
use crate::call::Client;
use crate::error::ClientError;

/// The time between two attempts to connect, in milliseconds.
pub(super) const RETRY_MS: u64 = 30_000;
const PROFILE: &str = "sre";

/// The connection to a memory, established or pending.
pub(super) struct Link {
    memory: OnceLock<String>,
    sought: Option<SoughtMemory>,
    clock: Arc<dyn Clock>,
    notices: Notices,
}

/// The memory that a pending connection looks for.
struct SoughtMemory {
    client: Client,
    name: String,
}

impl Link {
    /// Creates a connection to a memory with a known id.
    pub(super) fn to(memory: String, clock: Arc<dyn Clock>) -> Self {
        Self { memory: OnceLock::from(memory), sought: None, clock, notices: Notices::default() }
    }

    /// Creates a pending connection to a memory by its name.
    pub(super) fn not_yet(client: Client, name: String, clock: Arc<dyn Clock>) -> Self {
        let sought = Some(SoughtMemory { client, name });
        Self { memory: OnceLock::new(), sought, clock, notices: Notices::default() }
    }

    /// Returns the memory's id, once it is connected.
    pub(super) fn memory(&self) -> Option<&str> {
        self.memory.get().map(String::as_str)
    }

    /// Returns the memory's id.
    ///
    /// # Errors
    /// `Unreachable` while it is offline.
    pub(super) fn require(&self) -> Result<&str, ClientError> {
        self.memory().ok_or_else(|| ClientError::Unreachable {
            message: "memory is offline: the server was not reached at the start, and is tried every 30 s"
                .to_owned(),
            source: Box::new(io::Error::from(io::ErrorKind::NotConnected)),
        })
    }

    /// Makes one attempt: creates or completes the memory.
    pub(super) async fn connect(&self) -> Result<(), ClientError> {
        let Some(sought) = self.sought.as_ref().filter(|_| self.memory().is_none()) else { return Ok(()) };
        let asked = MemoryEnsure { profile: Some(PROFILE.to_owned()), ..MemoryEnsure::default() };
        let ensured =
            sought.client.memory_ensure(&sought.name, &MemoryEnsureQuery::default(), &asked).await?;
        for warning in &ensured.warnings {
            tracing::warn!(memory = %ensured.memory_id, "{warning}");
        }
        // A concurrent attempt may have been faster; it found the same memory.
        let _ = self.memory.set(ensured.memory_id);
        Ok(())
    }

    /// Logs a warning, unless an equal kind was logged less than a minute ago.
    pub(super) fn warn(&self, kind: &'static str, what: &str) {
        if self.notices.is_due(kind, self.clock.now_ms()) {
            tracing::warn!(kind, "{what}");
        }
    }

    /// Logs the failure of a call: ids, codes and names of members, never contents, which a message
    /// of the server may include.
    pub(super) fn told(&self, error: &ClientError, kind: &'static str, what: &str) {
        if self.memory().is_none() {
            return self.warn(kind, &format!("{what}: memory is offline"));
        }
        let field = match error {
            ClientError::Refused { problem, .. } => problem.field.as_deref(),
            ClientError::Unreachable { .. } | ClientError::Unexpected(_) | ClientError::Request(_) => None,
        };
        let code = error.code().unwrap_or(match error {
            ClientError::Unreachable { .. } => "unreachable",
            ClientError::Unexpected(_) => "unexpected",
            ClientError::Refused { .. } | ClientError::Request(_) => "request",
        });
        tracing::error!(memory = self.memory(), kind, code, field, status = ?error.status(), "{what}");
    }
}

/// Attempts to connect every 30 seconds, until the memory is connected or its last handle is
/// dropped.
pub(super) async fn reconnect(link: Weak<Link>) {
    loop {
        let Some(sleep) = waiting(&link) else { return };
        sleep.await;
        let Some(link) = link.upgrade() else { return };
        match link.connect().await {
            Ok(()) => return tracing::info!(memory = link.memory(), "memory is there again"),
            Err(error) if error.is_retryable() => link.warn("connect", "memory is still offline"),
            Err(error) => {
                let code = error.code().unwrap_or("unexpected");
                tracing::error!(code, "memory is offline: the server refuses it");
            }
        }
    }
}

/// Returns the next wait; `None` if the memory is connected, or its last handle is dropped.
fn waiting(link: &Weak<Link>) -> Option<impl Future<Output = ()> + Send + 'static> {
    let link = link.upgrade().filter(|link| link.memory().is_none())?;
    Some(link.clock.sleep(RETRY_MS))
}
