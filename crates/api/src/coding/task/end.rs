//! The end of a task, and notes on the way there.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::coding::task::TaskPullRequest;

/// What an agent says at the end of a task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskComplete {
    /// `completed`, `failed`, `cancelled` or `timed_out`; absent: whoever runs agents says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// What was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// How.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approach: Option<String>,
    /// Paths that changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files_changed: Vec<String>,
    /// What was hard.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub difficulties: Vec<String>,
    /// The pull request it ended in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr: Option<TaskPullRequest>,
    /// The branch that was worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Commits, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<String>,
    /// What it cost; what is no finite number of dollars is taken for absent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount")]
    pub cost_usd: Option<f64>,
    /// How long it took; what is no finite number of seconds is taken for absent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount")]
    pub duration_s: Option<f64>,
    /// What was checked, and how that ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub verification: Option<Value>,
    /// What went wrong; more than a thousand characters are cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// `reasoning_error`, `instruction_noncompliance`, `missing_verification`, `timeout` or `environment_failure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_category: Option<String>,
    /// What was learned about the repository: a paragraph or list item each, `**[Topic]:** text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learnings_text: Option<String>,
    /// What the agent would have needed, in the same form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_feedback_text: Option<String>,
    /// When this was seen to be so, for what is told late; absent, or ahead: now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_at: Option<String>,
    /// Versions of the prompts that made these texts, by `learnings` and `self_feedback`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extraction_prompts: BTreeMap<String, String>,
    /// Memories that were used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used_memory_ids: Vec<String>,
    /// Memories that helped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub helpful_memory_ids: Vec<String>,
    /// Memories that misled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub harmful_memory_ids: Vec<String>,
}

/// A learning, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Learned {
    /// The record that holds it; absent where it was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `added`; `superseded`: added in the place of what it contradicts; `conflict`: added, and a person decides; `outdated`: kept as
    /// history; `duplicate`, `held`, `quarantined` or `rejected`.
    pub action: String,
    /// Why, where it was not added: `already_known`, `says_the_same`, `contradicts_what_is_trusted_more`,
    /// `may_contradict_what_is_known`,
    /// `what_contradicts_it_is_newer`, `in_repo_docs`, `too_long`, `too_many`, `declared_wrong_before`,
    /// `looks_like_instructions`, `security_alert`, `the_same_is_held`, `the_same_is_quarantined`.
    /// Where it was added without a comparison: `too_long_to_compare`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it is about, where it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
}

/// What a task left behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TaskCompleted {
    /// Its episode, a record.
    pub episode_id: String,
    /// Its learnings, in the order of the text.
    pub learnings: Vec<Learned>,
    /// Its self-feedback, in the order of the text.
    pub self_feedback: Vec<Learned>,
    /// Something was written.
    pub memory_written: bool,
    /// Jobs by which a model reads on: none, for every report is read by rules, and at once.
    #[serde(default)]
    pub jobs: Vec<String>,
    /// Something could not be looked at: the warnings say what.
    pub degraded: bool,
    /// What to know.
    pub warnings: Vec<String>,
}

/// The episode of a task alone, in the narrow form that some platforms report it in.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskEpisode {
    /// `completed`, `failed`, `cancelled` or `timed_out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Where the pull request is seen that it ended in; it ends in its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr_url: Option<String>,
    /// What it cost in dollars; what is no finite number is taken for absent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount")]
    pub cost: Option<f64>,
    /// How many seconds it took; what is no finite number is taken for absent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount")]
    pub duration: Option<f64>,
    /// What the agent would have needed, as in a report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_feedback: Option<String>,
}

/// What was learned in a task, alone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskLearnings {
    /// What was learned about the repository: a paragraph or list item each, `**[Topic]:** text`.
    pub text: String,
}

/// Whether something was written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TaskWrote {
    /// It is there, written now or before.
    pub written: bool,
    /// What to know, and what was not stored.
    pub warnings: Vec<String>,
}

/// What whoever runs agents knows of the end of a task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskFinalize {
    /// `completed`, `failed`, `cancelled` or `timed_out`.
    pub status: String,
    /// How long it took; what is no finite number of seconds is taken for absent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount")]
    pub duration_s: Option<f64>,
    /// What it cost; what is no finite number of dollars is taken for absent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount")]
    pub cost_usd: Option<f64>,
    /// Why it ended, such as `heartbeat_lost`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What went wrong; more than a thousand characters are cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TaskFinalized {
    /// There was no episode before.
    pub wrote: bool,
    /// `minimal`: the least that can be said was written; `kept_existing`: an episode was there.
    pub kind: String,
    /// The episode, a record.
    pub episode_id: String,
    /// What to know.
    pub warnings: Vec<String>,
}

/// A note.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskNote {
    /// What was learned.
    pub text: String,
    /// What it is about; absent: as its text begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// To what it applies: a path, a glob, `module:<name>`; absent: as the topic says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// `architecture`, `convention`, `tooling` or `gotcha`; absent: as its words say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// When this was seen to be so, for what is told late; absent, or ahead: now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_at: Option<String>,
}

/// What became of a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TaskNoted {
    /// The learning.
    pub learning: Learned,
    /// Something could not be looked at: the warnings say what.
    pub degraded: bool,
    /// What to know.
    pub warnings: Vec<String>,
}

/// A number, or nothing: whoever counts cost and time may write `NaN`, and a report is not lost for it.
pub(crate) fn amount<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    })
}

/// The same of whole milliseconds; a negative number of them is none.
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
