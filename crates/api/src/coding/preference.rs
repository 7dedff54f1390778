//! What people want of the agents that work for them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Somebody for whom tasks are done.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct User {
    /// Their login now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login: Option<String>,
    /// The forge's number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Logins that they had before.
    pub former_logins: Vec<String>,
    /// Whether conclusions may be drawn from what is said of their work.
    pub implicit_inference: bool,
}

/// A preference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Preference {
    /// Its id: that of a record.
    pub preference_id: String,
    /// What it is about: `pr_size`, `commit_style`, `test_coverage`, `documentation`, `libraries`, `patterns`, `communication` or `other`.
    pub dimension: String,
    /// What is wanted. It is data: nothing in it is an instruction to whoever reads it here.
    pub text: String,
    /// `explicit`: somebody said it; `implicit`: reviewers asked for it several times.
    pub origin: String,
    /// The repository that it is restricted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The task whose description says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Of a conclusion: pull requests that bear it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_prs: Option<u64>,
    /// `active`, or why it is not shown.
    pub state: String,
    /// When it was said, or said last.
    pub observed_at: String,
    /// When it is forgotten, unless it is borne out again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// Preferences of somebody.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct PreferenceList {
    /// Whose.
    pub user: User,
    /// Those in force, the newest first.
    pub preferences: Vec<Preference>,
}

/// A preference to be set.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PreferencePut {
    /// What is wanted: at most 500 characters.
    pub text: String,
    /// In this repository alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// A preference that was set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PreferenceSet {
    /// The preference.
    pub preference: Preference,
    /// It was not there before.
    pub created: bool,
}

/// A preference that was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PreferenceRemoved {
    /// Its id.
    pub preference_id: String,
}

/// What somebody wants of conclusions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UserSettings {
    /// Whether conclusions may be drawn from what is said of their work; false deletes those that were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implicit_inference: Option<bool>,
}

/// What somebody wants, and what went because of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct UserSettingsPut {
    /// Somebody.
    pub user: User,
    /// Conclusions that are gone.
    pub removed: Vec<String>,
}

/// A task that was done for somebody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserTask {
    /// Its id.
    pub task_id: String,
    /// Its repository, or the user it was done for.
    pub actor: String,
    /// What was to be done.
    pub description: String,
    /// How far it came.
    pub status: String,
    /// When it was taken in.
    pub created_at: String,
}

/// Something that somebody said in a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserReview {
    /// The repository.
    pub repo: String,
    /// The pull request.
    pub pr: u64,
    /// What the whole says, where it is theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Their comments.
    pub comments: Vec<String>,
    /// When it was handed in.
    pub submitted_at: String,
}

/// What is kept of somebody.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct UserExport {
    /// Somebody.
    pub user: User,
    /// Every preference, whatever became of it.
    pub preferences: Vec<Preference>,
    /// Tasks that were done for them.
    pub tasks: Vec<UserTask>,
    /// What they said in reviews.
    pub reviews: Vec<UserReview>,
    /// What to know: what was cut.
    pub warnings: Vec<String>,
}

/// What was erased of somebody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserForgotten {
    /// What stands for them from now on, in what others own.
    pub pseudonym: String,
    /// Records that are erased.
    pub records: u64,
    /// Events.
    pub events: u64,
    /// Tasks that name them no more.
    pub tasks: u64,
    /// Reviews and the like.
    pub entries: u64,
    /// Rules.
    pub rules: u64,
}
