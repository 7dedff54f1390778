//! Calls about what operations agents remember. `memory` has them as such agents make them.

use http::Method;
use loci_api::operations::knowledge::{
    SreHistory, SreHistoryAsk, SreRetrieve, SreRetrieved, SreSave, SreSaved,
};

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// Remembers a preference, what is known of a service, or an investigation.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_save(&self, memory: &str, save: &SreSave) -> Result<SreSaved, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "save"]), save).await
    }

    /// Asks for preferences, what is known of services, and investigations.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_retrieve(&self, memory: &str, asked: &SreRetrieve) -> Result<SreRetrieved, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "retrieve"]), asked).await
    }

    /// Lists every version of what is known of a service.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_history(&self, memory: &str, asked: &SreHistoryAsk) -> Result<SreHistory, ClientError> {
        self.get_query(path(&["v1", "memories", memory, "history"]), asked).await
    }
}
