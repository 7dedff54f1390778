//! Calls about runs of consolidation over trees of documents.

use loci_api::documents::consolidation::{
    ConsolidationApply, ConsolidationAsk, ConsolidationList, ConsolidationListing, ConsolidationRevert,
    ConsolidationRun, ConsolidationStart,
};
use loci_api::documents::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Plans the consolidation of a tree of documents, or applies it.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn consolidation_start(
        &self,
        memory: &str,
        start: &ConsolidationStart,
    ) -> Result<ConsolidationRun, ClientError> {
        self.send(at(&api::CONSOLIDATION_START, &[memory]), start).await
    }

    /// Returns the consolidation runs of a tree, the newest first.
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

    /// Returns a consolidation run with its changes.
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

    /// Applies the plan of a consolidation run, or some of its actions.
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

    /// Reverts the changes of a consolidation run. Returns the new run that reverts them.
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

    /// Cancels a consolidation run.
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

    /// Plans again the parts of a consolidation run whose documents changed.
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
