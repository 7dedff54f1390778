//! Calls about profiles.

use http::Method;
use loci_api::profile::{Profile, ProfileApplied, ProfileApply, ProfileList};

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// The profiles there are.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn profile_list(&self) -> Result<ProfileList, ClientError> {
        self.get(path(&["v1", "profiles"])).await
    }

    /// A profile with its file.
    ///
    /// # Errors
    /// See [`Client::profile_list`].
    pub async fn profile_get(&self, profile: &str) -> Result<Profile, ClientError> {
        self.get(path(&["v1", "profiles", profile])).await
    }

    /// Gives a memory a profile's settings and strategies, or says what that would change.
    ///
    /// # Errors
    /// See [`Client::profile_list`].
    pub async fn profile_apply(
        &self,
        memory: &str,
        asked: &ProfileApply,
    ) -> Result<ProfileApplied, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "profile"]), asked).await
    }
}
