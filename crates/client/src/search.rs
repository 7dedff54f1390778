//! The call that searches records.

use loci_api::search::{Search, SearchAnswer};
use loci_api::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Searches for the records that match a query.
    ///
    /// # Errors
    /// A [`ClientError`].
    pub async fn search(&self, question: &Search) -> Result<SearchAnswer, ClientError> {
        self.send(at(&api::SEARCH, &[]), question).await
    }
}
