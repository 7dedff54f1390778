//! The call that searches.

use loci_api::search::{Search, SearchAnswer};
use loci_api::table as api;

use crate::at::at;
use crate::call::Client;
use crate::error::ClientError;

impl Client {
    /// Finds records for a question.
    ///
    /// # Errors
    /// As [`ClientError`] says.
    pub async fn search(&self, question: &Search) -> Result<SearchAnswer, ClientError> {
        self.send(at(&api::SEARCH, &[]), question).await
    }
}
