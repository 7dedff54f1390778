//! Calls about what people want of the agents that work for them.

use http::Method;
use loci_api::coding::preference::{
    PreferenceList, PreferencePut, PreferenceRemoved, PreferenceSet, UserExport, UserForgotten, UserSettings,
    UserSettingsPut,
};

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// What somebody wants.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn preferences_list(&self, user: &str) -> Result<PreferenceList, ClientError> {
        self.get(path(&["v1", "users", user, "preferences"])).await
    }

    /// Sets what somebody wants of a dimension.
    ///
    /// # Errors
    /// See [`Client::preferences_list`].
    pub async fn preference_put(
        &self,
        user: &str,
        dimension: &str,
        put: &PreferencePut,
    ) -> Result<PreferenceSet, ClientError> {
        self.send(Method::PUT, path(&["v1", "users", user, "preferences", dimension]), put).await
    }

    /// Deletes a preference.
    ///
    /// # Errors
    /// See [`Client::preferences_list`].
    pub async fn preference_remove(&self, user: &str, id: &str) -> Result<PreferenceRemoved, ClientError> {
        self.plain(Method::DELETE, path(&["v1", "users", user, "preferences", id])).await
    }

    /// Says whether conclusions may be drawn of somebody.
    ///
    /// # Errors
    /// See [`Client::preferences_list`].
    pub async fn user_settings_put(
        &self,
        user: &str,
        settings: &UserSettings,
    ) -> Result<UserSettingsPut, ClientError> {
        self.send(Method::PUT, path(&["v1", "users", user, "settings"]), settings).await
    }

    /// What is kept of somebody.
    ///
    /// # Errors
    /// See [`Client::preferences_list`].
    pub async fn user_export(&self, user: &str) -> Result<UserExport, ClientError> {
        self.get(path(&["v1", "users", user, "export"])).await
    }

    /// Erases somebody.
    ///
    /// # Errors
    /// See [`Client::preferences_list`].
    pub async fn user_forget(&self, user: &str) -> Result<UserForgotten, ClientError> {
        self.plain(Method::DELETE, path(&["v1", "users", user])).await
    }
}
