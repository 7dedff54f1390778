//! Calls about runs of consolidation over trees of documents.

use http::Method;
use loci_api::documents::consolidation::{
    ConsolidationApply, ConsolidationAsk, ConsolidationList, ConsolidationListing, ConsolidationRevert,
    ConsolidationRun, ConsolidationStart,
};

use crate::call::{Client, path};
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
        self.send(Method::POST, path(&["v1", "memories", memory, "consolidations"]), start).await
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
        self.get_query(path(&["v1", "memories", memory, "consolidations"]), listing).await
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
        self.get_query(path(&["v1", "memories", memory, "consolidations", run]), asked).await
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
        self.send(Method::POST, verb(memory, run, "apply"), asked).await
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
        self.send(Method::POST, verb(memory, run, "revert"), asked).await
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
        self.send(Method::POST, verb(memory, run, "cancel"), asked).await
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
        self.send(Method::POST, verb(memory, run, "replan"), asked).await
    }
}

fn verb(memory: &str, run: &str, verb: &str) -> String {
    path(&["v1", "memories", memory, "consolidations", run, verb])
}
