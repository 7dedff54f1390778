//! Jobs: work that outlives the request that asked for it. One table, one runner, one file per job kind.

use serde::{Deserialize, Serialize};

use crate::{ActorId, EventId, JobId, MemoryId, SessionId, StrategyId, Timestamp};

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Turns unprocessed events of one actor and session into records of one strategy.
    Extract,
    /// Gives vectors to the passages of a memory that lack them.
    Embed,
    /// Erases what was deleted, or a whole deleted memory.
    Purge,
    /// Tells a self-managed strategy's owner about a session's new messages.
    Handover,
    /// Looks for what several episodes teach.
    Reflect,
    /// Verifies a repository's facts at a new tip of its default branch.
    Verify,
    /// Proposes citations for a record that was extracted, from the files and symbols that its text names.
    Cite,
    /// Deals with what hooks brought of one review, one pull request, or one repository's pushes, checks and names.
    Hook,
    /// Asks a repository's forge for the reviews that changed.
    ReviewPoll,
    /// Reads the reviews of a repository's latest pull requests, from the past.
    ReviewBackfill,
    /// Asks a model which rules follow from a review.
    ReviewRules,
    /// Reads what is new of a repository's history, and counts which files change together.
    CoChange,
    /// Asks a model what of a tree of documents is to be put in order.
    TreePlan,
    /// Reads what a worker agent of an investigation answered.
    AgentResponse,
    /// Sums up what was said in the session of an investigation that was completed.
    SessionSummary,
}

impl JobKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Extract,
        Self::Embed,
        Self::Purge,
        Self::Handover,
        Self::Reflect,
        Self::Verify,
        Self::Cite,
        Self::CoChange,
        Self::Hook,
        Self::ReviewPoll,
        Self::ReviewBackfill,
        Self::ReviewRules,
        Self::TreePlan,
        Self::AgentResponse,
        Self::SessionSummary,
    ];

    /// Those that whoever waits for records waits for: what they make is retrieved.
    pub const AWAITED: &'static [Self] = &[
        Self::Extract,
        Self::Embed,
        Self::Reflect,
        Self::ReviewRules,
        Self::TreePlan,
        Self::AgentResponse,
        Self::SessionSummary,
    ];

    /// The word that stands for it in stores and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Extract => "extract",
            Self::Embed => "embed",
            Self::Purge => "purge",
            Self::Handover => "handover",
            Self::Reflect => "reflect",
            Self::Verify => "verify",
            Self::Cite => "cite",
            Self::Hook => "hook",
            Self::ReviewPoll => "review_poll",
            Self::ReviewBackfill => "review_backfill",
            Self::ReviewRules => "review_rules",
            Self::CoChange => "co_change",
            Self::TreePlan => "tree_plan",
            Self::AgentResponse => "agent_response",
            Self::SessionSummary => "session_summary",
        }
    }

    /// From its word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == word)
    }
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// Waits for its time.
    Pending,
    /// A runner holds it.
    Running,
    /// Tried out; can be started again.
    Failed,
    /// Finished; kept for a day so that people can see it.
    Done,
}

impl JobState {
    /// Every state.
    pub const ALL: &'static [Self] = &[Self::Pending, Self::Running, Self::Failed, Self::Done];

    /// The word that stands for it in stores and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Failed => "failed",
            Self::Done => "done",
        }
    }

    /// From its word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|state| state.as_str() == word)
    }
}

/// One message that a job reads, for people.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct JobMessage {
    /// The event.
    pub event: EventId,
    /// Index into its payload.
    pub message: u32,
}

/// What one round of a job reads, fixed before it asks anyone: the same round asks the same question. A reflection reads
/// what was known when it was opened: of its numbers, `to` is how many episodes at most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobWindow {
    /// Arrival number behind which it starts.
    pub from: u64,
    /// Arrival number of its last event.
    pub to: u64,
    /// The id of the notification, for hand-overs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// When it was fixed.
    pub opened_at: Timestamp,
}

/// A job as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The id.
    pub id: JobId,
    /// The memory.
    pub memory: MemoryId,
    /// What it does.
    pub kind: JobKind,
    /// Of the pending and running jobs of a memory, at most one has this key.
    pub unique_key: String,
    /// The strategy, for extraction.
    pub strategy: Option<StrategyId>,
    /// The actor, for extraction.
    pub actor: Option<ActorId>,
    /// The session, for extraction.
    pub session: Option<SessionId>,
    /// Where it stands.
    pub state: JobState,
    /// When it may run.
    pub due: Timestamp,
    /// Who holds it, while running.
    pub lease_host: Option<String>,
    /// Until when, while running.
    pub lease_until: Option<Timestamp>,
    /// Asked for again while it ran: it becomes pending again when it ends.
    pub rerun: bool,
    /// How often it was tried since it last succeeded.
    pub attempts: u32,
    /// Why it failed: a code, then `: ` and a plain explanation.
    pub failure_reason: Option<String>,
    /// The messages it read when it failed.
    pub messages: Vec<JobMessage>,
    /// Pending, but not to be run: it waits for an answer from outside, which wakes it.
    #[serde(default)]
    pub waits: bool,
    /// What the round under way reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<JobWindow>,
    /// Its last end was by the deterministic half, in the model's place.
    #[serde(default)]
    pub fallback: bool,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A job to be asked for. If one with the same key is pending, that one stays and its time moves as `due_rule` says;
/// if one is running, it will run again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    /// The id, if a new job is made.
    pub id: JobId,
    /// The memory.
    pub memory: MemoryId,
    /// What it does.
    pub kind: JobKind,
    /// See [`Job::unique_key`].
    pub unique_key: String,
    /// The strategy, for extraction.
    pub strategy: Option<StrategyId>,
    /// The actor, for extraction.
    pub actor: Option<ActorId>,
    /// The session, for extraction.
    pub session: Option<SessionId>,
    /// When it may run.
    pub due: Timestamp,
    /// What happens to the time of a pending job with the same key.
    pub due_rule: DueRule,
}

/// What asking again does to the time of a pending job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueRule {
    /// The earlier time stays.
    Earlier,
    /// The later time is taken (wait for a pause).
    Later,
}

/// How many jobs of a part of a memory stand where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobCounts {
    /// Pending or running.
    pub pending: u64,
    /// Of these, waiting for an answer from outside: nothing here can run them.
    pub waiting: u64,
    /// Failed for good.
    pub failed: u64,
}

impl JobCounts {
    /// Jobs that will end without anything from outside.
    pub fn runnable(&self) -> u64 {
        self.pending.saturating_sub(self.waiting)
    }
}
