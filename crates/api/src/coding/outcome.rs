//! What came of tasks.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What came of a task: how its pull request ended, graded.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Outcome {
    /// The task.
    pub task_id: String,
    /// The grade: `merged_as_is`, `merged_after_rounds`, `merged_with_human_commits`, `closed_unmerged`, `closed_superseded`, `abandoned`,
    /// `reverted` or `no_pr`; absent: nothing is decided yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// `positive`, `negative` or `neutral`: whether an agent may follow it.
    pub polarity: String,
    /// What it is worth, -1 to 1.
    pub value: f64,
    /// The pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// Where it is seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr_url: Option<String>,
    /// When it was opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_at: Option<String>,
    /// When it was merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_at: Option<String>,
    /// Who merged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_by: Option<String>,
    /// The commit by which it came onto its base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_commit_sha: Option<String>,
    /// When it was closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<String>,
    /// Rounds of revision: pushes after a review.
    pub revision_count: u32,
    /// How the first checks of the first push ended: `pass`, `fail` or `unknown`.
    pub ci_first_push: String,
    /// Comments on lines.
    pub review_comment_count: u32,
    /// Lines added.
    pub additions: u32,
    /// Lines deleted.
    pub deletions: u32,
    /// Files changed.
    pub changed_files: u32,
    /// Commits that neither a task nor an agent made; absent: its commits were not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub human_commits: Option<u32>,
    /// What took it back: a commit, or `#` and a pull request's number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverted_by: Option<String>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverted_at: Option<String>,
    /// What took its place: `label:` and a label, or `task:` and a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// Somebody set the grade, and the forge has not said more since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<OutcomeByHand>,
    /// The grades it had, the first first.
    pub history: Vec<OutcomeChange>,
    /// When this was last changed.
    pub updated_at: String,
}

/// Who set a grade.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct OutcomeByHand {
    /// Where it comes from, in their words.
    pub source: String,
    /// Who, by name.
    pub by: String,
    /// When.
    pub at: String,
}

/// A grade that a task had.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct OutcomeChange {
    /// The grade; absent: none any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// What it is worth.
    pub value: f64,
    /// What was heard.
    pub why: String,
    /// Of whom: a name, or `loci` for what a forge said.
    pub by: String,
    /// Since when.
    pub at: String,
}

/// What somebody says of how a task ended, of another forge or by hand. It counts until the task's forge says more.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OutcomeSet {
    /// The grade; as in [`Outcome`].
    pub outcome: String,
    /// When it was merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_at: Option<String>,
    /// Rounds of revision, at most 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision_count: Option<u32>,
    /// How the first checks of the first push ended: `pass`, `fail` or `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci_first_push: Option<String>,
    /// Where that comes from, in at most 64 characters; absent: `manual`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}
