//! Calls about sessions of tasks, and about attribution.

use loci_api::coding::attribution::{Attribution, AttributionAsk};
use loci_api::coding::table as api;
use loci_api::coding::task::session::{
    SessionAppend, SessionAppended, SessionEvents, SessionListing, SessionPromote, SessionPromoted,
    SessionState, SessionStateKept, TaskSessionEnded,
};
use serde_json::Value;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Adds events to the session of a task.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn session_append(
        &self,
        task: &str,
        append: &SessionAppend,
    ) -> Result<SessionAppended, ClientError> {
        self.send(at(&api::SESSION_APPEND, &[task]), append).await
    }

    /// Adds events to the session of a task. The body is JSON, for clients that store unsent events
    /// and send them later.
    ///
    /// # Errors
    /// See [`Client::session_append`].
    pub async fn session_say(&self, task: &str, body: &Value) -> Result<Value, ClientError> {
        self.send(at(&api::SESSION_APPEND, &[task]).reading(), body).await
    }

    /// Returns a page of events in the session of a task.
    ///
    /// # Errors
    /// See [`Client::session_append`].
    pub async fn session_events(
        &self,
        task: &str,
        listing: &SessionListing,
    ) -> Result<SessionEvents, ClientError> {
        self.query(at(&api::SESSION_EVENTS, &[task]), listing).await
    }

    /// Returns the state that the agent of a task stored for its next run.
    ///
    /// # Errors
    /// See [`Client::session_append`].
    pub async fn session_state(&self, task: &str) -> Result<SessionState, ClientError> {
        self.plain(at(&api::SESSION_STATE, &[task])).await
    }

    /// Replaces the stored state of a task's agent. The request names the version that it replaces.
    ///
    /// # Errors
    /// See [`Client::session_append`].
    pub async fn session_state_put(
        &self,
        task: &str,
        state: &SessionState,
    ) -> Result<SessionStateKept, ClientError> {
        self.send(at(&api::SESSION_STATE_PUT, &[task]), state).await
    }

    /// Creates learnings from selected events of a task's session.
    ///
    /// # Errors
    /// See [`Client::session_append`].
    pub async fn session_promote(
        &self,
        task: &str,
        promote: &SessionPromote,
    ) -> Result<SessionPromoted, ClientError> {
        self.send(at(&api::SESSION_PROMOTE, &[task]), promote).await
    }

    /// Ends the session of a task.
    ///
    /// # Errors
    /// See [`Client::session_append`].
    pub async fn session_end_of_task(&self, task: &str) -> Result<TaskSessionEnded, ClientError> {
        self.plain(at(&api::SESSION_END_OF_TASK, &[task])).await
    }

    /// Returns a page of the tasks behind a commit, pull request, file or other object, the newest
    /// first.
    ///
    /// # Errors
    /// See [`Client::session_append`].
    pub async fn attribution(&self, ask: &AttributionAsk) -> Result<Attribution, ClientError> {
        self.query(at(&api::ATTRIBUTION, &[]), ask).await
    }
}
