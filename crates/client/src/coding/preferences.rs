//! Calls about the preferences of users for their agents.

use loci_api::coding::preference::{
    PreferenceList, PreferencePut, PreferenceRemoved, PreferenceSet, UserExport, UserForgotten, UserSettings,
    UserSettingsPut,
};
use loci_api::coding::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Returns the preferences of a user.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn preferences_list(&self, user: &str) -> Result<PreferenceList, ClientError> {
        self.plain(at(&api::PREFERENCES_LIST, &[user])).await
    }

    /// Sets a user's preference for a dimension.
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

    /// Changes the settings of a user, such as the permission to infer preferences.
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

    /// Exports the data of a user.
    ///
    /// # Errors
    /// See [`Client::preferences_list`].
    pub async fn user_export(&self, user: &str) -> Result<UserExport, ClientError> {
        self.plain(at(&api::USER_EXPORT, &[user])).await
    }

    /// Erases the data of a user.
    ///
    /// # Errors
    /// See [`Client::preferences_list`].
    pub async fn user_forget(&self, user: &str) -> Result<UserForgotten, ClientError> {
        self.plain(at(&api::USER_FORGET, &[user])).await
    }
}
