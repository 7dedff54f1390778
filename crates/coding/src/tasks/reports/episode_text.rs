//! The episode of a task as text: the common form of all episodes (`strategies::episode_form`), and
//! the task's data as values: status, verification, pull request, cost.

use std::collections::BTreeMap;

use loci_engine::safety::{RedactionMode, json_secrets, secrets};
use loci_engine::strategies::episodes::episode_form::Episode;
use loci_engine::strategies::learnings;
use loci_model::tasks::task::{Task, TaskPullRequest, TaskStatus};
use loci_model::{Error, ErrorKind, Result, limits};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::completion::{Completion, CompletionRecords};
use crate::tasks::field_checks;

/// The summary of an episode without an agent's report.
const BY_ORCHESTRATOR: &str = "The orchestrator wrote this: the agent left no report.";
/// The source of an episode.
const BY_AGENT: &str = "agent_episode";
const FALLBACK: &str = "orchestrator_fallback";

/// The data of an ended task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TaskReport {
    pub(super) task_id: String,
    pub(super) repo: String,
    pub(super) kind: String,
    pub(super) source_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<TaskStatus>,
    /// The status that the agent reported, if the task had ended with another one before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) claimed_status: Option<TaskStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::tasks) summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::tasks) approach: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) files_changed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::tasks) difficulties: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) issue: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pr: Option<TaskPullRequest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) branch: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) commits: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cost_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) duration_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) verification: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::tasks) error_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure_category: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) learnings: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) self_feedback: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prompt_version: Option<String>,
    pub(super) memory_arm: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) extraction_prompts: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::tasks) used_memory_ids: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::tasks) helpful_memory_ids: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::tasks) harmful_memory_ids: Vec<String>,
}

/// An episode of a task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TaskEpisode {
    #[serde(flatten, deserialize_with = "loci_json::strict")]
    pub(super) episode: Episode,
    pub(crate) task: TaskReport,
}

impl TaskEpisode {
    /// Returns the episode of an agent's report. Secrets are masked before the text is written as
    /// JSON, where a key that spans several lines would not be recognized.
    pub(super) fn of_agent(
        task: &Task,
        said: &Completion,
        left: &CompletionRecords,
        mode: RedactionMode,
    ) -> Self {
        let masked = |text: &str| secrets::redact(text.to_owned(), mode).0;
        let optional =
            |text: &Option<String>| text.as_deref().map(masked).filter(|text| !text.trim().is_empty());
        let list = |texts: &[String]| texts.iter().map(|text| masked(text)).collect::<Vec<_>>();
        let ids = |learned: &[crate::Learned]| {
            learned.iter().filter_map(|one| one.id.as_ref().map(ToString::to_string)).collect()
        };
        let versions = said.extraction_prompts.iter().map(|(name, version)| (masked(name), masked(version)));
        let feedback = learnings::parse(said.self_feedback_text.as_deref().unwrap_or_default());
        // The first end stays. A late report is stored next to it; otherwise a task that timed out
        // would read as a success.
        let status = ended(task).or(said.status);
        let report = TaskReport {
            source_type: BY_AGENT.to_owned(),
            status,
            claimed_status: said.status.filter(|claimed| status != Some(*claimed)),
            summary: optional(&said.summary),
            approach: optional(&said.approach),
            files_changed: list(&said.files_changed),
            difficulties: list(&said.difficulties),
            commits: list(&said.commits),
            verification: said.verification.clone().map(|value| json_secrets::redact_all(value, mode)),
            learnings: ids(&left.learnings),
            self_feedback: feedback.iter().map(|one| masked(&one.text)).collect(),
            extraction_prompts: versions.collect(),
            used_memory_ids: said.used_memory_ids.clone(),
            helpful_memory_ids: said.helpful_memory_ids.clone(),
            harmful_memory_ids: said.harmful_memory_ids.clone(),
            ..Self::known(task)
        };
        Self::of(task, report)
    }

    /// Returns the episode without an agent's report, from the orchestrator's data.
    pub(super) fn minimal(task: &Task, reason: Option<String>) -> Self {
        let report = TaskReport {
            source_type: FALLBACK.to_owned(),
            status: ended(task),
            reason,
            summary: Some(BY_ORCHESTRATOR.to_owned()),
            ..Self::known(task)
        };
        Self::of(task, report)
    }

    /// Returns the data that the task itself has.
    fn known(task: &Task) -> TaskReport {
        TaskReport {
            task_id: task.id.to_string(),
            repo: task.actor.to_string(),
            kind: task.kind.as_str().to_owned(),
            issue: task.issue,
            pr: task.pr.clone(),
            branch: task.branch.clone(),
            cost_usd: task.cost_usd,
            duration_s: task.duration_s,
            error_message: task.error_message.clone(),
            failure_category: task.failure_category.clone(),
            model: task.model.clone(),
            prompt_version: task.prompt_version.clone(),
            memory_arm: task.arm.as_str().to_owned(),
            ..TaskReport::default()
        }
    }

    fn of(task: &Task, report: TaskReport) -> Self {
        let mut made = Self { episode: Episode::default(), task: report };
        made.tell(task);
        made
    }

    /// Sets the common form of episodes from the report.
    fn tell(&mut self, task: &Task) {
        let report = &self.task;
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        self.episode = Episode {
            situation: text(&report.approach),
            intent: task.description.clone(),
            assessment: assessment(report.status).to_owned(),
            justification: text(&report.summary),
            reflection: report.difficulties.join("\n"),
            ..Episode::default()
        };
    }

    /// True if no agent reported the task.
    pub(crate) fn is_fallback(&self) -> bool {
        self.task.source_type == FALLBACK
    }

    /// Fills in the missing parts of an agent's report. True if the report changed.
    pub(super) fn fill(&mut self, task: &Task) -> bool {
        let before = self.task.clone();
        let report = &mut self.task;
        report.status = report.status.or(ended(task));
        report.cost_usd = report.cost_usd.or(task.cost_usd);
        report.duration_s = report.duration_s.or(task.duration_s);
        report.error_message = report.error_message.take().or_else(|| task.error_message.clone());
        if *report == before {
            return false;
        }
        self.tell(task);
        true
    }

    /// Parses the text of a record; `None` if it is not a task's episode.
    pub(crate) fn read(text: &str) -> Option<Self> {
        loci_json::from_str(text).ok().filter(|read: &Self| !read.task.task_id.is_empty())
    }

    /// Returns the text for a record.
    ///
    /// # Errors
    /// `TooLarge` above [`limits::TASK_EPISODE_BYTES_MAX`].
    pub(super) fn write(&self) -> Result<String> {
        let text = serde_json::to_string(self)
            .map_err(|error| Error::bug("an episode that cannot be written down").caused_by(error))?;
        if text.len() <= limits::TASK_EPISODE_BYTES_MAX {
            return Ok(text);
        }
        let max = limits::TASK_EPISODE_BYTES_MAX;
        let message =
            format!("what a task reports must have at most {max} bytes as JSON: leave parts of it out");
        Err(Error::new(ErrorKind::TooLarge, message))
    }

    /// Returns the text that the index reads.
    pub(super) fn index_text(&self) -> String {
        self.episode.values()
    }

    /// Returns a summary of the task for a prompt, at most [`limits::TASK_SUMMARY_CHARS_MAX`]
    /// characters.
    pub(super) fn summary(&self, task: &Task) -> String {
        let report = &self.task;
        let status = report.status.map_or("without a status", TaskStatus::as_str);
        let claimed = report.claimed_status.map(TaskStatus::as_str);
        let claimed = claimed.map_or_else(String::new, |claimed| format!(" (its agent said {claimed})"));
        let mut parts = vec![format!("{} ended {status}{claimed}: {}", report.task_id, task.description)];
        parts.extend(report.summary.clone());
        parts.extend(report.approach.as_ref().map(|approach| format!("Approach: {approach}")));
        parts.extend(report.pr.as_ref().map(|pr| format!("Pull request {}.", pr.number)));
        if !report.difficulties.is_empty() {
            parts.push(format!("Difficulties: {}", report.difficulties.join("; ")));
        }
        parts.extend(report.error_message.as_ref().map(|error| format!("Error: {error}")));
        parts.extend(report.duration_s.map(|duration| format!("{duration:.1} s.")));
        parts.extend(report.cost_usd.map(|cost| format!("{cost:.4} USD.")));
        let words = parts.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
        field_checks::cut(words, limits::TASK_SUMMARY_CHARS_MAX)
    }
}

/// Returns the terminal status of a task, if it has ended.
fn ended(task: &Task) -> Option<TaskStatus> {
    task.status.is_terminal().then_some(task.status)
}

/// Returns the assessment of a status, in the words of the common form.
fn assessment(status: Option<TaskStatus>) -> &'static str {
    match status {
        Some(TaskStatus::Completed) => "success",
        Some(TaskStatus::Failed | TaskStatus::TimedOut) => "failure",
        Some(
            TaskStatus::Cancelled
            | TaskStatus::Accepted
            | TaskStatus::Hydrating
            | TaskStatus::Running
            | TaskStatus::AwaitingApproval
            | TaskStatus::Finalizing,
        )
        | None => "unknown",
    }
}
