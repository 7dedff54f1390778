//! Calls about the outcomes of investigations of operations agents: reporting, listing pending
//! ones, statistics.

use loci_api::operations::investigation as shape;
use loci_api::operations::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Reports the outcome of an investigation.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn investigation_outcome(
        &self,
        incident: &str,
        outcome: &shape::InvestigationOutcome,
    ) -> Result<shape::InvestigationOutcomeTold, ClientError> {
        self.send(at(&api::INVESTIGATION_OUTCOME, &[incident]), outcome).await
    }

    /// Returns the investigations that have had no reported outcome for two weeks.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_pending_outcomes(
        &self,
        asked: &shape::PendingOutcomesAsk,
    ) -> Result<shape::PendingOutcomes, ClientError> {
        self.query(at(&api::SRE_PENDING_OUTCOMES, &[]), asked).await
    }

    /// Returns statistics of investigations.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_stats(&self, asked: &shape::SreStatsAsk) -> Result<shape::SreStats, ClientError> {
        self.query(at(&api::SRE_STATS, &[]), asked).await
    }
}
