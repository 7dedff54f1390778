//! Calls that export and import records of operations memory.

use loci_api::operations::table as api;
use loci_api::operations::transfer as shape;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Returns a page of records of one type, as lines of an export.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_export(
        &self,
        memory: &str,
        asked: &shape::SreExportAsk,
    ) -> Result<shape::SreExported, ClientError> {
        self.query(at(&api::SRE_EXPORT, &[memory]), asked).await
    }

    /// Imports lines of an export. On a dry run it only returns the errors.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_import(
        &self,
        memory: &str,
        import: &shape::SreImport,
    ) -> Result<shape::SreImported, ClientError> {
        self.send(at(&api::SRE_IMPORT, &[memory]), import).await
    }
}
