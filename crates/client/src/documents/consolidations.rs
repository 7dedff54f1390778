//! Calls about runs of consolidation over trees of documents.

use loci_api::documents::consolidation::{
    ConsolidationApply, ConsolidationAsk, ConsolidationList, ConsolidationListing, ConsolidationRevert,
    ConsolidationRun, ConsolidationStart,
};
use loci_api::documents::table as api;

use crate::at::at;
use crate::call::Client;
use crate::error::ClientError;

impl Client {
    /// Plans a run over a tree, or does it.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn consolidation_start(
        &self,
        memory: &str,
        start: &ConsolidationStart,
    ) -> Result<ConsolidationRun, ClientError> {
        self.send(at(&api::CONSOLIDATION_START, &[memory]), start).await
    }

    /// Runs of a tree, the newest first.
    ///
    /// # Errors
    /// See [`Client::consolidation_start`].
    pub async fn consolidations_list(
        &self,
        memory: &str,
        listing: &ConsolidationListing,
    ) -> Result<ConsolidationList, ClientError> {
        self.query(at(&api::CONSOLIDATIONS_LIST, &[memory]), listing).await
    }

    /// A run, with what it changes.
    ///
    /// # Errors
    /// See [`Client::consolidation_start`].
    pub async fn consolidation_get(
        &self,
        memory: &str,
        run: &str,
        asked: &ConsolidationAsk,
    ) -> Result<ConsolidationRun, ClientError> {
        self.query(at(&api::CONSOLIDATION_GET, &[memory, run]), asked).await
    }

    /// Applies a plan, or some of its actions.
    ///
    /// # Errors
    /// See [`Client::consolidation_start`].
    pub async fn consolidation_apply(
        &self,
        memory: &str,
        run: &str,
        asked: &ConsolidationApply,
    ) -> Result<ConsolidationRun, ClientError> {
        self.send(at(&api::CONSOLIDATION_APPLY, &[memory, run]), asked).await
    }

    /// Puts documents back to before a run; answers the run that did.
    ///
    /// # Errors
    /// See [`Client::consolidation_start`].
    pub async fn consolidation_revert(
        &self,
        memory: &str,
        run: &str,
        asked: &ConsolidationRevert,
    ) -> Result<ConsolidationRun, ClientError> {
        self.send(at(&api::CONSOLIDATION_REVERT, &[memory, run]), asked).await
    }

    /// Calls a run off.
    ///
    /// # Errors
    /// See [`Client::consolidation_start`].
    pub async fn consolidation_cancel(
        &self,
        memory: &str,
        run: &str,
        asked: &ConsolidationAsk,
    ) -> Result<ConsolidationRun, ClientError> {
        self.send(at(&api::CONSOLIDATION_CANCEL, &[memory, run]), asked).await
    }

    /// Plans anew what changed since.
    ///
    /// # Errors
    /// See [`Client::consolidation_start`].
    pub async fn consolidation_replan(
        &self,
        memory: &str,
        run: &str,
        asked: &ConsolidationAsk,
    ) -> Result<ConsolidationRun, ClientError> {
        self.send(at(&api::CONSOLIDATION_REPLAN, &[memory, run]), asked).await
    }
}
