//! Calls about tasks of coding agents.

use loci_api::coding::commit::{Blame, BlameAsk};
use loci_api::coding::hydration::{Exposure, TaskExplained, TaskHydrate, TaskHydrated};
use loci_api::coding::outcome::{Outcome, OutcomeSet};
use loci_api::coding::repository_search::{RepositoryFound, RepositorySearch};
use loci_api::coding::table as api;
use loci_api::coding::task::{
    Task, TaskAlertRaise, TaskAlerted, TaskCreate, TaskList, TaskListing, TaskPatch, TaskPatched, TaskTaken,
};
use serde_json::Value;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Creates a task. If the same request was sent before, returns the task that it created.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn task_create(&self, create: &TaskCreate) -> Result<TaskTaken, ClientError> {
        self.send(at(&api::TASK_CREATE, &[]), create).await
    }

    /// Returns a task.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn task_get(&self, task: &str) -> Result<Task, ClientError> {
        self.plain(at(&api::TASK_GET, &[task])).await
    }

    /// Returns a page of tasks, the newest first.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn task_list(&self, listing: &TaskListing) -> Result<TaskList, ClientError> {
        self.query(at(&api::TASK_LIST, &[]), listing).await
    }

    /// Sends a report about a task. The body is JSON, for clients that store unsent reports and
    /// send them later. `what` is `complete`, `finalize`, `notes`, `commits`, `feedback`, `episode`
    /// or `learnings`.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn task_say(&self, task: &str, what: &str, body: &Value) -> Result<Value, ClientError> {
        let at = match what {
            "complete" => at(&api::TASK_COMPLETE, &[task]).reading(),
            "finalize" => at(&api::TASK_FINALIZE, &[task]).reading(),
            "notes" => at(&api::TASK_NOTE, &[task]).reading(),
            "commits" => at(&api::TASK_COMMITS, &[task]).reading(),
            "feedback" => at(&api::TASK_FEEDBACK, &[task]).reading(),
            "episode" => at(&api::TASK_EPISODE, &[task]).reading(),
            "learnings" => at(&api::TASK_LEARNINGS, &[task]).reading(),
            other => return Err(ClientError::Request(format!("a task is told nothing as {other}"))),
        };
        self.send(at, body).await
    }

    /// Chooses the memories for a task's prompt, and returns them.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn task_hydrate(&self, task: &str, asked: &TaskHydrate) -> Result<TaskHydrated, ClientError> {
        self.send(at(&api::TASK_HYDRATE, &[task]), asked).await
    }

    /// Returns the memories that a task received with the reasons, and those that its agent
    /// reported as used.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn task_explain(&self, task: &str) -> Result<TaskExplained, ClientError> {
        self.plain(at(&api::TASK_EXPLAIN, &[task])).await
    }

    /// Searches the memories of a repository, by a query and filters.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn repository_search(
        &self,
        (owner, name): (&str, &str),
        asked: &RepositorySearch,
    ) -> Result<RepositoryFound, ClientError> {
        self.send(at(&api::REPOSITORY_SEARCH, &[owner, name]), asked).await
    }

    /// Returns the memories that one hydration or search returned to a task.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn exposure_get(&self, exposure: &str) -> Result<Exposure, ClientError> {
        self.plain(at(&api::EXPOSURE_GET, &[exposure])).await
    }

    /// Returns the tasks behind a commit of a repository.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn blame(&self, (owner, name): (&str, &str), ask: &BlameAsk) -> Result<Blame, ClientError> {
        self.query(at(&api::BLAME, &[owner, name]), ask).await
    }

    /// Raises a security alert about a task.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn task_alert(&self, task: &str, alert: &TaskAlertRaise) -> Result<TaskAlerted, ClientError> {
        self.send(at(&api::TASK_ALERT, &[task]), alert).await
    }

    /// Returns the outcome of a task.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn task_outcome(&self, task: &str) -> Result<Outcome, ClientError> {
        self.plain(at(&api::TASK_OUTCOME, &[task])).await
    }

    /// Sets the outcome of a task.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn task_outcome_set(&self, task: &str, set: &OutcomeSet) -> Result<Outcome, ClientError> {
        self.send(at(&api::TASK_OUTCOME_SET, &[task]), set).await
    }

    /// Reports the progress of a task.
    ///
    /// # Errors
    /// See [`Client::task_create`].
    pub async fn task_patch(&self, task: &str, patch: &TaskPatch) -> Result<TaskPatched, ClientError> {
        self.send(at(&api::TASK_PATCH, &[task]), patch).await
    }
}
