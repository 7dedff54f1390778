//! Calls about the caller's own records in operations memory.

use loci_api::operations::knowledge::SreKept;
use loci_api::operations::me as shape;
use loci_api::operations::table as api;
use loci_api::operations::transfer::SreExported;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Returns a page of the caller's own records.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn me_records(&self, asked: &shape::MeRecordsAsk) -> Result<SreExported, ClientError> {
        self.query(at(&api::ME_RECORDS, &[]), asked).await
    }

    /// Corrects a record of the caller's own.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn me_record_correct(&self, asked: &shape::MeRecordCorrect) -> Result<SreKept, ClientError> {
        self.send(at(&api::ME_RECORD_CORRECT, &[]), asked).await
    }

    /// Deletes some or all of the caller's own records.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn me_records_delete(
        &self,
        asked: &shape::MeRecordsDelete,
    ) -> Result<shape::MeRecordsDeleted, ClientError> {
        self.send(at(&api::ME_RECORDS_DELETE, &[]), asked).await
    }
}
