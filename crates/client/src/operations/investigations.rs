//! Calls of an investigation of an operations agent: its start, the answers of its agents, its
//! messages, its end. `memory` offers them in the form of such agents.

use loci_api::operations::investigation as shape;
use loci_api::operations::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Starts an investigation, or joins the open one of the same alert, and returns the context
    /// that memory has for it.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn investigation_start(
        &self,
        start: &shape::InvestigationStart,
    ) -> Result<shape::InvestigationStarted, ClientError> {
        self.send(at(&api::INVESTIGATION_START, &[]), start).await
    }

    /// Sends the answer of a worker agent; a job reads it.
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

    /// Returns the result of processing a worker agent's answer. The request may wait for it.
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

    /// Stores a turn of the conversation in full. Returns its masked form for display.
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

    /// Saves the findings of an investigation. Sending the same findings again does not create a
    /// second record.
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
