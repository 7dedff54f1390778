//! The call that searches.

use http::Method;
use loci_api::search::{Search, SearchAnswer};

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// Finds records for a question.
    ///
    /// # Errors
    /// As [`ClientError`] says.
    pub async fn search(&self, question: &Search) -> Result<SearchAnswer, ClientError> {
        self.send(Method::POST, path(&["v1", "search"]), question).await
    }
}
