//! Calls about what a server could not write.

use http::Method;
use loci_api::coding::dead_letter::{DeadLetterList, DeadLetterListing, DeadLetterRetried};

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// A page of what was given up, the latest first.
    ///
    /// # Errors
    /// As [`ClientError`] says.
    pub async fn dead_letter_list(&self, listing: &DeadLetterListing) -> Result<DeadLetterList, ClientError> {
        self.get_query(path(&["v1", "dead-letters"]), listing).await
    }

    /// Tries one again now.
    ///
    /// # Errors
    /// See [`Client::dead_letter_list`].
    pub async fn dead_letter_retry(&self, letter: &str) -> Result<DeadLetterRetried, ClientError> {
        self.plain(Method::POST, path(&["v1", "dead-letters", letter, "retry"])).await
    }
}
