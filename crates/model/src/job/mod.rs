//! Jobs: work that outlives the request that asked for it. One table, one runner, one file per job kind.

pub mod exchange;

use serde::{Deserialize, Serialize};

use crate::words::open_words;
use crate::{ActorId, EventId, JobId, MemoryId, SessionId, StrategyId, Timestamp};

open_words! {
    /// The kind of a job: a word that names its handler. The kernel's own kinds are constants here;
    /// a product names its own beside the handler that it registers.
    JobKind, "kind", "a kind of job has 1 to 40 lower-case letters and underscores"
}

impl JobKind {
    /// Turns unprocessed events of one actor and session into records of one strategy.
    pub const EXTRACT: Self = Self::named("extract");
    /// Gives vectors to the passages of a memory that lack them.
    pub const EMBED: Self = Self::named("embed");
    /// Erases what was deleted, or a whole deleted memory.
    pub const PURGE: Self = Self::named("purge");
    /// Tells a self-managed strategy's owner about a session's new messages.
    pub const HANDOVER: Self = Self::named("handover");
    /// Looks for what several episodes teach.
    pub const REFLECT: Self = Self::named("reflect");
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
