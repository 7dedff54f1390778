//! Calls around an investigation of an operations agent: its start, what its agents answer, what
//! was said, its end. `memory` has them as such agents make them.

use http::Method;
use loci_api::operations::investigation as shape;

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// Begins an investigation, or joins the open one of the same alert, and says what is known.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn investigation_start(
        &self,
        start: &shape::InvestigationStart,
    ) -> Result<shape::InvestigationStarted, ClientError> {
        self.send(Method::POST, path(&["v1", "investigations"]), start).await
    }

    /// Hands in what a worker agent answered; a job reads it.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn agent_response(
        &self,
        incident: &str,
        response: &shape::AgentResponse,
    ) -> Result<shape::AgentResponseTaken, ClientError> {
        self.send(Method::POST, path(&["v1", "investigations", incident, "agent-response"]), response).await
    }

    /// What came of an answer; may wait for it.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn agent_response_read(
        &self,
        incident: &str,
        job: &str,
        wait: &shape::AgentResponseWait,
    ) -> Result<shape::AgentResponseRead, ClientError> {
        self.get_query(path(&["v1", "investigations", incident, "agent-response", job]), wait).await
    }

    /// Stores a turn of the conversation, whole, and says how it is shown.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn investigation_messages(
        &self,
        incident: &str,
        turn: &shape::InvestigationMessages,
    ) -> Result<shape::InvestigationMessagesKept, ClientError> {
        self.send(Method::POST, path(&["v1", "investigations", incident, "messages"]), turn).await
    }

    /// Saves what an investigation found. The same said again is the same record.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn investigation_complete(
        &self,
        incident: &str,
        done: &shape::InvestigationComplete,
    ) -> Result<shape::InvestigationCompleted, ClientError> {
        self.send(Method::POST, path(&["v1", "investigations", incident, "complete"]), done).await
    }
}
