//! The end of a task, and notes during the task.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::coding::task::TaskPullRequest;

/// The report of an agent at the end of a task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskComplete {
    /// Status of the task: `completed`, `failed`, `cancelled` or `timed_out`. If absent, the status
    /// stays unchanged until the platform that runs the agent reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Summary of the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Approach that the agent took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approach: Option<String>,
    /// Paths of the files that the task changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files_changed: Vec<String>,
    /// Difficulties that the agent met during the work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub difficulties: Vec<String>,
    /// Pull request that the task ended in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr: Option<TaskPullRequest>,
    /// Branch on which the agent worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Ids of the commits that the task made, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<String>,
    /// Cost of the task in US dollars. A value that is not a finite number counts as absent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount")]
    pub cost_usd: Option<f64>,
    /// Duration of the task in seconds. A value that is not a finite number counts as absent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount")]
    pub duration_s: Option<f64>,
    /// Checks that the agent ran, such as tests, with their results.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub verification: Option<Value>,
    /// Error message of a failed task. The server truncates it to 1,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Category of the failure: `reasoning_error`, `instruction_noncompliance`,
    /// `missing_verification`, `timeout` or `environment_failure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_category: Option<String>,
    /// Learnings about the repository: one for each paragraph or list item, as `**[Topic]:** text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learnings_text: Option<String>,
    /// Self-feedback: information that the agent lacked, in the format of `learnings_text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_feedback_text: Option<String>,
    /// Time at which the agent made the report, RFC 3339, if it sends the report later. Default,
    /// also for a future time: now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_at: Option<String>,
    /// Versions of the extraction prompts that produced `learnings_text` and `self_feedback_text`,
    /// under the keys `learnings` and `self_feedback`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extraction_prompts: BTreeMap<String, String>,
    /// Ids of the records from memory that the agent used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used_memory_ids: Vec<String>,
    /// Ids of the records from memory that helped the agent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub helpful_memory_ids: Vec<String>,
    /// Ids of the records from memory that misled the agent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub harmful_memory_ids: Vec<String>,
}

/// A learning, and the action that the server took on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Learned {
    /// Id of the record that contains the learning; absent if the server rejected the learning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Action: `added`; `superseded` (added, and it replaces the record that it contradicts);
    /// `conflict` (added, and a person decides which of two contradicting records stays);
    /// `outdated` (stored as history, because a newer record contradicts it); `duplicate`, `held`
    /// (waits for a person), `quarantined` or `rejected`.
    pub action: String,
    /// Reason for not adding the learning: `already_known`, `says_the_same`,
    /// `contradicts_what_is_trusted_more`, `may_contradict_what_is_known`,
    /// `what_contradicts_it_is_newer`, `in_repo_docs`, `too_long`, `too_many`,
    /// `declared_wrong_before`, `looks_like_instructions`, `security_alert`, `the_same_is_held`,
    /// `the_same_is_quarantined`. For a learning that was added without a comparison:
    /// `too_long_to_compare`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Topic of the learning, if the text specifies one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
}

/// The result of completing a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TaskCompleted {
    /// Id of the record that contains the task's episode.
    pub episode_id: String,
    /// Actions on the learnings of `learnings_text`, in the order of the text.
    pub learnings: Vec<Learned>,
    /// Actions on the items of `self_feedback_text`, in the order of the text.
    pub self_feedback: Vec<Learned>,
    /// True if the request stored an episode, a learning or an item of self-feedback.
    pub memory_written: bool,
    /// Ids of jobs that process the report with a model. Always empty, because rules process every
    /// report immediately.
    #[serde(default)]
    pub jobs: Vec<String>,
    /// True if a part of the report could not be compared with stored records. `warnings` names the
    /// part.
    pub degraded: bool,
    /// Warnings about parts of the report that were not stored or not compared.
    pub warnings: Vec<String>,
}

/// The report about the end of a task without learnings, in the short format that some platforms
/// use.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskEpisode {
    /// Status of the task: `completed`, `failed`, `cancelled` or `timed_out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// URL of the pull request that the task ended in. The URL ends with the number of the pull
    /// request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr_url: Option<String>,
    /// Cost of the task in US dollars. A value that is not a finite number counts as absent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount")]
    pub cost: Option<f64>,
    /// Duration of the task in seconds. A value that is not a finite number counts as absent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount")]
    pub duration: Option<f64>,
    /// Self-feedback: information that the agent lacked, in the format of a complete report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_feedback: Option<String>,
}

/// The learnings of a task, without a report about its end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskLearnings {
    /// Learnings about the repository: one for each paragraph or list item, as `**[Topic]:** text`.
    pub text: String,
}

/// The result of writing an episode or learnings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TaskWrote {
    /// True if the content is stored, by this or an earlier request.
    pub written: bool,
    /// Warnings, including content that was not stored.
    pub warnings: Vec<String>,
}

/// The report of the platform that runs agents about the end of a task, for agents that sent none.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskFinalize {
    /// Final status of the task: `completed`, `failed`, `cancelled` or `timed_out`.
    pub status: String,
    /// Duration of the task in seconds. A value that is not a finite number counts as absent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount")]
    pub duration_s: Option<f64>,
    /// Cost of the task in US dollars. A value that is not a finite number counts as absent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount")]
    pub cost_usd: Option<f64>,
    /// Reason for the end of the task, such as `heartbeat_lost`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Error message of a failed task. The server truncates it to 1,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
}

/// The result of finalizing a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TaskFinalized {
    /// True if the task had no episode before, so that this request wrote one.
    pub wrote: bool,
    /// `minimal` if the server wrote an episode from the platform's report alone, `kept_existing`
    /// if the task already had an episode.
    pub kind: String,
    /// Id of the record that contains the task's episode.
    pub episode_id: String,
    /// Warnings about the request.
    pub warnings: Vec<String>,
}

/// A note of an agent during a task, which the server stores like a learning.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskNote {
    /// Text of the learning.
    pub text: String,
    /// Topic of the learning. Default: derived from the beginning of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// Part of the repository that the learning applies to: a path, a glob, or `module:<name>`.
    /// Default: derived from the topic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Category: `architecture`, `convention`, `tooling` or `gotcha`. Default: derived from the
    /// text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Time at which the agent made the note, RFC 3339, if it sends the note later. Default, also
    /// for a future time: now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_at: Option<String>,
}

/// The result of storing a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TaskNoted {
    /// The learning in the note, and the action that the server took on it.
    pub learning: Learned,
    /// True if the note could not be compared with all stored records. `warnings` states the
    /// reason.
    pub degraded: bool,
    /// Warnings about the note.
    pub warnings: Vec<String>,
}

/// Reads a finite number from a JSON number or a text; `None` for every other value. Agents may
/// report a cost or a duration as `NaN`, and the whole report must not fail because of it.
pub(crate) fn amount<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    })
}

/// Reads whole milliseconds like [`amount`], rounded; `None` for a negative number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "from 0, and `as` ends at the greatest"
)]
pub(crate) fn milliseconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let read = amount(deserializer)?.filter(|number| *number >= 0.0);
    Ok(read.map(|number| number.round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a39_amounts_that_are_none() {
        let check = |text: &str, expect: Option<f64>| {
            let read: TaskComplete = serde_json::from_str(&format!(r#"{{"cost_usd":{text}}}"#)).unwrap();
            assert_eq!(read.cost_usd, expect, "{text}");
        };
        check("0.4213", Some(0.4213));
        check("\"0.5\"", Some(0.5));
        check("\"NaN\"", None);
        check("\"Infinity\"", None);
        check("null", None);
        check("{}", None);
        assert_eq!(serde_json::from_str::<TaskFinalize>("{}").unwrap().duration_s, None);
    }
}
