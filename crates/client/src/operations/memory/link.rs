//! Whether the memory is there. Where the server was not reached at the start it is offline: calls
//! end at once, and one attempt is made every thirty seconds, however many calls and clones there
//! are. Once there, it stays: a call that fails later says so itself.

use std::io;
use std::sync::{Arc, OnceLock, Weak};

use loci_api::memory::ensure::{MemoryEnsure, MemoryEnsureQuery};

use super::notices::Notices;
use crate::agent::Clock;
use crate::call::Client;
use crate::error::ClientError;

/// Between two attempts.
pub(super) const RETRY_MS: u64 = 30_000;
const PROFILE: &str = "sre";

/// A memory that is there, or will be.
pub(super) struct Link {
    memory: OnceLock<String>,
    sought: Option<Sought>,
    clock: Arc<dyn Clock>,
    notices: Notices,
}

/// What is looked for.
struct Sought {
    client: Client,
    name: String,
}

impl Link {
    /// To a memory whose id is known.
    pub(super) fn to(memory: String, clock: Arc<dyn Clock>) -> Self {
        Self { memory: OnceLock::from(memory), sought: None, clock, notices: Notices::default() }
    }

    /// To one that is looked for by its name.
    pub(super) fn not_yet(client: Client, name: String, clock: Arc<dyn Clock>) -> Self {
        let sought = Some(Sought { client, name });
        Self { memory: OnceLock::new(), sought, clock, notices: Notices::default() }
    }

    /// The memory's id, once it is there.
    pub(super) fn memory(&self) -> Option<&str> {
        self.memory.get().map(String::as_str)
    }

    /// The memory's id.
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

    /// One attempt: makes or completes the memory.
    pub(super) async fn connect(&self) -> Result<(), ClientError> {
        let Some(sought) = self.sought.as_ref().filter(|_| self.memory().is_none()) else { return Ok(()) };
        let asked = MemoryEnsure { profile: Some(PROFILE.to_owned()), ..MemoryEnsure::default() };
        let ensured =
            sought.client.memory_ensure(&sought.name, &MemoryEnsureQuery::default(), &asked).await?;
        for warning in &ensured.warnings {
            tracing::warn!(memory = %ensured.memory_id, "{warning}");
        }
        // Another attempt may have been faster; it found the same memory.
        let _ = self.memory.set(ensured.memory_id);
        Ok(())
    }

    /// Warns, unless the same was warned of less than a minute ago.
    pub(super) fn warn(&self, kind: &'static str, what: &str) {
        if self.notices.is_due(kind, self.clock.now_ms()) {
            tracing::warn!(kind, "{what}");
        }
    }

    /// Says what a call came to nothing by: ids, codes and names of members, never contents, of which a message of the server may hold some.
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

/// An attempt every thirty seconds, until the memory is there or nobody has it any more.
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

/// The next wait; `None` where the memory is there, or nobody has it any more.
fn waiting(link: &Weak<Link>) -> Option<impl Future<Output = ()> + Send + 'static> {
    let link = link.upgrade().filter(|link| link.memory().is_none())?;
    Some(link.clock.sleep(RETRY_MS))
}
