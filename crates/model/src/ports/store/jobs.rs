//! Access to jobs.

use crate::job::{Job, JobCounts, JobKind, JobMessage, JobState, JobWindow, NewJob};
use crate::ports::trace;
use crate::{ActorId, JobId, MemoryId, Result, SessionId, StrategyId, Timestamp};

/// Which jobs to list: latest change first, ties by id.
#[derive(Debug, Clone, Default)]
pub struct JobQuery {
    /// Of these kinds; empty: of any.
    pub kinds: Vec<JobKind>,
    /// In this state.
    pub state: Option<JobState>,
    /// Of this strategy.
    pub strategy: Option<StrategyId>,
    /// Of this actor.
    pub actor: Option<ActorId>,
    /// Of this session.
    pub session: Option<SessionId>,
    /// Behind this one (keyset).
    pub after: Option<(Timestamp, JobId)>,
    /// At most so many.
    pub limit: usize,
}

/// How a try of a job failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFailure {
    /// A code, then `: ` and a plain explanation.
    pub reason: String,
    /// The messages it read.
    pub messages: Vec<JobMessage>,
    /// Try again then; `None`: give up, list as failed.
    pub retry_at: Option<Timestamp>,
    /// The deterministic half did the work in the model's place.
    pub fallback: bool,
    /// When it failed.
    pub at: Timestamp,
}

/// The table of jobs.
pub trait Jobs {
    /// The job of that id.
    fn get(&self, memory: &MemoryId, id: &JobId) -> Result<Option<Job>>;
    /// A page of a memory's jobs.
    fn list(&self, memory: &MemoryId, query: &JobQuery) -> Result<Vec<Job>>;
    /// Counts of a memory's jobs of the given kinds, or of those of an actor, or of a session of
    /// it; those without an actor count for every part.
    fn counts(
        &self,
        memory: &MemoryId,
        actor: Option<&ActorId>,
        session: Option<&SessionId>,
        kinds: &[JobKind],
    ) -> Result<JobCounts>;
    /// True while a job of that kind waits or runs. Asked before every answer: it costs the same however many are done.
    fn has_open(&self, memory: &MemoryId, kind: &JobKind) -> Result<bool>;
    /// The earliest time at which a pending job (of these memories; empty: any) may run; without those that wait.
    fn next_due(&self, memories: &[MemoryId]) -> Result<Option<Timestamp>>;
    /// Asks for a job (see [`NewJob`]); returns the id of the job that will do it. One that waits is treated like one that
    /// runs: it will run again. One whose last try failed keeps its pause.
    fn enqueue(&mut self, job: &NewJob, now: Timestamp) -> Result<JobId> {
        let id = self.put(job, now)?;
        trace::note_asked_job(&id);
        Ok(id)
    }
    /// The row of [`Self::enqueue`], which callers use.
    fn put(&mut self, job: &NewJob, now: Timestamp) -> Result<JobId>;
    /// Takes a job that is due and does not wait, or whose lease ran out: earliest due first, ties by id. Leases it to
    /// `host`: the name of the process, or one that begins with it and is this claim's alone.
    fn claim(
        &mut self,
        host: &str,
        memories: &[MemoryId],
        now: Timestamp,
        lease_ms: i64,
    ) -> Result<Option<Job>>;
    /// Makes the running jobs pending and due whose holders' names do not begin with `host`: for a store with one host at a
    /// time, whose new host knows that the old one is gone. How many.
    fn free_leases(&mut self, host: &str, now: Timestamp) -> Result<usize>;
    /// Prolongs a lease; false if the job is no longer held by `host`.
    fn renew(&mut self, memory: &MemoryId, id: &JobId, host: &str, until: Timestamp) -> Result<bool>;
    /// Notes what the round under way of a job held by `host` reads, or that none is; false if `host` does not hold it.
    fn set_window(
        &mut self,
        memory: &MemoryId,
        id: &JobId,
        host: &str,
        window: Option<&JobWindow>,
    ) -> Result<bool>;
    /// Notes which messages a job held by `host` has to read again; false if `host` does not hold it.
    fn set_messages(
        &mut self,
        memory: &MemoryId,
        id: &JobId,
        host: &str,
        messages: &[JobMessage],
    ) -> Result<bool>;
    /// A job held by `host` goes back to the table and waits until [`Jobs::wake`]; its window stays, and the try
    /// does not count. If it was woken, or asked for again, while it ran, it does not wait. False if `host` does not hold it.
    fn wait(&mut self, memory: &MemoryId, id: &JobId, host: &str, at: Timestamp) -> Result<bool>;
    /// A job that waits is due at `now`; one that runs will run again: the answer may come before it has begun to wait.
    /// False if it does neither.
    fn wake(&mut self, memory: &MemoryId, id: &JobId, now: Timestamp) -> Result<bool>;
    /// Running extractions and reflections of a strategy (`None`: any) or of one session (`None`: any) will run again: what
    /// they have read is gone. How many.
    fn wake_running(
        &mut self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        session: Option<(&ActorId, &SessionId)>,
        now: Timestamp,
    ) -> Result<usize>;
    /// Wakes all jobs that wait, of a memory or (`None`) of all: whoever reads has changed. How many.
    fn wake_all(&mut self, memory: Option<&MemoryId>, now: Timestamp) -> Result<usize>;
    /// Ends a job held by `host`: pending again if it was asked for meanwhile or `again` gives a time, else done.
    /// False if `host` no longer holds it.
    fn finish(
        &mut self,
        memory: &MemoryId,
        id: &JobId,
        host: &str,
        again: Option<Timestamp>,
        at: Timestamp,
    ) -> Result<bool>;
    /// A try failed.
    fn fail(&mut self, memory: &MemoryId, id: &JobId, host: &str, failure: &JobFailure) -> Result<bool>;
    /// A failed job becomes pending; one that is pending or running stays. False if there is none. Where a younger job of its
    /// key is open, that one does its work, except messages that the strategy's progress has passed: the younger one never
    /// comes to them, and the failed job reads them beside it.
    fn restart(&mut self, memory: &MemoryId, id: &JobId, now: Timestamp) -> Result<bool>;
    /// Makes pending extraction jobs of a memory (actor, session) due now, except those that wait, and those that run and
    /// were asked for again; how many.
    fn make_due(
        &mut self,
        memory: &MemoryId,
        actor: Option<&ActorId>,
        session: Option<&SessionId>,
        now: Timestamp,
    ) -> Result<usize>;
    /// Removes the jobs of a strategy, of an actor, or of a whole memory (`None`, `None`), and their exchanges; how many
    /// jobs.
    fn cancel(
        &mut self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        actor: Option<&ActorId>,
    ) -> Result<usize>;
    /// Removes jobs that ended in `state` (done or failed) before `before`, up to `rows`; how many. Jobs in other states
    /// stay.
    fn sweep(&mut self, state: JobState, before: Timestamp, rows: usize) -> Result<usize>;
}
