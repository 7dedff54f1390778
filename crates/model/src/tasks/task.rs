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
        /// The time limit passed.
        TimedOut = "timed_out",
    }
}

closed_words! {
    /// The part of memory that a task gets.
    #[derive(Default)]
    MemoryArm {
        /// All memory.
        #[default]
        On = "on",
        /// No memory: the task belongs to the control group.
        Off = "off",
        /// Knowledge and episodes.
        Tier1 = "tier1",
        /// Also rules and outcomes.
        Tier2 = "tier2",
        /// Also preferences and reflections.
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
    /// Its number.
    pub number: u64,
    /// The URL of the pull request.
    #[serde(default)]
    pub url: Option<String>,
    /// The commit at its head.
    #[serde(default)]
    pub head_sha: Option<String>,
    /// The commit that merged it into its base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_commit_sha: Option<String>,
}

/// The prompt of a task, by its parts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskPrompt {
    /// The template.
    pub template_id: Option<String>,
    /// Digest of the template.
    pub template_sha256: Option<String>,
    /// Digest of the repository's overrides of the template.
    pub overrides_sha256: Option<String>,
}

/// The records that a task left in long-term memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskWritten {
    /// Its episode: one for the whole task.
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
    /// Memories that were used.
    pub used: BTreeSet<RecordId>,
    /// Memories that helped.
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
    /// The observation.
    pub reason: String,
    /// The name of the reporter.
    pub by: String,
    /// The time of the report.
    pub at: Timestamp,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The memory.
    pub memory: MemoryId,
    /// Its id, the client's own if the client sent one.
    pub id: TaskId,
    /// The actor that it remembers for: the repository `owner/name`, or `user:<id>` without a
    /// repository.
    pub actor: ActorId,
    /// The session of everything that is written for it: its id, if that is a valid session name.
    pub session: SessionId,
    /// The repository.
    pub repository: Option<RepositoryId>,
    /// The forge of the repository, as the request named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forge: Option<String>,
    /// The forge's id of the repository, as the request named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forge_repo_id: Option<u64>,
    /// The snapshot of the memory at its acceptance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// Digest of the request that created it. It distinguishes a repetition from another task with
    /// that id.
    pub request_digest: String,
    /// The kind of work.
    pub kind: TaskKind,
    /// The status.
    pub status: TaskStatus,
    /// The part of memory that it gets.
    pub arm: MemoryArm,
    /// The name of the requester.
    pub user: Option<String>,
    /// The forge's number of the requester.
    pub user_id: Option<String>,
    /// The proof of the requester; `None`: the task is older than such proofs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester_proof: Option<RequesterProof>,
    /// The task in the requester's words.
    pub description: String,
    /// The issue that it concerns.
    pub issue: Option<u64>,
    /// The pull request that it concerns or ended in.
    pub pr: Option<TaskPullRequest>,
    /// The branch of the work.
    pub branch: Option<String>,
    /// The base branch.
    pub base: Option<String>,
    /// The base commit.
    pub base_sha: Option<String>,
    /// The prompt, by its parts.
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
    /// The variant of an experiment.
    pub variant: Option<String>,
    /// The task that this one continues.
    pub parent: Option<TaskId>,
    /// The trace of its work: 32 hex digits.
    pub trace_id: Option<String>,
    /// Cost in USD.
    pub cost_usd: Option<f64>,
    /// Duration in seconds.
    pub duration_s: Option<f64>,
    /// The error, in at most 1,000 characters.
    pub error_message: Option<String>,
    /// The category of the failure.
    pub failure_category: Option<String>,
    /// The records that it wrote.
    pub written: TaskWritten,
    /// The feedback on memories.
    #[serde(default)]
    pub feedback: TaskFeedback,
    /// Set if the task is not trusted: everything that it wrote or writes is quarantined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security_alert: Option<TaskAlert>,
    /// The time of its end.
    pub completed_at: Option<Timestamp>,
    /// The time of its acceptance.
    pub created_at: Timestamp,
    /// The time of the last change of this entry.
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
