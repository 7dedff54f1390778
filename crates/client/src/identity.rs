//! The call that returns the caller's identity as the server sees it.

use loci_api::identity::Identity;
use loci_api::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Returns the identity and the rights of the caller, and the version of the server.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn identity(&self) -> Result<Identity, ClientError> {
        self.plain(at(&api::IDENTITY, &[])).await
    }
}
