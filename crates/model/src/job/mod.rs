//! Jobs: work that outlives the request that started it. One table, one runner, one file for each
//! kind of job.

pub mod exchange;

use serde::{Deserialize, Serialize};

use crate::words::open_words;
use crate::{ActorId, EventId, JobId, MemoryId, SessionId, StrategyId, Timestamp};

open_words! {
    /// The kind of a job: a word that names its handler. The kernel's own kinds are constants here.
    /// A product names its own kinds where it registers the handler.
    JobKind, "kind", "a kind of job has 1 to 40 lower-case letters and underscores"
}

impl JobKind {
    /// Turns unprocessed events of one actor and session into records of one strategy.
    pub const EXTRACT: Self = Self::named("extract");
    /// Computes vectors for the passages of a memory that lack them.
    pub const EMBED: Self = Self::named("embed");
    /// Erases deleted data, or a whole deleted memory.
    pub const PURGE: Self = Self::named("purge");
    /// Notifies a self-managed strategy's owner of a session's new messages.
    pub const HANDOVER: Self = Self::named("handover");
    /// Derives reflections from several episodes.
    pub const REFLECT: Self = Self::named("reflect");
}

/// The state of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// The job waits until it is due.
    Pending,
    /// A process runs the job under a lease.
    Running,
    /// All attempts failed. A caller can start the job again.
    Failed,
    /// Finished. It is kept for one day, so that people can see it.
    Done,
}

impl JobState {
    /// All states of a job.
    pub const ALL: &'static [Self] = &[Self::Pending, Self::Running, Self::Failed, Self::Done];

    /// Returns the word in stores and responses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Failed => "failed",
            Self::Done => "done",
        }
    }

    /// Parses the word that stores and responses use for the state.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|state| state.as_str() == word)
    }
}

/// One message that a job reads, for people.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct JobMessage {
    /// The event that contains the message.
    pub event: EventId,
    /// The index of the message in the payload of the event.
    pub message: u32,
}

/// The input of one round of a job. It is fixed before the job sends a request, so that the same
/// round sends the same request. A reflection reads the memory as of the opening of the window, and
/// `to` is then the maximum number of episodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobWindow {
    /// The arrival number after which it starts.
    pub from: u64,
    /// The arrival number of its last event.
    pub to: u64,
    /// The id of the notification, for hand-overs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The time at which it was fixed.
    pub opened_at: Timestamp,
}

/// A stored job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The id of the job.
    pub id: JobId,
    /// The memory that the job belongs to.
    pub memory: MemoryId,
    /// The kind of the job.
    pub kind: JobKind,
    /// At most one pending or running job of a memory has this key.
    pub unique_key: String,
    /// The strategy that the job runs; `None` if the job does not extract records.
    pub strategy: Option<StrategyId>,
    /// The actor whose events the job reads; `None` if the job does not extract records.
    pub actor: Option<ActorId>,
    /// The session whose events the job reads; `None` if the job does not extract records.
    pub session: Option<SessionId>,
    /// The state of the job.
    pub state: JobState,
    /// The time from which the job may run.
    pub due: Timestamp,
    /// The host that holds the lease, while running.
    pub lease_host: Option<String>,
    /// The end of the lease, while running.
    pub lease_until: Option<Timestamp>,
    /// True if it was requested again while it ran: it becomes pending again when it ends.
    pub rerun: bool,
    /// Number of attempts since the job's last success.
    pub attempts: u32,
    /// The reason for the failure: a code, then `: ` and a plain explanation.
    pub failure_reason: Option<String>,
    /// The messages that the job read when it failed.
    pub messages: Vec<JobMessage>,
    /// True if it is pending but must not run, because it waits for an external response that wakes
    /// it.
    #[serde(default)]
    pub waits: bool,
    /// The input of the current round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<JobWindow>,
    /// True if the job's last round used the deterministic half in place of the model.
    #[serde(default)]
    pub fallback: bool,
    /// The time at which the job was requested.
    pub created_at: Timestamp,
    /// The time at which the job was last changed.
    pub updated_at: Timestamp,
}

/// A job to request. If a job with the same key is pending, it stays, and its time changes by
/// `due_rule`. If one is running, it will run again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    /// The id, if a new job is created.
    pub id: JobId,
    /// The memory that the job belongs to.
    pub memory: MemoryId,
    /// The kind of the job.
    pub kind: JobKind,
    /// The unique key, like [`Job::unique_key`].
    pub unique_key: String,
    /// The strategy that the job runs; `None` if the job does not extract records.
    pub strategy: Option<StrategyId>,
    /// The actor whose events the job reads; `None` if the job does not extract records.
    pub actor: Option<ActorId>,
    /// The session whose events the job reads; `None` if the job does not extract records.
    pub session: Option<SessionId>,
    /// The time from which the job may run.
    pub due: Timestamp,
    /// The effect on the time of a pending job with the same key.
    pub due_rule: DueRule,
}

/// The effect of a repeated request on the time of a pending job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueRule {
    /// The job runs at the earlier of the two times.
    Earlier,
    /// The job runs at the later of the two times, so that it waits for a pause in the events.
    Later,
}

/// The number of jobs of a part of a memory, by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobCounts {
    /// Number of pending or running jobs.
    pub pending: u64,
    /// Number of these that wait for an external response and that nothing here can run.
    pub waiting: u64,
    /// Number of jobs whose attempts all failed.
    pub failed: u64,
}

impl JobCounts {
    /// Returns the number of jobs that can end without external input.
    pub fn runnable(&self) -> u64 {
        self.pending.saturating_sub(self.waiting)
    }
}
