//! Calls about reviews: deliveries of webhooks, and reading from forges. A repository is identified
//! by owner and name.

use loci_api::coding::review::{
    Backfill, BackfillRequest, NewReview, ReviewsPolled, ReviewsPulled, ReviewsReprocess,
};
use loci_api::coding::table as coding_api;
use loci_api::hook::{HookDelivery, HookDeliveryList, HookDeliveryListing};
use loci_api::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Returns a page of webhook deliveries, newest first.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn hook_delivery_list(
        &self,
        listing: &HookDeliveryListing,
    ) -> Result<HookDeliveryList, ClientError> {
        self.query(at(&api::HOOK_DELIVERY_LIST, &[]), listing).await
    }

    /// Processes a failed delivery again.
    ///
    /// # Errors
    /// See [`Client::hook_delivery_list`].
    pub async fn hook_delivery_retry(&self, guid: &str) -> Result<HookDelivery, ClientError> {
        self.plain(at(&api::HOOK_DELIVERY_RETRY, &[guid])).await
    }

    /// Stores a review of any forge.
    ///
    /// # Errors
    /// See [`Client::hook_delivery_list`].
    pub async fn review_take(
        &self,
        (owner, name): (&str, &str),
        review: &NewReview,
    ) -> Result<ReviewsPulled, ClientError> {
        self.send(at(&coding_api::REVIEW_TAKE, &[owner, name]), review).await
    }

    /// Reads the reviews of a pull request from its forge.
    ///
    /// # Errors
    /// See [`Client::hook_delivery_list`].
    pub async fn reviews_pull(
        &self,
        (owner, name): (&str, &str),
        pr: u64,
    ) -> Result<ReviewsPulled, ClientError> {
        self.plain(at(&coding_api::REVIEWS_PULL, &[owner, name, &pr.to_string()])).await
    }

    /// Extracts rules again from the reviews of a pull request.
    ///
    /// # Errors
    /// See [`Client::hook_delivery_list`].
    pub async fn reviews_reprocess(
        &self,
        (owner, name): (&str, &str),
        pr: u64,
        which: &ReviewsReprocess,
    ) -> Result<ReviewsPulled, ClientError> {
        self.send(at(&coding_api::REVIEWS_REPROCESS, &[owner, name, &pr.to_string()]), which).await
    }

    /// Reads from the forge what changed in the pull requests of a repository since the last poll.
    ///
    /// # Errors
    /// See [`Client::hook_delivery_list`].
    pub async fn reviews_poll(&self, (owner, name): (&str, &str)) -> Result<ReviewsPolled, ClientError> {
        self.plain(at(&coding_api::REVIEWS_POLL, &[owner, name])).await
    }

    /// Starts a backfill: a background job that reads the reviews of earlier pull requests.
    ///
    /// # Errors
    /// See [`Client::hook_delivery_list`].
    pub async fn backfill(
        &self,
        (owner, name): (&str, &str),
        request: &BackfillRequest,
    ) -> Result<Backfill, ClientError> {
        self.send(at(&coding_api::BACKFILL, &[owner, name]), request).await
    }
}
