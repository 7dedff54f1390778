//! Preferences of users of operations agents: list, decisions, and declaration by a file.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request to list preferences.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SrePreferencesListing {
    /// `pending_confirmation` to list only preferences that wait for a person. Default: all
    /// preferences, those first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// A preference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SrePreference {
    /// Id of the preference.
    pub preference_id: String,
    /// Id of the user.
    pub user_id: String,
    /// Type: `escalation`, `notification`, `workflow`, `style`, `general` or another word.
    pub preference_type: String,
    /// Key of the preference. For a statement in prose, `statement:` and a text that distinguishes
    /// it from others.
    pub key: String,
    /// Value of the preference.
    #[schema(value_type = Object)]
    pub value: serde_json::Value,
    /// Source: `human`, `declared`, `webhook`, `agent`, `extracted` or `imported`.
    pub source: String,
    /// State: `active`, `conflict` or `pending_confirmation`; in a history also `superseded`,
    /// `rejected`, `expired` or `quarantined`.
    pub state: String,
    /// Time of the statement.
    pub timestamp: String,
    /// Origin of the statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Time at which the preference expires; absent if it does not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// End of the time at which the preference was active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<String>,
    /// Id of the preference that replaced this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
}

/// Preferences, those that wait for a person first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SrePreferenceList {
    /// The preferences, at most 1,000.
    pub preferences: Vec<SrePreference>,
    /// Warnings about preferences that were left out.
    pub warnings: Vec<String>,
}

/// The preferences of a user of one type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SrePreferencesOfType {
    /// Type of the preferences.
    pub preference_type: String,
    /// Active values, by key.
    #[schema(value_type = Object)]
    pub preference_value: serde_json::Map<String, serde_json::Value>,
    /// All stored preferences, by key.
    pub entries: Vec<SrePreference>,
}

/// The effect of preferences at the time of the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreEffective {
    /// True if the current time is within `quiet_hours`, in the user's time zone.
    pub quiet_now: bool,
    /// Preferred filter of severities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub severity_filter: Option<serde_json::Value>,
    /// Time zone of the user, otherwise of the memory.
    pub timezone: String,
}

/// All preferences of a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreUserPreferences {
    /// Id of the user.
    pub user_id: String,
    /// Preferences, by type.
    pub preferences: Vec<SrePreferencesOfType>,
    /// Effect of the preferences now.
    pub effective: SreEffective,
    /// Warnings about values that cannot be read.
    pub warnings: Vec<String>,
}

/// A request for the history of preferences.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SrePreferenceHistoryQuery {
    /// Type of the preferences. Default: all types.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preference_type: Option<String>,
    /// Key of the preferences. Default: all keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// The history of preferences, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SrePreferenceHistory {
    /// Preferences, each with its state.
    pub preferences: Vec<SrePreference>,
}

/// A decision about a preference, with the memory that contains it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SrePreferenceDecision {
    /// Id or name of the memory.
    pub memory: String,
}

/// A declaration of preferences. Exactly one of `users` and `text` must be present.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SrePreferencesApply {
    /// Preferences by user:
    /// `{"Alice": {"preferences": [{"preference_type", "preference_value", "context"}]}}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub users: Option<serde_json::Value>,
    /// The declaration as YAML, with `users` at the top level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// True to return the changes without applying them. Default: false.
    #[serde(default)]
    pub dry_run: bool,
    /// True to remove preferences that a file declared earlier and this one does not. Default:
    /// false.
    #[serde(default)]
    pub prune: bool,
}

/// The change of one key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SrePreferenceChange {
    /// Id of the user.
    pub user_id: String,
    /// Type of the preference.
    pub preference_type: String,
    /// Key of the preference.
    pub key: String,
    /// `add`, `change`, `unchanged` or `prune`; `undeclare`: no file declares the preference any
    /// more, and it stays for as long as undeclared preferences do; `kept`: the preference comes
    /// from another source.
    pub change: String,
    /// Active value before the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub from: Option<serde_json::Value>,
    /// Active value after the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub to: Option<serde_json::Value>,
}

/// The result of applying a declaration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SrePreferencesApplied {
    /// Changes, by user, type and key.
    pub changes: Vec<SrePreferenceChange>,
    /// Number of keys that changed, or would change.
    pub changed: u64,
    /// Number of keys that already match the file.
    pub unchanged: u64,
    /// True if nothing was written.
    pub dry_run: bool,
}
