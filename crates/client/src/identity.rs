//! The client's identity on its server.

use loci_api::identity::Identity;
use loci_api::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Returns the caller's identity and rights, and the server's version.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn identity(&self) -> Result<Identity, ClientError> {
        self.plain(at(&api::IDENTITY, &[])).await
    }
}
