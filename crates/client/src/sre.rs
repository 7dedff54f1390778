//! Calls of operations agents. [`SreMemory`] has them as such agents make them: what fails there is told of in the log, and the agent goes on
//! (sre-memory.md W-5, R-11).

use http::Method;
use loci_api::sre::{SreHistory, SreHistoryAsk, SreResult, SreRetrieve, SreRetrieved, SreSave, SreSaved};
use serde_json::Value;

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// Remembers a preference, what is known of a service, or an investigation.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_save(&self, memory: &str, save: &SreSave) -> Result<SreSaved, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "save"]), save).await
    }

    /// Asks for preferences, what is known of services, and investigations.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_retrieve(&self, memory: &str, asked: &SreRetrieve) -> Result<SreRetrieved, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "retrieve"]), asked).await
    }

    /// Lists every version of what is known of a service.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_history(&self, memory: &str, asked: &SreHistoryAsk) -> Result<SreHistory, ClientError> {
        self.get_query(path(&["v1", "memories", memory, "history"]), asked).await
    }

    /// The memory of an operations agent, by its id.
    pub fn sre_memory(&self, memory: impl Into<String>) -> SreMemory {
        SreMemory { client: self.clone(), memory: memory.into() }
    }
}

/// The memory of an operations agent.
#[derive(Clone)]
pub struct SreMemory {
    client: Client,
    memory: String,
}

impl SreMemory {
    /// How many results there are where nobody says.
    pub const MAX_RESULTS: u32 = 10;

    /// Remembers something of a type (`preferences`, `infrastructure`, `investigations`, or their singulars): `actor_id` is the user, or for
    /// infrastructure the agent. False where nothing was stored; why is in the log, which holds nothing of what was said.
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
                    tracing::warn!(memory = %self.memory, memory_type, action = %saved.action, "nothing was saved: a rule refused it");
                }
                saved.saved
            }
            Err(error) => {
                self.told(&error, memory_type, "nothing was saved");
                false
            }
        }
    }

    /// The same, with what became of it.
    ///
    /// # Errors
    /// What the server refuses, naming the member; [`ClientError::Unreachable`].
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
        };
        self.client.sre_save(&self.memory, &save).await
    }

    /// What is known of a type. Nothing where it could not be asked; why is in the log. `max_results`: [`Self::MAX_RESULTS`] where `None`.
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
                for warning in &found.warnings {
                    tracing::warn!(memory = %self.memory, memory_type, "{warning}");
                }
                found.results
            }
            Err(error) => {
                self.told(&error, memory_type, "nothing was retrieved");
                Vec::new()
            }
        }
    }

    /// The same, with what else to know.
    ///
    /// # Errors
    /// What the server refuses, naming the member; [`ClientError::Unreachable`].
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
        self.client.sre_retrieve(&self.memory, &asked).await
    }

    /// The log gets ids, codes and names of members, never contents: a message of the server may hold some of them.
    fn told(&self, error: &ClientError, memory_type: &str, what: &str) {
        let field = match error {
            ClientError::Refused { problem, .. } => problem.field.as_deref(),
            ClientError::Unreachable { .. } | ClientError::Unexpected(_) | ClientError::Request(_) => None,
        };
        let (code, status) = (error.code().unwrap_or("unreachable"), error.status());
        tracing::error!(memory = %self.memory, memory_type, code, field, ?status, "{what}");
    }
}
