//! The memory of an operations agent, in the form of such agents: failures are logged, and the
//! agent continues. Every such call has a `try_…` form that returns the error.
//!
//! * `hooks`: the calls before planning, after each agent, and at the end of an investigation;
//! * `started_investigations`: the investigations that this memory started, and their users;
//!   `id_file`: a file with the memory's id, for scripts;
//! * `link`: the connection to the memory; without one it is offline;
//! * `notices`: the rate limit of repeated warnings.
//!
//! It retries no call and stores nothing for later: the caller must repeat a call whose data was
//! not saved.

mod hooks;
mod id_file;
mod link;
mod notices;
mod started_investigations;

#[cfg(test)]
mod hooks_tests;
#[cfg(test)]
mod offline_tests;
#[cfg(test)]
mod test_environment;

use std::sync::Arc;

use loci_api::operations::knowledge::{SreResult, SreRetrieve, SreRetrieved, SreSave, SreSaved};
use serde_json::Value;

use crate::agent::{RuntimeContext, SystemClock};
use crate::call::Client;
use crate::error::ClientError;
pub use hooks::InvestigationState;
use link::Link;
use started_investigations::StartedInvestigations;

impl Client {
    /// Returns the memory of an operations agent, by its id.
    pub fn sre_memory(&self, memory: impl Into<String>) -> SreMemory {
        SreMemory::of(self.clone(), Arc::new(Link::to(memory.into(), Arc::new(SystemClock))))
    }

    /// Connects to the memory of an operations agent by its name. The memory is created with the
    /// profile `sre`, or its missing parts are added, once. The key needs the right to administer
    /// it. With other keys use [`Client::sre_memory`].
    ///
    /// If the server is unreachable, the memory is offline: nothing is saved or read, and no call
    /// waits. The executor of the runtime context tries again every 30 seconds. Without an
    /// executor, [`SreMemory::reconnect`] does.
    ///
    /// # Errors
    /// A permanent rejection by the server, for example because the key lacks the right, or the
    /// name breaks a rule.
    pub async fn sre_memory_named(
        &self,
        name: &str,
        surroundings: RuntimeContext,
    ) -> Result<SreMemory, ClientError> {
        let link = Arc::new(Link::not_yet(self.clone(), name.to_owned(), surroundings.clock));
        match link.connect().await {
            Ok(()) => {}
            Err(error) if error.is_retryable() => {
                link.warn("connect", "the server cannot be reached: memory is offline, and tried every 30 s");
                if let Some(executor) = surroundings.executor {
                    executor(Box::pin(link::reconnect(Arc::downgrade(&link))));
                }
            }
            Err(error) => return Err(error),
        }
        Ok(SreMemory::of(self.clone(), link))
    }
}

/// The memory of an operations agent. Clones share one connection, so cloning costs little.
#[derive(Clone)]
pub struct SreMemory {
    client: Client,
    link: Arc<Link>,
    agents: Vec<String>,
    begun: Arc<StartedInvestigations>,
}

impl SreMemory {
    /// The default maximum number of results of [`Self::retrieve_memories`].
    pub const MAX_RESULTS: u32 = 10;

    fn of(client: Client, link: Arc<Link>) -> Self {
        Self { client, link, agents: Self::agents_of_profile(), begun: Arc::default() }
    }

    /// Returns the memory's id; `None` while it is offline.
    pub fn memory_id(&self) -> Option<&str> {
        self.link.memory()
    }

    /// Attempts to reach the server every 30 seconds, and ends on success. It ends at once if the
    /// memory is connected. For programs whose runtime context has no executor.
    pub async fn reconnect(&self) {
        link::reconnect(Arc::downgrade(&self.link)).await;
    }

    /// Stores content of a type (`preferences`, `infrastructure`, `investigations`, or their
    /// singulars). `actor_id` is the user, or for infrastructure the agent. Returns false if
    /// nothing was stored; the log contains the reason without the content.
    pub async fn save_event(
        &self,
        memory_type: &str,
        actor_id: &str,
        event_data: Value,
        session_id: Option<&str>,
    ) -> bool {
        match self.try_save_event(memory_type, actor_id, event_data, session_id).await {
            Ok(saved) => {
                if !saved.saved {
                    tracing::warn!(memory = self.memory_id(), memory_type, action = %saved.action, "nothing was saved: a rule refused it");
                }
                saved.saved
            }
            Err(error) => {
                self.link.told(&error, "save", "nothing was saved");
                false
            }
        }
    }

    /// Stores content and returns the details of the result.
    ///
    /// # Errors
    /// A rejection by the server, naming the member; [`ClientError::Unreachable`], also while the
    /// memory is offline.
    pub async fn try_save_event(
        &self,
        memory_type: &str,
        actor_id: &str,
        event_data: Value,
        session_id: Option<&str>,
    ) -> Result<SreSaved, ClientError> {
        let save = SreSave {
            memory_type: memory_type.to_owned(),
            actor_id: Some(actor_id.to_owned()),
            session_id: session_id.map(str::to_owned),
            data: event_data,
            by: None,
            scope: None,
        };
        self.client.sre_save(self.link.require()?, &save).await
    }

    /// Returns knowledge of one type. After a failure the result is empty, and the log contains the
    /// reason. If `max_results` is `None`, the maximum is [`Self::MAX_RESULTS`].
    pub async fn retrieve_memories(
        &self,
        memory_type: &str,
        actor_id: &str,
        query: &str,
        max_results: Option<u32>,
        session_id: Option<&str>,
    ) -> Vec<SreResult> {
        match self.try_retrieve_memories(memory_type, actor_id, query, max_results, session_id).await {
            Ok(found) => {
                if !found.warnings.is_empty() {
                    // The log contains only their number: a warning may quote the query.
                    let warnings = found.warnings.len();
                    tracing::warn!(
                        memory = self.memory_id(),
                        memory_type,
                        warnings,
                        "retrieved with warnings"
                    );
                }
                found.results
            }
            Err(error) => {
                self.link.told(&error, "retrieve", "nothing was retrieved");
                Vec::new()
            }
        }
    }

    /// Returns the knowledge of a type with its warnings.
    ///
    /// # Errors
    /// A rejection by the server, naming the member; [`ClientError::Unreachable`], also while the
    /// memory is offline.
    pub async fn try_retrieve_memories(
        &self,
        memory_type: &str,
        actor_id: &str,
        query: &str,
        max_results: Option<u32>,
        session_id: Option<&str>,
    ) -> Result<SreRetrieved, ClientError> {
        let asked = SreRetrieve {
            types: vec![memory_type.to_owned()],
            query: Some(query.to_owned()),
            actor: Some(actor_id.to_owned()),
            session: session_id.map(str::to_owned),
            top_k: Some(max_results.unwrap_or(Self::MAX_RESULTS)),
            ..SreRetrieve::default()
        };
        self.client.sre_retrieve(self.link.require()?, &asked).await
    }
}

impl std::fmt::Debug for SreMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SreMemory").field("memory_id", &self.memory_id()).finish_non_exhaustive()
    }
}
