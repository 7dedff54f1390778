//! Calls about preferences of users of operations agents.

use loci_api::operations::knowledge::SreKept;
use loci_api::operations::preference as shape;
use loci_api::operations::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Returns the preferences of all users that the caller may read, those that wait for a
    /// decision first.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_preferences_list(
        &self,
        memory: &str,
        listing: &shape::SrePreferencesListing,
    ) -> Result<shape::SrePreferenceList, ClientError> {
        self.query(at(&api::SRE_PREFERENCES_LIST, &[memory]), listing).await
    }

    /// Returns all preferences of a user.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_preferences(
        &self,
        memory: &str,
        user: &str,
    ) -> Result<shape::SreUserPreferences, ClientError> {
        self.plain(at(&api::SRE_PREFERENCES, &[memory, user])).await
    }

    /// Returns the history of a user's preferences.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_preference_history(
        &self,
        memory: &str,
        user: &str,
        which: &shape::SrePreferenceHistoryQuery,
    ) -> Result<shape::SrePreferenceHistory, ClientError> {
        self.query(at(&api::SRE_PREFERENCE_HISTORY, &[memory, user]), which).await
    }

    /// Confirms a pending preference.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_preference_confirm(
        &self,
        preference: &str,
        decision: &shape::SrePreferenceDecision,
    ) -> Result<SreKept, ClientError> {
        self.send(at(&api::SRE_PREFERENCE_CONFIRM, &[preference]), decision).await
    }

    /// Rejects a pending preference.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_preference_reject(
        &self,
        preference: &str,
        decision: &shape::SrePreferenceDecision,
    ) -> Result<SreKept, ClientError> {
        self.send(at(&api::SRE_PREFERENCE_REJECT, &[preference]), decision).await
    }

    /// Changes the preferences of users to those that a file declares.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_preferences_apply(
        &self,
        memory: &str,
        apply: &shape::SrePreferencesApply,
    ) -> Result<shape::SrePreferencesApplied, ClientError> {
        self.send(at(&api::SRE_PREFERENCES_APPLY, &[memory]), apply).await
    }
}
