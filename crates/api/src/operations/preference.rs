//! Preferences of users of operations agents: shown, decided on, and declared by a file.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Which preferences.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SrePreferencesListing {
    /// `pending_confirmation`: those alone that wait for a person; absent: all, those first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// One preference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SrePreference {
    /// The id.
    pub preference_id: String,
    /// Whose.
    pub user_id: String,
    /// `escalation`, `notification`, `workflow`, `style`, `general` or another word.
    pub preference_type: String,
    /// The member of what is wanted; for a sentence `statement:` and what tells it from others.
    pub key: String,
    /// What is wanted.
    #[schema(value_type = Object)]
    pub value: serde_json::Value,
    /// `human`, `declared`, `webhook`, `agent`, `extracted` or `imported`.
    pub source: String,
    /// `active`, `conflict` or `pending_confirmation`; in a history also `superseded`, `rejected`, `expired`, `quarantined`.
    pub state: String,
    /// When it was said.
    pub timestamp: String,
    /// Where it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// When it vanishes; absent: not by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Until when it was in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<String>,
    /// The preference that took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
}

/// Preferences, those that wait for a person first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SrePreferenceList {
    /// At most 1,000.
    pub preferences: Vec<SrePreference>,
    /// What was left out.
    pub warnings: Vec<String>,
}

/// What somebody wants of one type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SrePreferencesOfType {
    /// The type.
    pub preference_type: String,
    /// What is in force, by key.
    #[schema(value_type = Object)]
    pub preference_value: serde_json::Map<String, serde_json::Value>,
    /// Everything that is said, by key.
    pub entries: Vec<SrePreference>,
}

/// What some preferences mean at the time of the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreEffective {
    /// It is within `quiet_hours`, in the user's time zone.
    pub quiet_now: bool,
    /// What is wanted of severities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub severity_filter: Option<serde_json::Value>,
    /// The user's, else the memory's.
    pub timezone: String,
}

/// Everything that somebody wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreUserPreferences {
    /// Whose.
    pub user_id: String,
    /// By type.
    pub preferences: Vec<SrePreferencesOfType>,
    /// What it means now.
    pub effective: SreEffective,
    /// What is set and cannot be read.
    pub warnings: Vec<String>,
}

/// Which key.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SrePreferenceHistoryQuery {
    /// The type; absent: every one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preference_type: Option<String>,
    /// The key; absent: every one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Everything that was said, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SrePreferenceHistory {
    /// Each with its state.
    pub preferences: Vec<SrePreference>,
}

/// Where a preference is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SrePreferenceDecision {
    /// The memory, by id or name.
    pub memory: String,
}

/// What a file declares. Either `users` or `text` is given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SrePreferencesApply {
    /// By user: `{"Alice": {"preferences": [{"preference_type", "preference_value", "context"}]}}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub users: Option<serde_json::Value>,
    /// The same as YAML, with `users` at its top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Only say what would change.
    #[serde(default)]
    pub dry_run: bool,
    /// Remove what a file declared and this one does not.
    #[serde(default)]
    pub prune: bool,
}

/// What becomes of one key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SrePreferenceChange {
    /// Whose.
    pub user_id: String,
    /// Its type.
    pub preference_type: String,
    /// Its key.
    pub key: String,
    /// `add`, `change`, `unchanged`, `prune`; `undeclare`: no file says it any more, and it stays for the time of those that none says;
    /// `kept`: somebody else said it.
    pub change: String,
    /// What was in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub from: Option<serde_json::Value>,
    /// What is in force then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub to: Option<serde_json::Value>,
}

/// What became of all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SrePreferencesApplied {
    /// By user, type and key.
    pub changes: Vec<SrePreferenceChange>,
    /// Keys that changed, or would.
    pub changed: u64,
    /// Keys that are as the file says.
    pub unchanged: u64,
    /// Nothing was written.
    pub dry_run: bool,
}
