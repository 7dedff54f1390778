//! Tasks: what a coding agent was asked to do on a repository, and how it ended. Shapes and the
//! rule of their states; who may change them, and what is remembered of them, is the engine's matter.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::words::closed_words;
use crate::{ActorId, MemoryId, RecordId, RepositoryId, SessionId, TaskId, Timestamp};

closed_words! {
    /// What is asked for.
    TaskKind {
        /// Something new, that ends in a pull request.
        NewTask = "new_task",
        /// More work on a pull request that is there.
        PrIteration = "pr_iteration",
        /// A pull request is looked through.
        PrReview = "pr_review",
    }
}

closed_words! {
    /// How far it has come.
    TaskStatus {
        /// Taken in.
        Accepted = "accepted",
        /// What is known is put together for the agent.
        Hydrating = "hydrating",
        /// The agent works.
        Running = "running",
        /// The agent waits for a person.
        AwaitingApproval = "awaiting_approval",
        /// The agent is done; what it leaves behind is collected.
        Finalizing = "finalizing",
        /// It ended as it should.
        Completed = "completed",
        /// It ended in a failure.
        Failed = "failed",
        /// Somebody called it off.
        Cancelled = "cancelled",
        /// Its time was over.
        TimedOut = "timed_out",
    }
}

closed_words! {
    /// Which memory a task is given.
    #[derive(Default)]
    MemoryArm {
        /// All of it.
        #[default]
        On = "on",
        /// None: the task belongs to the control group.
        Off = "off",
        /// Knowledge and episodes.
        Tier1 = "tier1",
        /// Rules and outcomes too.
        Tier2 = "tier2",
        /// Preferences and reflections too.
        Tier3 = "tier3",
    }
}

impl TaskStatus {
    /// True for the ends: nothing follows them.
    pub fn is_terminal(self) -> bool {
        self.stage() == ENDED
    }

    /// True where `next` may follow: forward, over as many stages as may be, and to and fro between working and waiting for
    /// approval. Nothing follows an end, and nothing follows itself.
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

/// A pull request, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskPullRequest {
    /// Its number.
    pub number: u64,
    /// Where it is seen.
    #[serde(default)]
    pub url: Option<String>,
    /// The commit at its head.
    #[serde(default)]
    pub head_sha: Option<String>,
    /// The commit by which it came onto its base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_commit_sha: Option<String>,
}

/// The prompt that a task is given, by its parts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskPrompt {
    /// The template.
    pub template_id: Option<String>,
    /// Digest of the template.
    pub template_sha256: Option<String>,
    /// Digest of what the repository overrides in it.
    pub overrides_sha256: Option<String>,
}

/// What a task left behind in long-term memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskWritten {
    /// Its episode: one for its whole life.
    pub episode: Option<RecordId>,
    /// The episode is all that the orchestrator could say; what the agent says takes its place.
    pub is_minimal: bool,
    /// Learnings that were added.
    pub learnings: u32,
    /// Items of self-feedback that were added.
    pub self_feedback: u32,
}

/// What was said of memories in a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskFeedback {
    /// What was used.
    pub used: BTreeSet<RecordId>,
    /// What helped.
    pub helpful: BTreeSet<RecordId>,
    /// What misled, with how; empty where nobody said.
    pub harmful: BTreeMap<RecordId, String>,
    /// When that was said first, and by whom; absent of what was said before this was written down.
    #[serde(default)]
    pub harms: BTreeMap<RecordId, Harm>,
}

/// When a memory was called harmful in a task, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Harm {
    /// The first time; by a person, where one said so later than the agent.
    pub at: Timestamp,
    /// A person said it.
    pub by_human: bool,
}

impl TaskFeedback {
    /// What misled, and when that was said first, in milliseconds; 0 where that was not written down.
    pub fn harmed(&self) -> impl Iterator<Item = (&RecordId, i64)> {
        self.harmful.keys().map(|id| (id, self.harms.get(id).map_or(0, |harm| harm.at.millis())))
    }
}

/// The proof of who asked for a task: which of the names that it gives a person were sent by a key
/// that may read that person's preferences itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RequesterProof {
    /// The login is proved.
    pub login: bool,
    /// The forge's number is proved.
    pub number: bool,
}

impl RequesterProof {
    /// Returns what this proof or another one proves.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { login: self.login || other.login, number: self.number || other.number }
    }
}

/// Why a task is not trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskAlert {
    /// What somebody saw.
    pub reason: String,
    /// Who, by name.
    pub by: String,
    /// When.
    pub at: Timestamp,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The memory.
    pub memory: MemoryId,
    /// Its id, the client's own where it gave one.
    pub id: TaskId,
    /// For whom it remembers: the repository `owner/name`, or `user:<id>` where it has none.
    pub actor: ActorId,
    /// The session of everything that is written for it: its id, where that can name one.
    pub session: SessionId,
    /// The repository.
    pub repository: Option<RepositoryId>,
    /// The forge it is at, as the request named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forge: Option<String>,
    /// The forge's number for it, as the request named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forge_repo_id: Option<u64>,
    /// The state of the memory when it was taken in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// Digest of the request that made it: by this a repetition is told from another task of that id.
    pub request_digest: String,
    /// What is asked for.
    pub kind: TaskKind,
    /// How far it has come.
    pub status: TaskStatus,
    /// Which memory it is given.
    pub arm: MemoryArm,
    /// Who asked, by name.
    pub user: Option<String>,
    /// Who asked, by the forge's number.
    pub user_id: Option<String>,
    /// The proof of that; `None`: the task was stored before such proofs were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester_proof: Option<RequesterProof>,
    /// What is to be done, in their words.
    pub description: String,
    /// The issue it is about.
    pub issue: Option<u64>,
    /// The pull request it is about, or ended in.
    pub pr: Option<TaskPullRequest>,
    /// The branch that is worked on.
    pub branch: Option<String>,
    /// The branch that it leaves from.
    pub base: Option<String>,
    /// The commit that it leaves from.
    pub base_sha: Option<String>,
    /// The prompt, by its parts.
    pub prompt: Option<TaskPrompt>,
    /// The version of the prompt.
    pub prompt_version: Option<String>,
    /// Digest of the issue and of what is to be done: what differs from task to task, and is no
    /// part of the prompt's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_hash: Option<String>,
    /// Digest of what the newest hydration showed; `None`: there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_hash: Option<String>,
    /// The model that works.
    pub model: Option<String>,
    /// The variant of an experiment.
    pub variant: Option<String>,
    /// The task that this one goes on with.
    pub parent: Option<TaskId>,
    /// The trace that its work is seen in: 32 hex digits.
    pub trace_id: Option<String>,
    /// What it cost.
    pub cost_usd: Option<f64>,
    /// How long it took.
    pub duration_s: Option<f64>,
    /// What went wrong, in at most a thousand characters.
    pub error_message: Option<String>,
    /// Which kind of failure it was.
    pub failure_category: Option<String>,
    /// What it left behind.
    pub written: TaskWritten,
    /// What was said of memories.
    #[serde(default)]
    pub feedback: TaskFeedback,
    /// It is not trusted: what it wrote is held back, and what it writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security_alert: Option<TaskAlert>,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// When it was taken in.
    pub created_at: Timestamp,
    /// When this was last changed.
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
