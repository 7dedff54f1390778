//! Calls about how well tasks went: evaluations, and measures of a repository.

use http::Method;
use loci_api::coding::evaluation::{EvaluationAdd, EvaluationAdded, EvaluationList, EvaluationListing};
use loci_api::coding::metrics::{Metrics, MetricsAsk};

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// Stores an evaluation of a task.
    ///
    /// # Errors
    /// As [`ClientError`] says.
    pub async fn evaluation_add(&self, add: &EvaluationAdd) -> Result<EvaluationAdded, ClientError> {
        self.send(Method::POST, path(&["v1", "evaluations"]), add).await
    }

    /// A page of evaluations, the newest first.
    ///
    /// # Errors
    /// See [`Client::evaluation_add`].
    pub async fn evaluation_list(&self, listing: &EvaluationListing) -> Result<EvaluationList, ClientError> {
        self.get_query(path(&["v1", "evaluations"]), listing).await
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
        self.get_query(path(&["v1", "repos", owner, name, "metrics"]), ask).await
    }
}
