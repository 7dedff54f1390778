//! Calls about quarantine.

use http::Method;
use loci_api::quarantine::{Quarantine, QuarantineDecision, QuarantineList, QuarantineListing, Quarantined};

use crate::call::{Client, path};
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
        self.send(Method::POST, path(&["v1", "memories", memory, "quarantine"]), asked).await
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
        self.get_query(path(&["v1", "memories", memory, "quarantine"]), listing).await
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
        self.send(Method::POST, path(&["v1", "memories", memory, "quarantine", "release"]), decision).await
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
        self.send(Method::POST, path(&["v1", "memories", memory, "quarantine", "reject"]), decision).await
    }
}
