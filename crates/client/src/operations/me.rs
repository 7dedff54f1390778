//! Calls about the caller's own records in the memory of operations agents.

use http::Method;
use loci_api::operations::knowledge::SreKept;
use loci_api::operations::me as shape;
use loci_api::operations::transfer::SreExported;

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// A page of the caller's own records.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn me_records(&self, asked: &shape::MeRecordsAsk) -> Result<SreExported, ClientError> {
        self.get_query(path(&["v1", "me", "records"]), asked).await
    }

    /// Says what is right, of a record of the caller's own.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn me_record_correct(&self, asked: &shape::MeRecordCorrect) -> Result<SreKept, ClientError> {
        self.send(Method::PATCH, path(&["v1", "me", "records"]), asked).await
    }

    /// Deletes records of the caller's own, or all of them.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn me_records_delete(
        &self,
        asked: &shape::MeRecordsDelete,
    ) -> Result<shape::MeRecordsDeleted, ClientError> {
        self.send(Method::DELETE, path(&["v1", "me", "records"]), asked).await
    }
}
