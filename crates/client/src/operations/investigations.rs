//! Calls around an investigation of an operations agent: its start, what its agents answer, what
//! was said, its end. `memory` has them as such agents make them.

use loci_api::operations::investigation as shape;
use loci_api::operations::table as api;

use crate::at::at;
use crate::call::Client;
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
        self.send(at(&api::INVESTIGATION_START, &[]), start).await
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
        self.send(at(&api::AGENT_RESPONSE, &[incident]), response).await
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
        self.query(at(&api::AGENT_RESPONSE_READ, &[incident, job]), wait).await
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
        self.send(at(&api::INVESTIGATION_MESSAGES, &[incident]), turn).await
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
        self.send(at(&api::INVESTIGATION_COMPLETE, &[incident]), done).await
    }
}
