//! Calls about sessions of tasks, and about what something leads back to.

use http::Method;
use loci_api::coding::attribution::{Attribution, AttributionAsk};
use loci_api::coding::task::session::{
    SessionAppend, SessionAppended, SessionEvents, SessionListing, SessionPromote, SessionPromoted,
    SessionState, SessionStateKept, TaskSessionEnded,
};
use serde_json::Value;

use crate::call::{Client, path};
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
        self.send(Method::POST, path(&["v1", "sessions", task, "events"]), append).await
    }

    /// The same as JSON, for those who keep what they could not say and say it later.
    ///
    /// # Errors
    /// See [`Client::session_append`].
    pub async fn session_say(&self, task: &str, body: &Value) -> Result<Value, ClientError> {
        self.send(Method::POST, path(&["v1", "sessions", task, "events"]), body).await
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
        self.get_query(path(&["v1", "sessions", task, "events"]), listing).await
    }

    /// What an agent keeps for its next run.
    ///
    /// # Errors
    /// See [`Client::session_append`].
    pub async fn session_state(&self, task: &str) -> Result<SessionState, ClientError> {
        self.get(path(&["v1", "sessions", task, "state"])).await
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
        self.send(Method::PUT, path(&["v1", "sessions", task, "state"]), state).await
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
        self.send(Method::POST, path(&["v1", "sessions", task, "promote"]), promote).await
    }

    /// Ends the session of a task.
    ///
    /// # Errors
    /// See [`Client::session_append`].
    pub async fn session_end_of_task(&self, task: &str) -> Result<TaskSessionEnded, ClientError> {
        self.plain(Method::POST, path(&["v1", "sessions", task, "end"])).await
    }

    /// A page of tasks that something leads back to, the newest first.
    ///
    /// # Errors
    /// See [`Client::session_append`].
    pub async fn attribution(&self, ask: &AttributionAsk) -> Result<Attribution, ClientError> {
        self.get_query(path(&["v1", "attribution"]), ask).await
    }
}
