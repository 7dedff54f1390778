//! Calls about what came of investigations of operations agents: told, still to be told, and counted.

use http::Method;
use loci_api::operations::investigation as shape;

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// Tells what came of an investigation.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn investigation_outcome(
        &self,
        incident: &str,
        outcome: &shape::InvestigationOutcome,
    ) -> Result<shape::InvestigationOutcomeTold, ClientError> {
        self.send(Method::POST, path(&["v1", "investigations", incident, "outcome"]), outcome).await
    }

    /// Investigations whose outcome nobody told for two weeks.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_pending_outcomes(
        &self,
        asked: &shape::PendingOutcomesAsk,
    ) -> Result<shape::PendingOutcomes, ClientError> {
        self.get_query(path(&["v1", "sre", "pending-outcomes"]), asked).await
    }

    /// Numbers over investigations.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_stats(&self, asked: &shape::SreStatsAsk) -> Result<shape::SreStats, ClientError> {
        self.get_query(path(&["v1", "sre", "stats"]), asked).await
    }
}
