//! Calls about quarantined records.

use loci_api::quarantine::{Quarantine, QuarantineDecision, QuarantineList, QuarantineListing, Quarantined};
use loci_api::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Quarantines records. On a dry run it only returns the records that would be quarantined.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn records_quarantine(
        &self,
        memory: &str,
        asked: &Quarantine,
    ) -> Result<Quarantined, ClientError> {
        self.send(at(&api::RECORDS_QUARANTINE, &[memory]), asked).await
    }

    /// Returns a page of quarantined records, newest first.
    ///
    /// # Errors
    /// See [`Client::records_quarantine`].
    pub async fn quarantine_list(
        &self,
        memory: &str,
        listing: &QuarantineListing,
    ) -> Result<QuarantineList, ClientError> {
        self.query(at(&api::QUARANTINE_LIST, &[memory]), listing).await
    }

    /// Makes quarantined records active again.
    ///
    /// # Errors
    /// See [`Client::records_quarantine`].
    pub async fn quarantine_release(
        &self,
        memory: &str,
        decision: &QuarantineDecision,
    ) -> Result<Quarantined, ClientError> {
        self.send(at(&api::QUARANTINE_RELEASE, &[memory]), decision).await
    }

    /// Rejects quarantined records as wrong, permanently.
    ///
    /// # Errors
    /// See [`Client::records_quarantine`].
    pub async fn quarantine_reject(
        &self,
        memory: &str,
        decision: &QuarantineDecision,
    ) -> Result<Quarantined, ClientError> {
        self.send(at(&api::QUARANTINE_REJECT, &[memory]), decision).await
    }
}
