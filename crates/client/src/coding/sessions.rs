//! Calls about sessions of tasks, and about what something leads back to.

use loci_api::coding::attribution::{Attribution, AttributionAsk};
use loci_api::coding::table as api;
use loci_api::coding::task::session::{
    SessionAppend, SessionAppended, SessionEvents, SessionListing, SessionPromote, SessionPromoted,
    SessionState, SessionStateKept, TaskSessionEnded,
};
use serde_json::Value;

use crate::at::at;
use crate::call::Client;
use crate::error::ClientError;

impl Client {
    /// Adds to the session of a task.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn session_append(
        &self,
        task: &str,
        append: &SessionAppend,
    ) -> Result<SessionAppended, ClientError> {
        self.send(at(&api::SESSION_APPEND, &[task]), append).await
    }

    /// The same as JSON, for those who keep what they could not say and say it later.
    ///
    /// # Errors
    /// See [`Client::session_append`].
    pub async fn session_say(&self, task: &str, body: &Value) -> Result<Value, ClientError> {
        self.send(at(&api::SESSION_APPEND, &[task]).reading(), body).await
    }

    /// A page of what was said in the session of a task.
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

    /// What an agent keeps for its next run.
    ///
    /// # Errors
    /// See [`Client::session_append`].
    pub async fn session_state(&self, task: &str) -> Result<SessionState, ClientError> {
        self.plain(at(&api::SESSION_STATE, &[task])).await
    }

    /// Keeps something in the place of the state whose version it names.
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

    /// Makes learnings of chosen events.
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

    /// A page of tasks that something leads back to, the newest first.
    ///
    /// # Errors
    /// See [`Client::session_append`].
    pub async fn attribution(&self, ask: &AttributionAsk) -> Result<Attribution, ClientError> {
        self.query(at(&api::ATTRIBUTION, &[]), ask).await
    }
}
