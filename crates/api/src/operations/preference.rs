//! Preferences of users of operations agents: list, decisions, and declaration by a file.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request to list preferences of all users.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SrePreferencesListing {
    /// `pending_confirmation` to list only preferences that wait for a person. Default: all
    /// preferences, with the waiting ones first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// A preference of a user of operations agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SrePreference {
    /// Id of the preference.
    pub preference_id: String,
    /// Id of the user.
    pub user_id: String,
    /// Type of the preference: `escalation`, `notification`, `workflow`, `style`, `general` or
    /// another word.
    pub preference_type: String,
    /// Key of the preference within its type. For a preference in prose, `statement:` and a text
    /// that distinguishes it from others.
    pub key: String,
    /// Value of the preference.
    #[schema(value_type = Object)]
    pub value: serde_json::Value,
    /// Source of the preference: `human`, `declared` (by a file), `webhook`, `agent`, `extracted`
    /// or `imported`.
    pub source: String,
    /// State of the preference: `active`, `conflict` or `pending_confirmation`; in a history also
    /// `superseded`, `rejected`, `expired` or `quarantined`.
    pub state: String,
    /// Time at which the preference was stated.
    pub timestamp: String,
    /// Text about the origin of the preference, such as the situation in which it was stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Time at which the preference expires; absent if it does not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Time until which the preference was active; absent if it is active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<String>,
    /// Id of the preference that replaced this one; absent if it was not replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
}

/// Preferences of users. Those that wait for a person come first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SrePreferenceList {
    /// The preferences, at most 1,000.
    pub preferences: Vec<SrePreference>,
    /// Warnings about preferences that the list does not contain.
    pub warnings: Vec<String>,
}

/// The preferences of a user that have one type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SrePreferencesOfType {
    /// Type of the preferences.
    pub preference_type: String,
    /// Active values, by key of the preference.
    #[schema(value_type = Object)]
    pub preference_value: serde_json::Map<String, serde_json::Value>,
    /// All stored preferences of the type, sorted by key.
    pub entries: Vec<SrePreference>,
}

/// The effect of a user's preferences at the time of the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreEffective {
    /// True if the current time is within `quiet_hours`, in the user's time zone.
    pub quiet_now: bool,
    /// Severities of which the user wants to be notified, as the active preference states them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub severity_filter: Option<serde_json::Value>,
    /// IANA name of the user's time zone; if the user has none, that of the memory.
    pub timezone: String,
}

/// All preferences of a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreUserPreferences {
    /// Id of the user.
    pub user_id: String,
    /// Preferences of the user, one entry for each type.
    pub preferences: Vec<SrePreferencesOfType>,
    /// Effect of the preferences at the time of the request.
    pub effective: SreEffective,
    /// Warnings about preferences whose values the server cannot interpret.
    pub warnings: Vec<String>,
}

/// A request for the history of a user's preferences.
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

/// All earlier and current preferences of a user, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SrePreferenceHistory {
    /// Preferences, each with its state.
    pub preferences: Vec<SrePreference>,
}

/// A decision about a preference, with the memory that contains it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SrePreferenceDecision {
    /// Id or name of the memory that contains the preference.
    pub memory: String,
}

/// A declaration of the preferences of users, as in a file. Exactly one of `users` and `text` must
/// be present.
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
    /// True to remove preferences that were declared earlier and are missing in this declaration.
    /// Default: false.
    #[serde(default)]
    pub prune: bool,
}

/// The change of one key of a user's preferences by a declaration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SrePreferenceChange {
    /// Id of the user.
    pub user_id: String,
    /// Type of the preference.
    pub preference_type: String,
    /// Key of the preference.
    pub key: String,
    /// Change of the key. `add`, `change`, `unchanged` or `prune` (removed). `undeclare`: no
    /// declaration contains the preference any more, and it expires after the time for undeclared
    /// preferences. `kept`: the preference comes from another source and stays.
    pub change: String,
    /// Active value before the change; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub from: Option<serde_json::Value>,
    /// Active value after the change; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub to: Option<serde_json::Value>,
}

/// The result of applying a declaration of preferences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SrePreferencesApplied {
    /// Changes, sorted by user, type and key.
    pub changes: Vec<SrePreferenceChange>,
    /// Number of keys that changed; for a dry run, the number that would change.
    pub changed: u64,
    /// Number of keys whose value already matches the declaration.
    pub unchanged: u64,
    /// True if nothing was written.
    pub dry_run: bool,
}
