//! Measures of the tasks of a repository, and of the usefulness of records to them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request for measures of a repository's tasks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MetricsAsk {
    /// Property by which tasks are grouped: `arm`, `user`, `prompt_version`,
    /// `extraction_prompt_version`, `variant`, `model`, `week` or `repo`. Default: `arm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Earliest creation time of the measured tasks, RFC 3339. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Id of a record. If present, `records` of the response contains only this record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
}

/// The measures of a repository's newest tasks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Metrics {
    /// Measures of each group of tasks, sorted by the key of the group.
    pub groups: Vec<TaskMeasures>,
    /// Usefulness of the records that tasks received most often, at most 50.
    pub records: Vec<Usefulness>,
    /// Method by which review comments were compared with rules: `vectors` or `words`.
    pub compared_by: String,
    /// Note on the interpretation of the measures.
    pub note: String,
}

/// A share or a mean over tasks, with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Measure {
    /// Number of observations behind the value.
    pub n: u32,
    /// The share (0 to 1) or the mean; absent if there are no observations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// 95 % confidence interval of the value: Wilson's interval for a share, a bootstrap interval
    /// for a mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci95: Option<[f64; 2]>,
}

/// The measures of a group of tasks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct TaskMeasures {
    /// Value that all tasks of the group share, such as `on` for the arm; `-` if it is unknown.
    pub key: String,
    /// Number of tasks in the group.
    pub n: u32,
    /// True if the group has fewer than 20 tasks, which are too few for a conclusion.
    pub insufficient: bool,
    /// Share of merged pull requests among those that were merged or closed.
    pub merge_rate: Measure,
    /// Share of pull requests that were merged without a revision round, among those that were
    /// merged or closed.
    pub first_review_merge_rate: Measure,
    /// Mean number of revision rounds (pushes after a review) of pull requests that were merged or
    /// closed.
    pub revision_mean: Measure,
    /// Share of pull requests whose first checks passed, among those with a known result.
    pub ci_first_push: Measure,
    /// Mean number of review comments per 100 changed lines of a pull request.
    pub review_comment_density: Measure,
    /// Mean value of the tasks' outcomes, -1 to 1.
    pub outcome_mean: Measure,
    /// Review comments that repeat a rule which existed before the reviewed task began.
    pub repeated_mistakes: RepeatedMistakes,
    /// Mean time from the creation of the task to its pull request, in seconds.
    pub time_to_pr_s: Measure,
    /// Mean cost of a task in US dollars.
    pub cost_usd: Measure,
    /// Share of tasks that requested memory and received no record.
    pub cold_start_share: Measure,
    /// Share of withheld records among the withheld and the returned ones. A record is withheld if
    /// the code that it cites does not prove it.
    pub withhold_rate: Measure,
    /// Share of the returned records that the agents reported as used.
    pub used_rate: Measure,
    /// Share of failed or timed-out tasks among the tasks that ended.
    pub failure_rate: Measure,
}

/// Numbers of mistakes in tasks which an existing rule forbids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RepeatedMistakes {
    /// Number of mistakes of tasks that were shown the rule.
    pub exposed: u32,
    /// Number of mistakes of tasks that were not shown the rule.
    pub not_exposed: u32,
}

/// The usefulness of a record to the tasks that received it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Usefulness {
    /// Id of the record.
    pub record_id: String,
    /// Number of tasks that received the record.
    pub shown: u32,
    /// Number of these tasks that reported the record as used.
    pub used: u32,
    /// Number of these tasks that reported the record as helpful.
    pub helpful: u32,
    /// Number of these tasks that reported the record as misleading.
    pub harmful: u32,
    /// Sum of the outcome values of the tasks that received the record.
    pub outcome_sum: f64,
    /// Mean outcome value of the tasks that received the record; absent if none of them has an
    /// outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_with: Option<f64>,
    /// Mean outcome value of the tasks that did not receive the record; absent if none of them has
    /// an outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_without: Option<f64>,
    /// `mean_with` minus `mean_without`; absent if one of them is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lift: Option<f64>,
    /// True if fewer than 20 tasks with an outcome received the record, or if fewer than 20 did
    /// not.
    pub insufficient: bool,
}
