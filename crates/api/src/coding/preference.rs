//! Preferences of people for the agents that work for them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A person for whom tasks are done, as a forge knows them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct User {
    /// Current login of the person on the forge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login: Option<String>,
    /// Number by which the forge identifies the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Logins that the person had before.
    pub former_logins: Vec<String>,
    /// True if the server may infer preferences from reviews of the person's work.
    pub implicit_inference: bool,
}

/// A preference of a person for the work of coding agents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Preference {
    /// Id of the preference, which is the id of a record.
    pub preference_id: String,
    /// Subject of the preference: `pr_size`, `commit_style`, `test_coverage`, `documentation`,
    /// `libraries`, `patterns`, `communication` or `other`.
    pub dimension: String,
    /// Text of the preference. The text is data, not an instruction to the program that reads it.
    pub text: String,
    /// `explicit` if a person stated it, `implicit` if reviewers asked for it several times.
    pub origin: String,
    /// Name of the repository that the preference is restricted to; absent if it applies to all
    /// repositories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Id of the task whose description states the preference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Number of pull requests in which reviewers asked for an implicit preference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_prs: Option<u64>,
    /// `active`, or the reason for which hydrations do not return the preference.
    pub state: String,
    /// Time at which the person or a reviewer last stated the preference.
    pub observed_at: String,
    /// Time at which the preference expires, unless a reviewer states it again; absent if it does
    /// not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// The preferences of a person.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct PreferenceList {
    /// The person whose preferences the response contains.
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
    /// Name of the repository that the preference is restricted to. Default: all repositories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// A preference that was set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PreferenceSet {
    /// The preference.
    pub preference: Preference,
    /// True if the request created the preference, false if it replaced an earlier text.
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
    /// True if the server may infer preferences from reviews of the person's work. False forbids
    /// this and deletes the preferences that were inferred. Default: unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implicit_inference: Option<bool>,
}

/// The settings of a person after a change.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct UserSettingsPut {
    /// The person with the changed settings.
    pub user: User,
    /// Ids of the inferred preferences that were deleted.
    pub removed: Vec<String>,
}

/// A task that was done for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserTask {
    /// Id of the task.
    pub task_id: String,
    /// Actor of the task: its repository, `owner/name`, or the user for whom it was done.
    pub actor: String,
    /// Description of the task.
    pub description: String,
    /// Status of the task.
    pub status: String,
    /// Time at which the task was created.
    pub created_at: String,
}

/// A review that a person wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserReview {
    /// Name of the repository.
    pub repo: String,
    /// Number of the reviewed pull request.
    pub pr: u64,
    /// Text of the whole review; absent if the person wrote only comments on lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Texts of the comments that the person wrote in the review.
    pub comments: Vec<String>,
    /// Time at which the review was submitted.
    pub submitted_at: String,
}

/// The stored data of a person.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct UserExport {
    /// The person whose data the export contains.
    pub user: User,
    /// All preferences, in every state.
    pub preferences: Vec<Preference>,
    /// Tasks that were done for the person.
    pub tasks: Vec<UserTask>,
    /// Reviews that the person wrote.
    pub reviews: Vec<UserReview>,
    /// Warnings about data that the export does not contain completely.
    pub warnings: Vec<String>,
}

/// The result of erasing a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserForgotten {
    /// Pseudonym that replaces the name of the person in data that belongs to others.
    pub pseudonym: String,
    /// Number of erased records of the person.
    pub records: u64,
    /// Number of erased events of the person.
    pub events: u64,
    /// Number of tasks from which the name of the person was removed.
    pub tasks: u64,
    /// Number of reviews and similar entries from which the name of the person was removed.
    pub entries: u64,
    /// Number of rules from which the name of the person was removed.
    pub rules: u64,
}
