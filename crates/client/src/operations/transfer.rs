//! Calls that bring records of operations memory out and in again.

use http::Method;
use loci_api::operations::transfer as shape;

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// A page of lines of a type.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_export(
        &self,
        memory: &str,
        asked: &shape::SreExportAsk,
    ) -> Result<shape::SreExported, ClientError> {
        self.get_query(path(&["v1", "memories", memory, "sre", "export"]), asked).await
    }

    /// Writes lines, or says what is wrong with them.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_import(
        &self,
        memory: &str,
        import: &shape::SreImport,
    ) -> Result<shape::SreImported, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "sre", "import"]), import).await
    }
}
