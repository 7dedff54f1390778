//! Calls about reviews: what hooks brought in, and reading them from forges. A repository is its owner and its name.

use http::Method;
use loci_api::coding::review::{
    Backfill, BackfillRequest, NewReview, ReviewsPolled, ReviewsPulled, ReviewsReprocess,
};
use loci_api::hook::{HookDelivery, HookDeliveryList, HookDeliveryListing};

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// A page of what hooks brought in, newest first.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn hook_delivery_list(
        &self,
        listing: &HookDeliveryListing,
    ) -> Result<HookDeliveryList, ClientError> {
        self.get_query(path(&["v1", "hooks", "deliveries"]), listing).await
    }

    /// Deals again with a delivery that failed.
    ///
    /// # Errors
    /// See [`Client::hook_delivery_list`].
    pub async fn hook_delivery_retry(&self, guid: &str) -> Result<HookDelivery, ClientError> {
        self.plain(Method::POST, path(&["v1", "hooks", "deliveries", guid, "retry"])).await
    }

    /// Takes a review, as any forge could tell it.
    ///
    /// # Errors
    /// See [`Client::hook_delivery_list`].
    pub async fn review_take(
        &self,
        repo: (&str, &str),
        review: &NewReview,
    ) -> Result<ReviewsPulled, ClientError> {
        self.send(Method::POST, of(repo, &["reviews"]), review).await
    }

    /// Reads the reviews of a pull request from its forge.
    ///
    /// # Errors
    /// See [`Client::hook_delivery_list`].
    pub async fn reviews_pull(&self, repo: (&str, &str), pr: u64) -> Result<ReviewsPulled, ClientError> {
        self.plain(Method::POST, of(repo, &["reviews", &pr.to_string(), "pull"])).await
    }

    /// Learns again from reviews of a pull request.
    ///
    /// # Errors
    /// See [`Client::hook_delivery_list`].
    pub async fn reviews_reprocess(
        &self,
        repo: (&str, &str),
        pr: u64,
        which: &ReviewsReprocess,
    ) -> Result<ReviewsPulled, ClientError> {
        self.send(Method::POST, of(repo, &["reviews", &pr.to_string(), "reprocess"]), which).await
    }

    /// Reads what has changed in a repository's pull requests.
    ///
    /// # Errors
    /// See [`Client::hook_delivery_list`].
    pub async fn reviews_poll(&self, repo: (&str, &str)) -> Result<ReviewsPolled, ClientError> {
        self.plain(Method::POST, of(repo, &["reviews", "poll"])).await
    }

    /// Reads reviews from the past.
    ///
    /// # Errors
    /// See [`Client::hook_delivery_list`].
    pub async fn backfill(
        &self,
        repo: (&str, &str),
        request: &BackfillRequest,
    ) -> Result<Backfill, ClientError> {
        self.send(Method::POST, of(repo, &["backfill"]), request).await
    }
}

fn of((owner, name): (&str, &str), rest: &[&str]) -> String {
    path(&[&["v1", "repos", owner, name], rest].concat())
}
