//! Calls of operations agents.

use http::Method;
use loci_api::sre::{SreSave, SreSaved};

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
}
