//! Calls about what people want of the agents that work for them.

use loci_api::coding::preference::{
    PreferenceList, PreferencePut, PreferenceRemoved, PreferenceSet, UserExport, UserForgotten, UserSettings,
    UserSettingsPut,
};
use loci_api::coding::table as api;

use crate::at::at;
use crate::call::Client;
use crate::error::ClientError;

impl Client {
    /// What somebody wants.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn preferences_list(&self, user: &str) -> Result<PreferenceList, ClientError> {
        self.plain(at(&api::PREFERENCES_LIST, &[user])).await
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
        self.send(at(&api::PREFERENCE_PUT, &[user, dimension]), put).await
    }

    /// Deletes a preference.
    ///
    /// # Errors
    /// See [`Client::preferences_list`].
    pub async fn preference_remove(&self, user: &str, id: &str) -> Result<PreferenceRemoved, ClientError> {
        self.plain(at(&api::PREFERENCE_REMOVE, &[user, id])).await
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
        self.send(at(&api::USER_SETTINGS_PUT, &[user]), settings).await
    }

    /// What is kept of somebody.
    ///
    /// # Errors
    /// See [`Client::preferences_list`].
    pub async fn user_export(&self, user: &str) -> Result<UserExport, ClientError> {
        self.plain(at(&api::USER_EXPORT, &[user])).await
    }

    /// Erases somebody.
    ///
    /// # Errors
    /// See [`Client::preferences_list`].
    pub async fn user_forget(&self, user: &str) -> Result<UserForgotten, ClientError> {
        self.plain(at(&api::USER_FORGET, &[user])).await
    }
}
