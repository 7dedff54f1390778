//! The report of an agent at the end of a task, and its result.

use std::collections::BTreeMap;

use loci_model::tasks::task::{TaskPullRequest, TaskStatus};
use loci_model::{Error, RecordId, Result, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tasks::field_checks;

/// The number of hex digits of a commit id; git accepts no fewer.
const COMMIT_DIGITS: std::ops::RangeInclusive<usize> = 4..=64;

/// The report of an agent at the end of a task. It is serialized only to compute the digest that
/// detects repetitions.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Completion {
    /// The status; `None`: the orchestrator reports it.
    pub status: Option<TaskStatus>,
    /// A summary of the task's work.
    pub summary: Option<String>,
    /// The approach that the agent took in the task.
    pub approach: Option<String>,
    /// The paths that the task changed.
    pub files_changed: Vec<String>,
    /// The difficulties that the agent met in the task.
    pub difficulties: Vec<String>,
    /// The pull request that the task created.
    pub pr: Option<TaskPullRequest>,
    /// The branch of the task.
    pub branch: Option<String>,
    /// The commits of the task, the oldest first.
    pub commits: Vec<String>,
    /// The cost in dollars; a value that is not finite is ignored.
    pub cost_usd: Option<f64>,
    /// The duration in seconds; a value that is not finite is ignored.
    pub duration_s: Option<f64>,
    /// The checks that were run, with their results.
    pub verification: Option<Value>,
    /// The error message of a failed task.
    pub error_message: Option<String>,
    /// The kind of failure of a failed task.
    pub failure_category: Option<String>,
    /// The learnings about the repository.
    pub learnings_text: Option<String>,
    /// The self-feedback: information that the agent lacked.
    pub self_feedback_text: Option<String>,
    /// The time of the observations; `None`, or a future time: now. It is not part of the digest,
    /// so a report that is repeated later is still the same.
    #[serde(skip)]
    pub observed_at: Option<Timestamp>,
    /// The versions of the prompts that produced these texts, by `learnings` and `self_feedback`.
    pub extraction_prompts: BTreeMap<String, String>,
    /// The ids of shown records that the agent used.
    pub used_memory_ids: Vec<String>,
    /// The ids of shown records that helped the agent.
    pub helpful_memory_ids: Vec<String>,
    /// The ids of shown records that misled the agent.
    pub harmful_memory_ids: Vec<String>,
}

impl Completion {
    /// Checks the shape of the report.
    pub(super) fn check(&self) -> Result<()> {
        if self.status.is_some_and(|status| !status.is_terminal()) {
            return Err(not_an_end());
        }
        field_checks::name("branch", self.branch.as_ref())?;
        field_checks::failure_category(self.failure_category.as_ref())?;
        for id in self.used_memory_ids.iter().chain(&self.helpful_memory_ids).chain(&self.harmful_memory_ids)
        {
            RecordId::parse(id.as_str()).map_err(|error| error.on("used_memory_ids"))?;
        }
        self.extraction_prompts
            .values()
            .try_for_each(|version| field_checks::name("extraction_prompts", Some(version)))
    }
}

impl Completion {
    /// Returns the report without invalid commits and pull requests, and warnings about them, so
    /// that the report is stored in any case.
    pub(super) fn valid(mut self) -> (Self, Vec<String>) {
        let mut warnings = Vec::new();
        let before = self.commits.len();
        self.commits.retain(|commit| is_commit(commit));
        if self.commits.len() < before {
            let count = before - self.commits.len();
            let rule = "commits must be ids of commits, 4 to 64 hex digits";
            warnings.push(format!("COMMIT_LEFT_OUT: {rule}; {count} of {before} are left out"));
        }
        if self.pr.take_if(|pr| pr.number == 0).is_some() {
            warnings.push(
                "PR_LEFT_OUT: pr.number must be at least 1; what was said of the pull request is left out"
                    .to_owned(),
            );
        }
        if let Some(pr) = &mut self.pr {
            if pr.url.take_if(|url| !is_page(url)).is_some() {
                let rule = "pr.url must begin with https:// or http://, and hold no spaces";
                warnings.push(format!("PR_URL_LEFT_OUT: {rule}; it is left out"));
            }
            if pr.head_sha.take_if(|sha| !is_commit(sha)).is_some() {
                let rule = "pr.head_sha must be the id of a commit, 4 to 64 hex digits";
                warnings.push(format!("PR_HEAD_LEFT_OUT: {rule}; it is left out"));
            }
        }
        (self, warnings)
    }
}

/// True for the id of a commit, in full or as a prefix.
fn is_commit(text: &str) -> bool {
    COMMIT_DIGITS.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// True for the address of a pull request's web page, which clients show as a link.
fn is_page(url: &str) -> bool {
    let is_web = ["https://", "http://"].iter().any(|scheme| {
        url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
            && url.len() > scheme.len()
    });
    is_web && !url.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// Returns the error for a status that is not terminal.
pub(super) fn not_an_end() -> Error {
    Error::invalid("status", "status must be one of completed, failed, cancelled, timed_out")
}

/// The result of a learning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LearnedAction {
    /// It was stored.
    Added,
    /// It was stored, and superseded records that it contradicts.
    Superseded,
    /// It was stored next to a record that it contradicts and that is more trusted. A person
    /// decides.
    Conflict,
    /// It was stored as history, because a newer record contradicts it.
    Outdated,
    /// It was known already.
    Duplicate,
    /// It waits for a person.
    Held,
    /// It looks like instructions to its reader, and waits for a person.
    Quarantined,
    /// It was not stored.
    Rejected,
}

impl LearnedAction {
    /// True if the result is a record that tasks may be shown.
    pub(in crate::tasks) fn is_added(self) -> bool {
        matches!(self, Self::Added | Self::Superseded | Self::Conflict)
    }

    /// Returns the name that the API uses for this value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Superseded => "superseded",
            Self::Conflict => "conflict",
            Self::Outdated => "outdated",
            Self::Duplicate => "duplicate",
            Self::Held => "held",
            Self::Quarantined => "quarantined",
            Self::Rejected => "rejected",
        }
    }
}

/// A learning, and its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learned {
    /// The record; `None` if it was rejected.
    pub id: Option<RecordId>,
    /// The result.
    pub action: LearnedAction,
    /// The reason why it was not added, or was added without a comparison.
    pub reason: Option<String>,
    /// The topic, if it has one.
    pub topic: Option<String>,
}

/// The records of a completed task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompletionRecords {
    /// The id of the task's episode record.
    pub episode: RecordId,
    /// The learnings of the task, in the order of the reported text.
    pub learnings: Vec<Learned>,
    /// The self-feedback of the task, in the order of the reported text.
    pub self_feedback: Vec<Learned>,
    /// True if a check could not run; the warnings name it.
    pub degraded: bool,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}
