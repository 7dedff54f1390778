//! What an agent says at the end of a task, and what became of it.

use std::collections::BTreeMap;

use loci_model::tasks::task::{TaskPullRequest, TaskStatus};
use loci_model::{Error, RecordId, Result, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tasks::field_checks;

/// Hex digits of a commit's id; git takes no fewer.
const COMMIT_DIGITS: std::ops::RangeInclusive<usize> = 4..=64;

/// What an agent says at the end of a task. Written down for one purpose: the digest by which a repetition is told.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Completion {
    /// How it ended; `None`: the orchestrator says.
    pub status: Option<TaskStatus>,
    /// What was done.
    pub summary: Option<String>,
    /// How.
    pub approach: Option<String>,
    /// Paths that changed.
    pub files_changed: Vec<String>,
    /// What was hard.
    pub difficulties: Vec<String>,
    /// The pull request it ended in.
    pub pr: Option<TaskPullRequest>,
    /// The branch that was worked on.
    pub branch: Option<String>,
    /// Commits, oldest first.
    pub commits: Vec<String>,
    /// What it cost; no finite number of dollars is none.
    pub cost_usd: Option<f64>,
    /// How long it took; no finite number of seconds is none.
    pub duration_s: Option<f64>,
    /// What was checked, and how that ended.
    pub verification: Option<Value>,
    /// What went wrong.
    pub error_message: Option<String>,
    /// Which kind of failure it was.
    pub failure_category: Option<String>,
    /// What was learned about the repository.
    pub learnings_text: Option<String>,
    /// What the agent would have needed.
    pub self_feedback_text: Option<String>,
    /// When it was seen to be so; `None`, and what lies ahead: now.
    /// The same report is the same, however late it is told.
    #[serde(skip)]
    pub observed_at: Option<Timestamp>,
    /// The versions of the prompts that made these texts, by `learnings` and `self_feedback`.
    pub extraction_prompts: BTreeMap<String, String>,
    /// Memories that were used.
    pub used_memory_ids: Vec<String>,
    /// Memories that helped.
    pub helpful_memory_ids: Vec<String>,
    /// Memories that misled.
    pub harmful_memory_ids: Vec<String>,
}

impl Completion {
    /// Checks the shape.
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
    /// The report without what cannot be right of commits and pull request, and what was left out: nothing keeps a report
    /// from being stored.
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

/// The id of a commit, whole or its beginning.
fn is_commit(text: &str) -> bool {
    COMMIT_DIGITS.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Where a pull request is seen by a browser: whoever shows it makes a link of it.
fn is_page(url: &str) -> bool {
    let is_web = ["https://", "http://"].iter().any(|scheme| {
        url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
            && url.len() > scheme.len()
    });
    is_web && !url.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// A status that ends nothing.
pub(super) fn not_an_end() -> Error {
    Error::invalid("status", "status must be one of completed, failed, cancelled, timed_out")
}

/// What became of a learning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LearnedAction {
    /// It was stored.
    Added,
    /// It was stored, and took the place of what it contradicts.
    Superseded,
    /// It was stored beside what it contradicts, which is trusted more: a person decides.
    Conflict,
    /// It was stored as history: what contradicts it is newer.
    Outdated,
    /// It was there already.
    Duplicate,
    /// It waits for a person.
    Held,
    /// It looks like instructions to its reader, and waits for a person.
    Quarantined,
    /// It is not stored.
    Rejected,
}

impl LearnedAction {
    /// Whether a record was made that tasks may be shown.
    pub(in crate::tasks) fn is_added(self) -> bool {
        matches!(self, Self::Added | Self::Superseded | Self::Conflict)
    }

    /// The word that stands for it.
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

/// A learning, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learned {
    /// The record that holds it; `None` where it was rejected.
    pub id: Option<RecordId>,
    /// What became of it.
    pub action: LearnedAction,
    /// The reason why it was not added, or was added without a comparison.
    pub reason: Option<String>,
    /// What it is about, where it says so.
    pub topic: Option<String>,
}

/// What a task left behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completed {
    /// Its episode.
    pub episode: RecordId,
    /// Its learnings, in the order of the text.
    pub learnings: Vec<Learned>,
    /// Its self-feedback, in the order of the text.
    pub self_feedback: Vec<Learned>,
    /// Something could not be looked at: the warnings say what.
    pub degraded: bool,
    /// What to know.
    pub warnings: Vec<String>,
}
