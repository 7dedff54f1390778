//! Calls about how well tasks went: evaluations, and measures of a repository.

use loci_api::coding::evaluation::{EvaluationAdd, EvaluationAdded, EvaluationList, EvaluationListing};
use loci_api::coding::metrics::{Metrics, MetricsAsk};
use loci_api::coding::table as api;

use crate::at::at;
use crate::call::Client;
use crate::error::ClientError;

impl Client {
    /// Stores an evaluation of a task.
    ///
    /// # Errors
    /// As [`ClientError`] says.
    pub async fn evaluation_add(&self, add: &EvaluationAdd) -> Result<EvaluationAdded, ClientError> {
        self.send(at(&api::EVALUATION_ADD, &[]), add).await
    }

    /// A page of evaluations, the newest first.
    ///
    /// # Errors
    /// See [`Client::evaluation_add`].
    pub async fn evaluation_list(&self, listing: &EvaluationListing) -> Result<EvaluationList, ClientError> {
        self.query(at(&api::EVALUATION_LIST, &[]), listing).await
    }

    /// How well the tasks of a repository went.
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
