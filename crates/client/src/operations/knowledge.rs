//! Calls about what operations agents remember. `memory` has them as such agents make them.

use loci_api::operations::knowledge::{
    SreHistory, SreHistoryAsk, SreRetrieve, SreRetrieved, SreSave, SreSaved,
};
use loci_api::operations::table as api;

use crate::at::at;
use crate::call::Client;
use crate::error::ClientError;

impl Client {
    /// Remembers a preference, what is known of a service, or an investigation.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_save(&self, memory: &str, save: &SreSave) -> Result<SreSaved, ClientError> {
        self.send(at(&api::SRE_SAVE, &[memory]), save).await
    }

    /// Asks for preferences, what is known of services, and investigations.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_retrieve(&self, memory: &str, asked: &SreRetrieve) -> Result<SreRetrieved, ClientError> {
        self.send(at(&api::SRE_RETRIEVE, &[memory]), asked).await
    }

    /// Lists every version of what is known of a service.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_history(&self, memory: &str, asked: &SreHistoryAsk) -> Result<SreHistory, ClientError> {
        self.query(at(&api::SRE_HISTORY, &[memory]), asked).await
    }
}
