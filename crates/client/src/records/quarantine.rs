//! Calls about quarantine.

use loci_api::quarantine::{Quarantine, QuarantineDecision, QuarantineList, QuarantineListing, Quarantined};
use loci_api::table as api;

use crate::at::at;
use crate::call::Client;
use crate::error::ClientError;

impl Client {
    /// Holds records back, or says which would be.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn records_quarantine(
        &self,
        memory: &str,
        asked: &Quarantine,
    ) -> Result<Quarantined, ClientError> {
        self.send(at(&api::RECORDS_QUARANTINE, &[memory]), asked).await
    }

    /// A page of records that are held, newest first.
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

    /// Makes held records active again.
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

    /// Marks held records as wrong, for good.
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
