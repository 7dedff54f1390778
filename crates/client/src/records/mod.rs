//! Calls about records.

mod quarantine;

use loci_api::Nothing;
use loci_api::record::feedback::{RecordFeedback, RecordFeedbackStanding};
use loci_api::record::{
    BatchOutcome, Record, RecordHistory, RecordList, RecordListing, RecordRevert, RecordsCreate,
    RecordsDelete, RecordsReverted, RecordsUpdate,
};
use loci_api::table as api;

use crate::at::at;
use crate::call::Client;
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
        self.send(at(&api::RECORDS_CREATE, &[memory]), new).await
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
        self.send(at(&api::RECORDS_UPDATE, &[memory]), changes).await
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
        self.send(at(&api::RECORDS_DELETE, &[memory]), ids).await
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
        self.send(at(&api::RECORD_LIST, &[memory]), listing).await
    }

    /// A record.
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

    /// All versions of a record, and its changes of state.
    ///
    /// # Errors
    /// See [`Client::records_create`].
    pub async fn record_history(&self, memory: &str, record: &str) -> Result<RecordHistory, ClientError> {
        self.plain(at(&api::RECORD_HISTORY, &[memory, record])).await
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
        self.send(at(&api::RECORD_FEEDBACK, &[memory, record]), feedback).await
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
        self.send(at(&api::RECORD_REVERT, &[memory, record]), revert).await
    }
}
