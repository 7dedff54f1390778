//! Outcomes of tasks.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The outcome of a task: the graded result of its pull request.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Outcome {
    /// Id of the task.
    pub task_id: String,
    /// Grade: `merged_as_is`, `merged_after_rounds`, `merged_with_human_commits`,
    /// `closed_unmerged`, `closed_superseded`, `abandoned`, `reverted` or `no_pr`; absent if the
    /// outcome is undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Polarity: `positive`, `negative` or `neutral`. It states if an agent may follow the example
    /// of the task.
    pub polarity: String,
    /// Value of the outcome for measures, from -1 (worst) to 1 (best).
    pub value: f64,
    /// Number of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// URL of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr_url: Option<String>,
    /// Time at which the pull request was opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_at: Option<String>,
    /// Time at which the pull request was merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_at: Option<String>,
    /// Login of the person who merged the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_by: Option<String>,
    /// Commit that merged the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_commit_sha: Option<String>,
    /// Time at which the pull request was closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<String>,
    /// Number of revision rounds: pushes after a review.
    pub revision_count: u32,
    /// Result of the checks of the pull request's first push: `pass`, `fail` or `unknown`.
    pub ci_first_push: String,
    /// Number of review comments on lines of the pull request.
    pub review_comment_count: u32,
    /// Number of lines that the pull request adds.
    pub additions: u32,
    /// Number of lines that the pull request deletes.
    pub deletions: u32,
    /// Number of files that the pull request changes.
    pub changed_files: u32,
    /// Number of commits in the pull request that neither a task nor an agent made; absent if the
    /// commits were not examined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub human_commits: Option<u32>,
    /// Commit or pull request that reverted the change: a commit id, or `#` and the number of the
    /// pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverted_by: Option<String>,
    /// Time of the revert.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverted_at: Option<String>,
    /// Evidence that another pull request replaced this one: `label:` and the label, or `task:` and
    /// the id of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// Origin of a grade that was set manually; absent if the forge reported a change of the pull
    /// request later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<OutcomeByHand>,
    /// Earlier and current grades of the task, oldest first.
    pub history: Vec<OutcomeChange>,
    /// Time of the last change of the outcome.
    pub updated_at: String,
}

/// The origin of a grade that was set manually.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct OutcomeByHand {
    /// Source of the grade, in the words of the caller.
    pub source: String,
    /// Name of the caller who set the grade.
    pub by: String,
    /// Time at which the grade was set.
    pub at: String,
}

/// A change of a task's grade.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct OutcomeChange {
    /// Grade after the change; absent if the task lost its grade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Value of the grade for measures, -1 to 1.
    pub value: f64,
    /// Event that led to the change.
    pub why: String,
    /// Name of the caller that reported the event, or `loci` if the forge reported it.
    pub by: String,
    /// Time of the change.
    pub at: String,
}

/// An outcome that a caller reports manually or from another forge. It applies until the forge of
/// the task reports a change of the pull request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OutcomeSet {
    /// Grade, as in [`Outcome`].
    pub outcome: String,
    /// Time at which the pull request was merged, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_at: Option<String>,
    /// Number of revision rounds, at most 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision_count: Option<u32>,
    /// Result of the checks of the pull request's first push: `pass`, `fail` or `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci_first_push: Option<String>,
    /// Source of the outcome, at most 64 characters. Default: `manual`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}
