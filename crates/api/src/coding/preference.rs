//! Preferences of people for the agents that work for them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A person for whom tasks are done.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct User {
    /// Current login.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login: Option<String>,
    /// Number at the forge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Former logins.
    pub former_logins: Vec<String>,
    /// True if the server may infer preferences from reviews of the person's work.
    pub implicit_inference: bool,
}

/// A preference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Preference {
    /// Id of the preference, which is the id of a record.
    pub preference_id: String,
    /// Dimension: `pr_size`, `commit_style`, `test_coverage`, `documentation`, `libraries`,
    /// `patterns`, `communication` or `other`.
    pub dimension: String,
    /// Text of the preference. It is data and contains no instructions for its reader.
    pub text: String,
    /// `explicit` if a person stated it, `implicit` if reviewers asked for it several times.
    pub origin: String,
    /// Repository that the preference is restricted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Id of the task whose description states the preference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Number of pull requests that support an implicit preference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_prs: Option<u64>,
    /// `active`, or the reason that the preference is not shown.
    pub state: String,
    /// Time of the last statement of the preference.
    pub observed_at: String,
    /// Time at which the preference expires, unless it is supported again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// The preferences of a person.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct PreferenceList {
    /// The person.
    pub user: User,
    /// Active preferences, newest first.
    pub preferences: Vec<Preference>,
}

/// A request to set a preference.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PreferencePut {
    /// Text of the preference, at most 500 characters.
    pub text: String,
    /// Repository that the preference is restricted to. Default: no restriction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// A preference that was set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PreferenceSet {
    /// The preference.
    pub preference: Preference,
    /// True if the preference did not exist before.
    pub created: bool,
}

/// A preference that was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PreferenceRemoved {
    /// Id of the preference.
    pub preference_id: String,
}

/// A change of a person's settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UserSettings {
    /// True to allow the inference of preferences from reviews of the person's work. False deletes
    /// the inferred preferences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implicit_inference: Option<bool>,
}

/// The settings of a person after a change.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct UserSettingsPut {
    /// The person.
    pub user: User,
    /// Ids of the inferred preferences that were deleted.
    pub removed: Vec<String>,
}

/// A task that was done for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserTask {
    /// Id of the task.
    pub task_id: String,
    /// Repository of the task, or the user that it was done for.
    pub actor: String,
    /// Description of the task.
    pub description: String,
    /// Status of the task.
    pub status: String,
    /// Time at which the task was created.
    pub created_at: String,
}

/// A review by a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserReview {
    /// Name of the repository.
    pub repo: String,
    /// Number of the pull request.
    pub pr: u64,
    /// Text of the whole review, if the person wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Comments by the person.
    pub comments: Vec<String>,
    /// Time at which the review was submitted.
    pub submitted_at: String,
}

/// The stored data of a person.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct UserExport {
    /// The person.
    pub user: User,
    /// All preferences, in every state.
    pub preferences: Vec<Preference>,
    /// Tasks that were done for the person.
    pub tasks: Vec<UserTask>,
    /// Reviews by the person.
    pub reviews: Vec<UserReview>,
    /// Warnings about data that was truncated.
    pub warnings: Vec<String>,
}

/// The result of erasing a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserForgotten {
    /// Pseudonym that replaces the person in data that belongs to others.
    pub pseudonym: String,
    /// Number of erased records.
    pub records: u64,
    /// Number of erased events.
    pub events: u64,
    /// Number of tasks that no longer name the person.
    pub tasks: u64,
    /// Number of reviews and similar entries that no longer name the person.
    pub entries: u64,
    /// Number of rules that no longer name the person.
    pub rules: u64,
}
