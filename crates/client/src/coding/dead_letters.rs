//! Calls about what a server could not write.

use loci_api::coding::dead_letter::{DeadLetterList, DeadLetterListing, DeadLetterRetried};
use loci_api::coding::table as api;

use crate::at::at;
use crate::call::Client;
use crate::error::ClientError;

impl Client {
    /// A page of what was given up, the latest first.
    ///
    /// # Errors
    /// As [`ClientError`] says.
    pub async fn dead_letter_list(&self, listing: &DeadLetterListing) -> Result<DeadLetterList, ClientError> {
        self.query(at(&api::DEAD_LETTER_LIST, &[]), listing).await
    }

    /// Tries one again now.
    ///
    /// # Errors
    /// See [`Client::dead_letter_list`].
    pub async fn dead_letter_retry(&self, letter: &str) -> Result<DeadLetterRetried, ClientError> {
        self.plain(at(&api::DEAD_LETTER_RETRY, &[letter])).await
    }
}
