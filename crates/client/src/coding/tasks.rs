//! Calls about tasks of coding agents.

use http::Method;
use loci_api::coding::commit::{Blame, BlameAsk};
use loci_api::coding::hydration::{Exposure, TaskExplained, TaskHydrate, TaskHydrated};
use loci_api::coding::outcome::{Outcome, OutcomeSet};
use loci_api::coding::repository_search::{RepositoryFound, RepositorySearch};
use loci_api::coding::task::{
    Task, TaskAlertRaise, TaskAlerted, TaskCreate, TaskList, TaskListing, TaskPatch, TaskPatched, TaskTaken,
};
use serde_json::Value;

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// Takes a task in; the same one again is the one that is there.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn task_create(&self, create: &TaskCreate) -> Result<TaskTaken, ClientError> {
        self.send(Method::POST, path(&["v1", "tasks"]), create).await
    }

    /// A task.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn task_get(&self, task: &str) -> Result<Task, ClientError> {
        self.get(path(&["v1", "tasks", task])).await
    }

    /// A page of tasks, the newest first.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn task_list(&self, listing: &TaskListing) -> Result<TaskList, ClientError> {
        self.get_query(path(&["v1", "tasks"]), listing).await
    }

    /// Says something of a task, as JSON: `what` is `complete`, `finalize`, `notes` or `commits`. For those who keep what they could not
    /// say and say it later.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn task_say(&self, task: &str, what: &str, body: &Value) -> Result<Value, ClientError> {
        self.send(Method::POST, path(&["v1", "tasks", task, what]), body).await
    }

    /// What a task is shown of what is remembered.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn task_hydrate(&self, task: &str, asked: &TaskHydrate) -> Result<TaskHydrated, ClientError> {
        self.send(Method::POST, path(&["v1", "tasks", task, "hydrate"]), asked).await
    }

    /// What a task was shown, and what it says it used.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn task_explain(&self, task: &str) -> Result<TaskExplained, ClientError> {
        self.get(path(&["v1", "tasks", task, "explain"])).await
    }

    /// What is remembered of a repository, by a question and filters.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn repository_search(
        &self,
        (owner, name): (&str, &str),
        asked: &RepositorySearch,
    ) -> Result<RepositoryFound, ClientError> {
        self.send(Method::POST, path(&["v1", "repos", owner, name, "search"]), asked).await
    }

    /// What one call showed.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn exposure_get(&self, exposure: &str) -> Result<Exposure, ClientError> {
        self.get(path(&["v1", "exposures", exposure])).await
    }

    /// What a commit of a repository leads back to.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn blame(&self, (owner, name): (&str, &str), ask: &BlameAsk) -> Result<Blame, ClientError> {
        self.get_query(path(&["v1", "repos", owner, name, "blame"]), ask).await
    }

    /// Raises the security alert of a task.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn task_alert(&self, task: &str, alert: &TaskAlertRaise) -> Result<TaskAlerted, ClientError> {
        self.send(Method::POST, path(&["v1", "tasks", task, "alert"]), alert).await
    }

    /// What came of a task.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn task_outcome(&self, task: &str) -> Result<Outcome, ClientError> {
        self.get(path(&["v1", "tasks", task, "outcome"])).await
    }

    /// Sets what came of a task.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn task_outcome_set(&self, task: &str, set: &OutcomeSet) -> Result<Outcome, ClientError> {
        self.send(Method::POST, path(&["v1", "tasks", task, "outcome"]), set).await
    }

    /// Says how far a task has come.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn task_patch(&self, task: &str, patch: &TaskPatch) -> Result<TaskPatched, ClientError> {
        self.send(Method::PATCH, path(&["v1", "tasks", task]), patch).await
    }
}
