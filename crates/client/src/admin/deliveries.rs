//! Calls about deliveries and the targets that receive them.

use loci_api::delivery::{
    DeliveryList, DeliveryListing, DeliveryRetried, TargetList, TargetTest, TargetTried,
};
use loci_api::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Returns a page of a memory's deliveries, newest first.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn delivery_list(
        &self,
        memory: &str,
        listing: &DeliveryListing,
    ) -> Result<DeliveryList, ClientError> {
        self.query(at(&api::DELIVERY_LIST, &[memory]), listing).await
    }

    /// Retries a delivery that is waiting or has failed permanently.
    ///
    /// # Errors
    /// See [`Client::delivery_list`].
    pub async fn delivery_retry(&self, memory: &str, delivery: &str) -> Result<DeliveryRetried, ClientError> {
        self.plain(at(&api::DELIVERY_RETRY, &[memory, delivery])).await
    }

    /// Returns the configured targets of deliveries, sorted by name.
    ///
    /// # Errors
    /// See [`Client::delivery_list`].
    pub async fn target_list(&self) -> Result<TargetList, ClientError> {
        self.plain(at(&api::TARGET_LIST, &[])).await
    }

    /// Sends a test notification to a target and returns the result.
    ///
    /// # Errors
    /// See [`Client::delivery_list`].
    pub async fn target_test(&self, target: &TargetTest) -> Result<TargetTried, ClientError> {
        self.send(at(&api::TARGET_TEST, &[]), target).await
    }
}
