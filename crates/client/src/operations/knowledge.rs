//! Calls about the knowledge of operations agents. `memory` offers them in the form of such agents.

use loci_api::operations::knowledge::{
    SreHistory, SreHistoryAsk, SreRetrieve, SreRetrieved, SreSave, SreSaved,
};
use loci_api::operations::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Stores a preference, knowledge about a service, or an investigation.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_save(&self, memory: &str, save: &SreSave) -> Result<SreSaved, ClientError> {
        self.send(at(&api::SRE_SAVE, &[memory]), save).await
    }

    /// Searches preferences, knowledge of services, and investigations.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_retrieve(&self, memory: &str, asked: &SreRetrieve) -> Result<SreRetrieved, ClientError> {
        self.send(at(&api::SRE_RETRIEVE, &[memory]), asked).await
    }

    /// Returns every version of the knowledge of a service.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_history(&self, memory: &str, asked: &SreHistoryAsk) -> Result<SreHistory, ClientError> {
        self.query(at(&api::SRE_HISTORY, &[memory]), asked).await
    }
}
