//! Measures of the tasks of a repository, and of the usefulness of records to them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request for measures.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MetricsAsk {
    /// Grouping: `arm`, `user`, `prompt_version`, `extraction_prompt_version`, `variant`, `model`,
    /// `week` or `repo`. Default: `arm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Earliest creation time of the tasks, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Id of a record. If present, the usefulness covers only this record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
}

/// The measures of a repository's newest tasks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Metrics {
    /// Groups, in the order of their keys.
    pub groups: Vec<TaskMeasures>,
    /// Usefulness of the records that tasks received most often, at most 50.
    pub records: Vec<Usefulness>,
    /// Method of the comparison of review comments with rules: `vectors` or `words`.
    pub compared_by: String,
    /// Note on the interpretation of the measures.
    pub note: String,
}

/// A share or a mean, with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Measure {
    /// Number of observations.
    pub n: u32,
    /// The share or mean; absent without observations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// 95 % confidence interval: Wilson's interval for a share, a bootstrap interval for a mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci95: Option<[f64; 2]>,
}

/// The measures of a group of tasks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct TaskMeasures {
    /// Common property of the tasks; `-` if it is unknown.
    pub key: String,
    /// Number of tasks.
    pub n: u32,
    /// True for fewer than 20 tasks, which are too few for a conclusion.
    pub insufficient: bool,
    /// Share of merged pull requests among the decided ones.
    pub merge_rate: Measure,
    /// Share of pull requests that were merged without a revision round among the decided ones.
    pub first_review_merge_rate: Measure,
    /// Mean number of revision rounds of the decided pull requests.
    pub revision_mean: Measure,
    /// Share of passed first checks among those with a known result.
    pub ci_first_push: Measure,
    /// Mean number of comments per 100 changed lines of a pull request.
    pub review_comment_density: Measure,
    /// Mean value of the outcomes, -1 to 1.
    pub outcome_mean: Measure,
    /// Review comments that repeat a rule which existed before the task began.
    pub repeated_mistakes: RepeatedMistakes,
    /// Mean time from the creation of the task to its pull request, in seconds.
    pub time_to_pr_s: Measure,
    /// Mean cost in US dollars.
    pub cost_usd: Measure,
    /// Share of tasks that requested content and received none.
    pub cold_start_share: Measure,
    /// Share of records that were withheld because of their cited code, among these and the
    /// returned records.
    pub withhold_rate: Measure,
    /// Share of records that were used among the returned ones.
    pub used_rate: Measure,
    /// Share of failed or timed-out tasks among the tasks that ended.
    pub failure_rate: Measure,
}

/// Numbers of mistakes that an existing rule covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RepeatedMistakes {
    /// Mistakes of tasks that received the rule.
    pub exposed: u32,
    /// Mistakes of tasks that did not receive the rule.
    pub not_exposed: u32,
}

/// The usefulness of a record to the tasks that received it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Usefulness {
    /// Id of the record.
    pub record_id: String,
    /// Number of tasks that received the record.
    pub shown: u32,
    /// Number of tasks that reported the record as used.
    pub used: u32,
    /// Number of tasks that the record helped.
    pub helpful: u32,
    /// Number of tasks that the record misled.
    pub harmful: u32,
    /// Sum of the outcome values of the tasks that received the record.
    pub outcome_sum: f64,
    /// Mean outcome value of these tasks, among those with an outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_with: Option<f64>,
    /// Mean outcome value of the other tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_without: Option<f64>,
    /// Difference of `mean_with` and `mean_without`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lift: Option<f64>,
    /// True if fewer than 20 tasks with an outcome received the record, or if fewer than 20 did
    /// not.
    pub insufficient: bool,
}
