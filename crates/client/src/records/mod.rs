//! Calls about records.

mod quarantine;

use loci_api::Nothing;
use loci_api::record::feedback::{RecordFeedback, RecordFeedbackStanding};
use loci_api::record::{
    BatchOutcome, Record, RecordHistory, RecordList, RecordListing, RecordRevert, RecordsCreate,
    RecordsDelete, RecordsReverted, RecordsUpdate,
};
use loci_api::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Creates records. Each record succeeds or fails on its own.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn records_create(
        &self,
        memory: &str,
        new: &RecordsCreate,
    ) -> Result<BatchOutcome, ClientError> {
        self.send(at(&api::RECORDS_CREATE, &[memory]), new).await
    }

    /// Updates records: each gets a next version, and succeeds or fails on its own.
    ///
    /// # Errors
    /// See [`Client::records_create`].
    pub async fn records_update(
        &self,
        memory: &str,
        changes: &RecordsUpdate,
    ) -> Result<BatchOutcome, ClientError> {
        self.send(at(&api::RECORDS_UPDATE, &[memory]), changes).await
    }

    /// Deletes records. Each record succeeds or fails on its own.
    ///
    /// # Errors
    /// See [`Client::records_create`].
    pub async fn records_delete(
        &self,
        memory: &str,
        ids: &RecordsDelete,
    ) -> Result<BatchOutcome, ClientError> {
        self.send(at(&api::RECORDS_DELETE, &[memory]), ids).await
    }

    /// Returns a page of records, newest first.
    ///
    /// # Errors
    /// See [`Client::records_create`].
    pub async fn record_list(
        &self,
        memory: &str,
        listing: &RecordListing,
    ) -> Result<RecordList, ClientError> {
        self.send(at(&api::RECORD_LIST, &[memory]), listing).await
    }

    /// Returns a record.
    ///
    /// # Errors
    /// See [`Client::records_create`].
    pub async fn record_get(&self, memory: &str, record: &str) -> Result<Record, ClientError> {
        self.plain(at(&api::RECORD_GET, &[memory, record])).await
    }

    /// Deletes a record.
    ///
    /// # Errors
    /// See [`Client::records_create`].
    pub async fn record_delete(&self, memory: &str, record: &str) -> Result<Nothing, ClientError> {
        self.plain(at(&api::RECORD_DELETE, &[memory, record])).await
    }

    /// Returns all versions of a record, and its changes of state.
    ///
    /// # Errors
    /// See [`Client::records_create`].
    pub async fn record_history(&self, memory: &str, record: &str) -> Result<RecordHistory, ClientError> {
        self.plain(at(&api::RECORD_HISTORY, &[memory, record])).await
    }

    /// Rates a record as useful or wrong, and returns its ratings and state.
    ///
    /// # Errors
    /// See [`Client::records_create`].
    pub async fn record_feedback(
        &self,
        memory: &str,
        record: &str,
        feedback: &RecordFeedback,
    ) -> Result<RecordFeedbackStanding, ClientError> {
        self.send(at(&api::RECORD_FEEDBACK, &[memory, record]), feedback).await
    }

    /// Restores an earlier version of a record, or undoes the decision that led to its current
    /// state.
    ///
    /// # Errors
    /// See [`Client::records_create`].
    pub async fn record_revert(
        &self,
        memory: &str,
        record: &str,
        revert: &RecordRevert,
    ) -> Result<RecordsReverted, ClientError> {
        self.send(at(&api::RECORD_REVERT, &[memory, record]), revert).await
    }
}
