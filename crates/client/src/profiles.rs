//! Calls about profiles.

use loci_api::profile::{Profile, ProfileApplied, ProfileApply, ProfileList};
use loci_api::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Returns the profiles that the server offers.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn profile_list(&self) -> Result<ProfileList, ClientError> {
        self.plain(at(&api::PROFILE_LIST, &[])).await
    }

    /// Returns a profile with the text of its file.
    ///
    /// # Errors
    /// See [`Client::profile_list`].
    pub async fn profile_get(&self, profile: &str) -> Result<Profile, ClientError> {
        self.plain(at(&api::PROFILE_GET, &[profile])).await
    }

    /// Applies the settings and strategies of a profile to a memory. On a dry run it returns only
    /// the changes.
    ///
    /// # Errors
    /// See [`Client::profile_list`].
    pub async fn profile_apply(
        &self,
        memory: &str,
        asked: &ProfileApply,
    ) -> Result<ProfileApplied, ClientError> {
        self.send(at(&api::PROFILE_APPLY, &[memory]), asked).await
    }
}
