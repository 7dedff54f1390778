//! Calls about dead letters: writes for coding agents that the server gave up after repeated
//! failures.

use loci_api::coding::dead_letter::{DeadLetterList, DeadLetterListing, DeadLetterRetried};
use loci_api::coding::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Returns a page of dead letters, the latest first.
    ///
    /// # Errors
    /// A [`ClientError`].
    pub async fn dead_letter_list(&self, listing: &DeadLetterListing) -> Result<DeadLetterList, ClientError> {
        self.query(at(&api::DEAD_LETTER_LIST, &[]), listing).await
    }

    /// Retries the write of a dead letter now.
    ///
    /// # Errors
    /// See [`Client::dead_letter_list`].
    pub async fn dead_letter_retry(&self, letter: &str) -> Result<DeadLetterRetried, ClientError> {
        self.plain(at(&api::DEAD_LETTER_RETRY, &[letter])).await
    }
}
