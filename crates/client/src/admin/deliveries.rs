//! Calls about deliveries and their targets.

use http::Method;
use loci_api::delivery::{
    DeliveryList, DeliveryListing, DeliveryRetried, TargetList, TargetTest, TargetTried,
};

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// A page of a memory's deliveries, newest first.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn delivery_list(
        &self,
        memory: &str,
        listing: &DeliveryListing,
    ) -> Result<DeliveryList, ClientError> {
        self.get_query(path(&["v1", "memories", memory, "deliveries"]), listing).await
    }

    /// Tries a delivery again that waits or was given up.
    ///
    /// # Errors
    /// See [`Client::delivery_list`].
    pub async fn delivery_retry(&self, memory: &str, delivery: &str) -> Result<DeliveryRetried, ClientError> {
        self.plain(Method::POST, path(&["v1", "memories", memory, "deliveries", delivery, "retry"])).await
    }

    /// The configured targets, by name.
    ///
    /// # Errors
    /// See [`Client::delivery_list`].
    pub async fn target_list(&self) -> Result<TargetList, ClientError> {
        self.get(path(&["v1", "targets"])).await
    }

    /// Sends a test notification to a configured target.
    ///
    /// # Errors
    /// See [`Client::delivery_list`].
    pub async fn target_test(&self, target: &TargetTest) -> Result<TargetTried, ClientError> {
        self.send(Method::POST, path(&["v1", "targets:test"]), target).await
    }
}
