//! Calls about the quality of tasks: evaluations, and metrics of a repository.

use loci_api::coding::evaluation::{EvaluationAdd, EvaluationAdded, EvaluationList, EvaluationListing};
use loci_api::coding::metrics::{Metrics, MetricsAsk};
use loci_api::coding::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Stores an evaluation of a task.
    ///
    /// # Errors
    /// A [`ClientError`].
    pub async fn evaluation_add(&self, add: &EvaluationAdd) -> Result<EvaluationAdded, ClientError> {
        self.send(at(&api::EVALUATION_ADD, &[]), add).await
    }

    /// Returns a page of evaluations, the newest first.
    ///
    /// # Errors
    /// See [`Client::evaluation_add`].
    pub async fn evaluation_list(&self, listing: &EvaluationListing) -> Result<EvaluationList, ClientError> {
        self.query(at(&api::EVALUATION_LIST, &[]), listing).await
    }

    /// Returns the metrics of a repository's tasks, such as outcomes by group.
    ///
    /// # Errors
    /// See [`Client::evaluation_add`].
    pub async fn repository_metrics(
        &self,
        (owner, name): (&str, &str),
        ask: &MetricsAsk,
    ) -> Result<Metrics, ClientError> {
        self.query(at(&api::REPOSITORY_METRICS, &[owner, name]), ask).await
    }
}
