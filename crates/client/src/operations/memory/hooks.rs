//! The hooks of an investigation for operations agents, with the names and arguments of the design
//! that these agents follow. Each hook is one request. If it fails, it logs the error and lets the
//! agent continue. The `try_…` forms return the error.

use std::collections::BTreeMap;

use loci_api::operations::investigation as shape;
use loci_api::operations::investigation::{
    AgentResponseTaken, AgentResult, InvestigationCompleted, InvestigationMessage, InvestigationMessagesKept,
    InvestigationStarted,
};

use super::SreMemory;
use crate::error::ClientError;

/// The agents of the profile, by their names.
const AGENTS: [&str; 4] = ["kubernetes-agent", "logs-agent", "metrics-agent", "runbooks-agent"];
/// The parts of the context, as `status` names them.
const PARTS: [&str; 3] = ["infrastructure", "investigations", "preferences"];
const PART_FAILED: &str = "error";

/// The state of an investigation, which its agents pass along.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InvestigationState {
    /// The user of the investigation. An empty text means the user of the connection.
    pub user_id: String,
    /// The id of the incident.
    pub incident_id: String,
    /// The session of the investigation. `None` or an empty text means the session that the server
    /// chose.
    pub session_id: Option<String>,
}

impl SreMemory {
    /// Sets the agents. Each is a key of the context, even if the server was unreachable. Default:
    /// the profile's agents. A reachable server returns its own.
    #[must_use]
    pub fn with_agents(mut self, agents: impl IntoIterator<Item = String>) -> Self {
        self.agents = agents.into_iter().collect();
        self
    }

    pub(super) fn agents_of_profile() -> Vec<String> {
        AGENTS.map(str::to_owned).into()
    }

    /// Before planning: starts the investigation and returns its context. On a failure the context
    /// is empty with all its keys, `degraded` and `status` report it, and planning continues.
    ///
    /// `actor_id` is the user of the investigation, or empty. The server creates an absent
    /// `session_id` or `incident_id`. [`crate::Client::investigation_start`] accepts the other
    /// members of a start (alert, services, environment, budget).
    pub async fn on_investigation_start(
        &self,
        query: &str,
        user_id: &str,
        actor_id: &str,
        session_id: Option<&str>,
        incident_id: Option<&str>,
    ) -> InvestigationStarted {
        match self.try_on_investigation_start(query, user_id, actor_id, session_id, incident_id).await {
            Ok(started) => started,
            Err(error) => {
                self.link.told(&error, "start", "an investigation begins without what is known");
                self.nothing_known(session_id, incident_id)
            }
        }
    }

    /// Starts the investigation and returns the error of a failure.
    ///
    /// # Errors
    /// A rejection by the server, naming the member; [`ClientError::Request`] if the actor is not
    /// the user of the connection; [`ClientError::Unreachable`], also while the memory is offline.
    pub async fn try_on_investigation_start(
        &self,
        query: &str,
        user_id: &str,
        actor_id: &str,
        session_id: Option<&str>,
        incident_id: Option<&str>,
    ) -> Result<InvestigationStarted, ClientError> {
        if !actor_id.is_empty() && actor_id != user_id {
            let rule = "actor_id must be the user_id, for an investigation is its user's, or empty";
            return Err(ClientError::Request(rule.to_owned()));
        }
        let start = shape::InvestigationStart {
            memory: Some(self.link.require()?.to_owned()),
            user_id: Some(user_id.to_owned()),
            incident_id: incident_id.map(str::to_owned),
            query: query.to_owned(),
            session_id: session_id.map(str::to_owned),
            mode: None,
            services: Vec::new(),
            environment: None,
            scope: None,
            tz: None,
            alert: None,
            budget_tokens: None,
            estimator: None,
            timeout_ms: None,
            render: None,
        };
        let started = self.client.investigation_start(&start).await?;
        self.begun.note(&started.incident_id, user_id, &started.session_id);
        Ok(started)
    }

    /// After each worker agent: sends its answer, which the server searches for knowledge and
    /// contacts. Returns true if the server accepted it.
    pub async fn on_agent_response(
        &self,
        agent_name: &str,
        response: &AgentResult,
        state: &InvestigationState,
    ) -> bool {
        let taken = self.try_on_agent_response(agent_name, response, state).await;
        self.is_done(taken.map(|_| true), "agent_response", "an agent's answer was not taken")
    }

    /// Sends the answer and returns the job that reads it; [`crate::Client::agent_response_read`]
    /// returns its result.
    ///
    /// # Errors
    /// The errors of [`SreMemory::try_on_investigation_start`]; [`ClientError::Request`] without an
    /// incident, or for a user other than the one for whom this memory started it.
    pub async fn try_on_agent_response(
        &self,
        agent_name: &str,
        response: &AgentResult,
        state: &InvestigationState,
    ) -> Result<AgentResponseTaken, ClientError> {
        let response = shape::AgentResponse {
            memory: Some(self.link.require()?.to_owned()),
            session_id: self.begun.session(state)?,
            agent: agent_name.to_owned(),
            text: response.text.clone(),
            tool_calls: response.tool_calls.clone(),
            at: None,
        };
        self.client.agent_response(&state.incident_id, &response).await
    }

    /// At the end: saves the investigation, the knowledge of each agent, and contacts as proposals.
    /// Returns false only if nothing was stored, as far as the server could report it. The outcome
    /// is not derived from the answer: the investigation stays `ongoing` until
    /// [`crate::Client::investigation_complete`] sets it, which also takes causes, findings,
    /// actions and a timeline.
    pub async fn on_investigation_complete(
        &self,
        query: &str,
        agent_results: &BTreeMap<String, AgentResult>,
        final_response: &str,
        user_id: &str,
        session_id: Option<&str>,
        incident_id: &str,
    ) -> bool {
        let done = self
            .try_on_investigation_complete(
                query,
                agent_results,
                final_response,
                user_id,
                session_id,
                incident_id,
            )
            .await;
        self.is_done(done.map(|done| done.saved), "complete", "nothing of an investigation was saved")
    }

    /// Saves the investigation and returns the details of the result.
    ///
    /// # Errors
    /// The errors of [`SreMemory::try_on_agent_response`].
    pub async fn try_on_investigation_complete(
        &self,
        query: &str,
        agent_results: &BTreeMap<String, AgentResult>,
        final_response: &str,
        user_id: &str,
        session_id: Option<&str>,
        incident_id: &str,
    ) -> Result<InvestigationCompleted, ClientError> {
        let state = InvestigationState {
            user_id: user_id.to_owned(),
            incident_id: incident_id.to_owned(),
            session_id: session_id.map(str::to_owned),
        };
        let done = shape::InvestigationComplete {
            memory: Some(self.link.require()?.to_owned()),
            session_id: self.begun.session(&state)?,
            query: Some(query.to_owned()),
            final_response: Some(final_response.to_owned()),
            agent_results: agent_results.clone(),
            ..shape::InvestigationComplete::default()
        };
        self.client.investigation_complete(incident_id, &done).await
    }

    /// Stores a turn of the conversation in full. Returns true if it is stored, or was empty.
    pub async fn capture_messages(
        &self,
        messages: &[InvestigationMessage],
        state: &InvestigationState,
    ) -> bool {
        let kept = self.try_capture_messages(messages, state).await;
        self.is_done(kept.map(|kept| kept.saved), "messages", "a turn of a conversation was not stored")
    }

    /// Stores a turn of the conversation in full, and returns the messages in the masked form for
    /// display.
    ///
    /// # Errors
    /// The errors of [`SreMemory::try_on_agent_response`].
    pub async fn try_capture_messages(
        &self,
        messages: &[InvestigationMessage],
        state: &InvestigationState,
    ) -> Result<InvestigationMessagesKept, ClientError> {
        let turn = shape::InvestigationMessages {
            memory: Some(self.link.require()?.to_owned()),
            session_id: self.begun.session(state)?,
            messages: messages.to_vec(),
            chars_max: None,
        };
        self.client.investigation_messages(&state.incident_id, &turn).await
    }

    fn is_done(&self, done: Result<bool, ClientError>, kind: &'static str, what: &str) -> bool {
        match done {
            Ok(done) => done,
            Err(error) => {
                self.link.told(&error, kind, what);
                false
            }
        }
    }

    /// Returns the result of a start whose request failed.
    fn nothing_known(&self, session_id: Option<&str>, incident_id: Option<&str>) -> InvestigationStarted {
        let failed = PARTS.map(|part| (part.to_owned(), PART_FAILED.to_owned()));
        InvestigationStarted {
            incident_id: incident_id.unwrap_or_default().to_owned(),
            session_id: session_id.unwrap_or_default().to_owned(),
            joined: false,
            visibility: None,
            context: shape::InvestigationContext {
                user_preferences: Vec::new(),
                infrastructure_by_agent: self
                    .agents
                    .iter()
                    .map(|agent| (agent.clone(), Vec::new()))
                    .collect(),
                past_investigations: Vec::new(),
            },
            recurrence: None,
            rendered: String::new(),
            budget: shape::ContextBudget {
                limit: 0,
                used: 0,
                estimator: "mixed".to_owned(),
                by_section: BTreeMap::new(),
                dropped: Vec::new(),
            },
            status: failed.into(),
            exposure_id: None,
            degraded: true,
            warnings: vec!["memory: error".to_owned()],
        }
    }
}
