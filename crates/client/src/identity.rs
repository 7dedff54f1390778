//! Who the client is to its server.

use loci_api::identity::Identity;
use loci_api::table as api;

use crate::at::at;
use crate::call::Client;
use crate::error::ClientError;

impl Client {
    /// Who the caller is, what it may do, and the server's version.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn identity(&self) -> Result<Identity, ClientError> {
        self.plain(at(&api::IDENTITY, &[])).await
    }
}
