//! Calls about preferences of users of operations agents.

use http::Method;
use loci_api::operations::knowledge::SreKept;
use loci_api::operations::preference as shape;

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// Preferences of everybody whose they are the caller's to read, those that wait first.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_preferences_list(
        &self,
        memory: &str,
        listing: &shape::SrePreferencesListing,
    ) -> Result<shape::SrePreferenceList, ClientError> {
        self.get_query(path(&["v1", "memories", memory, "preferences"]), listing).await
    }

    /// Everything that somebody wants.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_preferences(
        &self,
        memory: &str,
        user: &str,
    ) -> Result<shape::SreUserPreferences, ClientError> {
        self.get(path(&["v1", "memories", memory, "preferences", user])).await
    }

    /// Everything that was said of somebody's preferences.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_preference_history(
        &self,
        memory: &str,
        user: &str,
        which: &shape::SrePreferenceHistoryQuery,
    ) -> Result<shape::SrePreferenceHistory, ClientError> {
        let place = path(&["v1", "memories", memory, "preferences", user, "history"]);
        self.get_query(place, which).await
    }

    /// Puts a preference that waits in force.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_preference_confirm(
        &self,
        preference: &str,
        decision: &shape::SrePreferenceDecision,
    ) -> Result<SreKept, ClientError> {
        self.send(Method::POST, path(&["v1", "preferences", preference, "confirm"]), decision).await
    }

    /// Puts a preference that waits away.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_preference_reject(
        &self,
        preference: &str,
        decision: &shape::SrePreferenceDecision,
    ) -> Result<SreKept, ClientError> {
        self.send(Method::POST, path(&["v1", "preferences", preference, "reject"]), decision).await
    }

    /// Makes preferences what a file declares.
    ///
    /// # Errors
    /// See [`Client::memory_create`].
    pub async fn sre_preferences_apply(
        &self,
        memory: &str,
        apply: &shape::SrePreferencesApply,
    ) -> Result<shape::SrePreferencesApplied, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "preferences:apply"]), apply).await
    }
}
