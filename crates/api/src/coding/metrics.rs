//! How well the tasks of a repository went, and what memories were worth to them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Which measures.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MetricsAsk {
    /// What groups go by: `arm` (where nothing is said), `user`, `prompt_version`, `extraction_prompt_version`, `variant`, `model`, `week`,
    /// `repo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Of tasks that were taken in then or later, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// What this memory, by its id, was worth alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
}

/// The measures of a repository's newest tasks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Metrics {
    /// By group, in the order of their keys.
    pub groups: Vec<TaskMeasures>,
    /// What memories were worth: of those that were shown most, the first.
    pub records: Vec<Usefulness>,
    /// How comments of reviewers were compared with rules: `vectors` or `words`.
    pub compared_by: String,
    /// What to know when reading it.
    pub note: String,
}

/// A share or a mean, and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Measure {
    /// Of so many.
    pub n: u32,
    /// The share or mean; absent: of none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Where it lies in 95 of 100: Wilson's interval of a share, a bootstrap of a mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci95: Option<[f64; 2]>,
}

/// The measures of a group of tasks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct TaskMeasures {
    /// What they have in common; `-`: it is not known.
    pub key: String,
    /// Tasks.
    pub n: u32,
    /// Fewer than 20 tasks: it says nothing yet.
    pub insufficient: bool,
    /// Merged, of the pull requests that were decided.
    pub merge_rate: Measure,
    /// Merged without a round of revision, of those.
    pub first_review_merge_rate: Measure,
    /// Rounds of revision of each.
    pub revision_mean: Measure,
    /// First checks that passed, of those that said.
    pub ci_first_push: Measure,
    /// Comments for a hundred changed lines, of each pull request.
    pub review_comment_density: Measure,
    /// What came of each, -1 to 1.
    pub outcome_mean: Measure,
    /// Comments that say what a rule said before the task began.
    pub repeated_mistakes: RepeatedMistakes,
    /// Seconds from the task to its pull request.
    pub time_to_pr_s: Measure,
    /// Dollars.
    pub cost_usd: Measure,
    /// Tasks that asked and were shown nothing.
    pub cold_start_share: Measure,
    /// Left out for the code it cites, of that and of what was shown.
    pub withhold_rate: Measure,
    /// Used, of what was shown.
    pub used_rate: Measure,
    /// Failed or timed out, of the tasks that ended.
    pub failure_rate: Measure,
}

/// Mistakes that a rule was there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RepeatedMistakes {
    /// The task was shown the rule.
    pub exposed: u32,
    /// It was not.
    pub not_exposed: u32,
}

/// What a memory was worth to the tasks that were shown it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Usefulness {
    /// The record.
    pub record_id: String,
    /// Tasks that it was shown to.
    pub shown: u32,
    /// Tasks that say they used it.
    pub used: u32,
    /// Tasks that it helped.
    pub helpful: u32,
    /// Tasks that it misled.
    pub harmful: u32,
    /// What came of the tasks that it was shown to, together.
    pub outcome_sum: f64,
    /// What came of each of them that has an outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_with: Option<f64>,
    /// The same of the other tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_without: Option<f64>,
    /// By so much tasks went better with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lift: Option<f64>,
    /// Fewer than 20 tasks with it, or without.
    pub insufficient: bool,
}
