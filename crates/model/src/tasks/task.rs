//! Tasks: the work that a coding agent was asked to do on a repository, and its end. This module
//! holds the data types and the transitions of their states. The engine checks permissions and
//! stores memories.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::words::closed_words;
use crate::{ActorId, MemoryId, RecordId, RepositoryId, SessionId, TaskId, Timestamp};

closed_words! {
    /// The kind of a task.
    TaskKind {
        /// New work that ends in a pull request.
        NewTask = "new_task",
        /// More work on an existing pull request.
        PrIteration = "pr_iteration",
        /// A review of a pull request.
        PrReview = "pr_review",
    }
}

closed_words! {
    /// The status of a task.
    TaskStatus {
        /// The task is accepted.
        Accepted = "accepted",
        /// Loci collects the memories for the agent.
        Hydrating = "hydrating",
        /// The agent works.
        Running = "running",
        /// The agent waits for a person.
        AwaitingApproval = "awaiting_approval",
        /// The agent is done. Its results are collected.
        Finalizing = "finalizing",
        /// The task ended successfully.
        Completed = "completed",
        /// The task ended in a failure.
        Failed = "failed",
        /// The task was cancelled.
        Cancelled = "cancelled",
        /// The task reached its time limit.
        TimedOut = "timed_out",
    }
}

closed_words! {
    /// The part of memory that a task gets.
    #[derive(Default)]
    MemoryArm {
        /// The task receives all memory.
        #[default]
        On = "on",
        /// No memory: the task belongs to the control group.
        Off = "off",
        /// The task receives knowledge and episodes.
        Tier1 = "tier1",
        /// The task receives knowledge, episodes, rules and outcomes.
        Tier2 = "tier2",
        /// The task receives knowledge, episodes, rules, outcomes, preferences and reflections.
        Tier3 = "tier3",
    }
}

impl TaskStatus {
    /// True for final states, which nothing follows.
    pub fn is_terminal(self) -> bool {
        self.stage() == ENDED
    }

    /// True if `next` may follow: forward over any number of stages, and back and forth between
    /// running and awaiting approval. Nothing follows a final state, and no state follows itself.
    pub fn may_become(self, next: Self) -> bool {
        self != next
            && !self.is_terminal()
            && (next.stage() > self.stage() || (self.stage() == WORKING && next.stage() == WORKING))
    }

    fn stage(self) -> u8 {
        match self {
            Self::Accepted => 0,
            Self::Hydrating => 1,
            Self::Running | Self::AwaitingApproval => WORKING,
            Self::Finalizing => 3,
            Self::Completed | Self::Failed | Self::Cancelled | Self::TimedOut => ENDED,
        }
    }
}

/// The stage of work.
const WORKING: u8 = 2;
/// The last stage.
const ENDED: u8 = 4;

/// The known data of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskPullRequest {
    /// The number of the pull request.
    pub number: u64,
    /// The URL of the pull request.
    #[serde(default)]
    pub url: Option<String>,
    /// The newest commit of the pull request.
    #[serde(default)]
    pub head_sha: Option<String>,
    /// The commit that merged the pull request into its base branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_commit_sha: Option<String>,
}

/// The prompt of a task, by its parts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskPrompt {
    /// The id of the prompt's template.
    pub template_id: Option<String>,
    /// Digest of the template.
    pub template_sha256: Option<String>,
    /// Digest of the repository's overrides of the template.
    pub overrides_sha256: Option<String>,
}

/// The records that a task left in long-term memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskWritten {
    /// The record that contains the episode of the task; `None` if there is none yet.
    pub episode: Option<RecordId>,
    /// True if the orchestrator's data alone produced the episode. An agent's report replaces it.
    pub is_minimal: bool,
    /// Number of learnings that were added.
    pub learnings: u32,
    /// Number of self-feedback items that were added.
    pub self_feedback: u32,
}

/// The feedback on memories in a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskFeedback {
    /// Records from memory that the agent used.
    pub used: BTreeSet<RecordId>,
    /// Records from memory that helped the agent.
    pub helpful: BTreeSet<RecordId>,
    /// Memories that misled, with the effect; empty if none was reported.
    pub harmful: BTreeMap<RecordId, String>,
    /// The time and the source of the first harmful report; absent for reports from before this
    /// field existed.
    #[serde(default)]
    pub harms: BTreeMap<RecordId, Harm>,
}

/// The time and the source of a harmful report in a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Harm {
    /// The first time. A person's later report replaces an agent's.
    pub at: Timestamp,
    /// True if a person reported it.
    pub by_human: bool,
}

impl TaskFeedback {
    /// Returns the memories that misled, with the time of the first report in milliseconds; 0 if it
    /// was not stored.
    pub fn harmed(&self) -> impl Iterator<Item = (&RecordId, i64)> {
        self.harmful.keys().map(|id| (id, self.harms.get(id).map_or(0, |harm| harm.at.millis())))
    }
}

/// The proof of a task's requester. It states which of the given names came from a key that may
/// itself read that person's preferences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RequesterProof {
    /// True if the login is proved.
    pub login: bool,
    /// True if the forge's number is proved.
    pub number: bool,
}

impl RequesterProof {
    /// Returns the union of this proof and another one.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { login: self.login || other.login, number: self.number || other.number }
    }
}

/// The reason why a task is not trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskAlert {
    /// The observation that led to the alert.
    pub reason: String,
    /// The name of the person or program that raised the alert.
    pub by: String,
    /// The time at which the alert was reported.
    pub at: Timestamp,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The memory that the task belongs to.
    pub memory: MemoryId,
    /// The id of the task, the client's own if the client sent one.
    pub id: TaskId,
    /// The actor that it remembers for: the repository `owner/name`, or `user:<id>` without a
    /// repository.
    pub actor: ActorId,
    /// The session of all events of the task: the id of the task, if that is a valid session name.
    pub session: SessionId,
    /// The repository that the task belongs to.
    pub repository: Option<RepositoryId>,
    /// The forge of the repository, as the request named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forge: Option<String>,
    /// The forge's id of the repository, as the request named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forge_repo_id: Option<u64>,
    /// The snapshot of the repository's memory when the server accepted the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// Digest of the request that created it. It distinguishes a repetition from another task with
    /// that id.
    pub request_digest: String,
    /// The kind of the task.
    pub kind: TaskKind,
    /// The status of the task.
    pub status: TaskStatus,
    /// The part of memory that the task gets.
    pub arm: MemoryArm,
    /// The name of the requester.
    pub user: Option<String>,
    /// The forge's number of the requester.
    pub user_id: Option<String>,
    /// The proof of the requester; `None`: the task is older than such proofs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester_proof: Option<RequesterProof>,
    /// The description of the work, as the requester wrote it.
    pub description: String,
    /// The issue that the task concerns.
    pub issue: Option<u64>,
    /// The pull request that the task concerns or ended in.
    pub pr: Option<TaskPullRequest>,
    /// The branch on which the agent works.
    pub branch: Option<String>,
    /// The branch that the agent's branch starts from.
    pub base: Option<String>,
    /// The commit that the agent's branch starts from.
    pub base_sha: Option<String>,
    /// The digests of the parts of the agent's prompt.
    pub prompt: Option<TaskPrompt>,
    /// The version of the prompt.
    pub prompt_version: Option<String>,
    /// Digest of the issue and the description. These differ between tasks and are not part of the
    /// prompt's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_hash: Option<String>,
    /// Digest of the content of the newest hydration; `None`: there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_hash: Option<String>,
    /// The model of the agent.
    pub model: Option<String>,
    /// The name of the experiment variant that the task belongs to, for measures.
    pub variant: Option<String>,
    /// The task that this one continues.
    pub parent: Option<TaskId>,
    /// The trace of the task's work: 32 hex digits.
    pub trace_id: Option<String>,
    /// Cost of the task in US dollars.
    pub cost_usd: Option<f64>,
    /// Duration of the task in seconds.
    pub duration_s: Option<f64>,
    /// The error, in at most 1,000 characters.
    pub error_message: Option<String>,
    /// The category of the failure.
    pub failure_category: Option<String>,
    /// The records that the task wrote.
    pub written: TaskWritten,
    /// The feedback on memories.
    #[serde(default)]
    pub feedback: TaskFeedback,
    /// Set if the task is not trusted: everything that it wrote or writes is quarantined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security_alert: Option<TaskAlert>,
    /// The time at which the task ended.
    pub completed_at: Option<Timestamp>,
    /// The time at which the server accepted the task.
    pub created_at: Timestamp,
    /// The time at which the stored task was last changed.
    pub updated_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_follows_an_end() {
        use TaskStatus as S;
        let check = |from: S, to: S, expect: bool| assert_eq!(from.may_become(to), expect, "{from:?} {to:?}");
        check(S::Accepted, S::Hydrating, true);
        check(S::Accepted, S::Running, true);
        check(S::Accepted, S::TimedOut, true);
        check(S::Running, S::AwaitingApproval, true);
        check(S::AwaitingApproval, S::Running, true);
        check(S::Running, S::Running, false);
        check(S::Running, S::Hydrating, false);
        check(S::Finalizing, S::Running, false);
        check(S::Finalizing, S::Failed, true);
        let ends = [S::Completed, S::Failed, S::Cancelled, S::TimedOut];
        for end in ends {
            assert!(end.is_terminal());
            assert!(S::ALL.iter().all(|next| !end.may_become(*next)), "{end:?}");
        }
        assert_eq!(S::ALL.iter().filter(|status| status.is_terminal()).count(), ends.len());
    }
}
