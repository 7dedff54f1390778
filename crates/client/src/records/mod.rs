//! Calls about records.

mod quarantine;

use http::Method;
use loci_api::Nothing;
use loci_api::record::feedback::{RecordFeedback, RecordFeedbackStanding};
use loci_api::record::{
    BatchOutcome, Record, RecordHistory, RecordList, RecordListing, RecordRevert, RecordsCreate,
    RecordsDelete, RecordsReverted, RecordsUpdate,
};

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// Makes records; each succeeds or fails alone.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn records_create(
        &self,
        memory: &str,
        new: &RecordsCreate,
    ) -> Result<BatchOutcome, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "records"]), new).await
    }

    /// Changes records: the next version of each.
    ///
    /// # Errors
    /// See [`Client::records_create`].
    pub async fn records_update(
        &self,
        memory: &str,
        changes: &RecordsUpdate,
    ) -> Result<BatchOutcome, ClientError> {
        self.send(Method::PATCH, path(&["v1", "memories", memory, "records"]), changes).await
    }

    /// Deletes records; each succeeds or fails alone.
    ///
    /// # Errors
    /// See [`Client::records_create`].
    pub async fn records_delete(
        &self,
        memory: &str,
        ids: &RecordsDelete,
    ) -> Result<BatchOutcome, ClientError> {
        self.send(Method::DELETE, path(&["v1", "memories", memory, "records"]), ids).await
    }

    /// A page of records, newest first.
    ///
    /// # Errors
    /// See [`Client::records_create`].
    pub async fn record_list(
        &self,
        memory: &str,
        listing: &RecordListing,
    ) -> Result<RecordList, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "records:list"]), listing).await
    }

    /// A record.
    ///
    /// # Errors
    /// See [`Client::records_create`].
    pub async fn record_get(&self, memory: &str, record: &str) -> Result<Record, ClientError> {
        self.get(path(&["v1", "memories", memory, "records", record])).await
    }

    /// Deletes a record.
    ///
    /// # Errors
    /// See [`Client::records_create`].
    pub async fn record_delete(&self, memory: &str, record: &str) -> Result<Nothing, ClientError> {
        self.plain(Method::DELETE, path(&["v1", "memories", memory, "records", record])).await
    }

    /// All versions of a record, and its changes of state.
    ///
    /// # Errors
    /// See [`Client::records_create`].
    pub async fn record_history(&self, memory: &str, record: &str) -> Result<RecordHistory, ClientError> {
        self.get(path(&["v1", "memories", memory, "records", record, "history"])).await
    }

    /// Says that a record is useful, or wrong; where it stands now.
    ///
    /// # Errors
    /// See [`Client::records_create`].
    pub async fn record_feedback(
        &self,
        memory: &str,
        record: &str,
        feedback: &RecordFeedback,
    ) -> Result<RecordFeedbackStanding, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "records", record, "feedback"]), feedback)
            .await
    }

    /// Goes back to an earlier version of a record, or undoes the decision it stands in.
    ///
    /// # Errors
    /// See [`Client::records_create`].
    pub async fn record_revert(
        &self,
        memory: &str,
        record: &str,
        revert: &RecordRevert,
    ) -> Result<RecordsReverted, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "records", record, "revert"]), revert).await
    }
}
