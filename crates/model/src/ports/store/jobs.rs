//! Access to jobs.

use crate::job::{Job, JobCounts, JobKind, JobMessage, JobState, JobWindow, NewJob};
use crate::ports::trace;
use crate::{ActorId, JobId, MemoryId, Result, SessionId, StrategyId, Timestamp};

/// A query for jobs: latest change first, ties by id.
#[derive(Debug, Clone, Default)]
pub struct JobQuery {
    /// Only jobs of these kinds; empty: of any.
    pub kinds: Vec<JobKind>,
    /// Only jobs in this state.
    pub state: Option<JobState>,
    /// Only jobs of this strategy.
    pub strategy: Option<StrategyId>,
    /// Only jobs of this actor.
    pub actor: Option<ActorId>,
    /// Only jobs of this session.
    pub session: Option<SessionId>,
    /// Only jobs after this one (keyset).
    pub after: Option<(Timestamp, JobId)>,
    /// Maximum number of jobs.
    pub limit: usize,
}

/// The failure of a job's attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFailure {
    /// A code, then `: ` and a plain explanation.
    pub reason: String,
    /// The messages that it read.
    pub messages: Vec<JobMessage>,
    /// The time of the next attempt; `None`: give up, list as failed.
    pub retry_at: Option<Timestamp>,
    /// True if the deterministic half did the work in place of the model.
    pub fallback: bool,
    /// The time of the failure.
    pub at: Timestamp,
}

/// The table of jobs.
pub trait Jobs {
    /// Returns the job of that id.
    fn get(&self, memory: &MemoryId, id: &JobId) -> Result<Option<Job>>;
    /// Returns a page of a memory's jobs.
    fn list(&self, memory: &MemoryId, query: &JobQuery) -> Result<Vec<Job>>;
    /// Returns the counts of a memory's jobs of the given kinds, or of those of an actor or a
    /// session. Jobs without an actor count for every part.
    fn counts(
        &self,
        memory: &MemoryId,
        actor: Option<&ActorId>,
        session: Option<&SessionId>,
        kinds: &[JobKind],
    ) -> Result<JobCounts>;
    /// True while a job of that kind waits or runs. Every response causes this call, so its cost
    /// does not depend on the number of finished jobs.
    fn has_open(&self, memory: &MemoryId, kind: &JobKind) -> Result<bool>;
    /// Returns the earliest time at which a pending job (of these memories; empty: any) may run,
    /// without jobs that wait.
    fn next_due(&self, memories: &[MemoryId]) -> Result<Option<Timestamp>>;
    /// Requests a job (see [`NewJob`]); returns the id of the job that will do it. A waiting job is
    /// treated like a running one: it will run again. A job whose last attempt failed keeps its
    /// pause.
    fn enqueue(&mut self, job: &NewJob, now: Timestamp) -> Result<JobId> {
        let id = self.put(job, now)?;
        trace::note_asked_job(&id);
        Ok(id)
    }
    /// Writes the row of [`Self::enqueue`], which callers use.
    fn put(&mut self, job: &NewJob, now: Timestamp) -> Result<JobId>;
    /// Takes a job that is due and does not wait, or whose lease has expired: earliest due first,
    /// ties by id. Leases it to `host`: the name of the process, or one that begins with it and
    /// belongs only to this claim.
    fn claim(
        &mut self,
        host: &str,
        memories: &[MemoryId],
        now: Timestamp,
        lease_ms: i64,
    ) -> Result<Option<Job>>;
    /// Makes the running jobs pending and due whose holders' names do not begin with `host`;
    /// returns their number. For a store with one host at a time, whose new host knows that the old
    /// one is gone.
    fn free_leases(&mut self, host: &str, now: Timestamp) -> Result<usize>;
    /// Prolongs a lease; false if `host` has lost the job.
    fn renew(&mut self, memory: &MemoryId, id: &JobId, host: &str, until: Timestamp) -> Result<bool>;
    /// Stores the window of the current round of a job held by `host`, or removes it; false if
    /// `host` does not hold it.
    fn set_window(
        &mut self,
        memory: &MemoryId,
        id: &JobId,
        host: &str,
        window: Option<&JobWindow>,
    ) -> Result<bool>;
    /// Stores the messages that a job held by `host` must read again; false if `host` does not hold
    /// it.
    fn set_messages(
        &mut self,
        memory: &MemoryId,
        id: &JobId,
        host: &str,
        messages: &[JobMessage],
    ) -> Result<bool>;
    /// Returns a job held by `host` to the table, where it waits until [`Jobs::wake`]. Its window
    /// stays, and the attempt does not count. A job that was woken or requested again while it ran
    /// does not wait. False if `host` does not hold it.
    fn wait(&mut self, memory: &MemoryId, id: &JobId, host: &str, at: Timestamp) -> Result<bool>;
    /// Makes a waiting job due at `now`, and a running one run again, because the response may
    /// arrive before the job has begun to wait. False if it does neither.
    fn wake(&mut self, memory: &MemoryId, id: &JobId, now: Timestamp) -> Result<bool>;
    /// Makes running extractions and reflections of a strategy (`None`: any) or of one session
    /// (`None`: any) run again, because their input is gone; returns their number.
    fn wake_running(
        &mut self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        session: Option<(&ActorId, &SessionId)>,
        now: Timestamp,
    ) -> Result<usize>;
    /// Wakes all waiting jobs, of a memory or (`None`) of all, because the reader of conversations
    /// has changed; returns their number.
    fn wake_all(&mut self, memory: Option<&MemoryId>, now: Timestamp) -> Result<usize>;
    /// Ends a job held by `host`: pending again if it was requested meanwhile or `again` gives a
    /// time, else done. False if `host` has lost it.
    fn finish(
        &mut self,
        memory: &MemoryId,
        id: &JobId,
        host: &str,
        again: Option<Timestamp>,
        at: Timestamp,
    ) -> Result<bool>;
    /// Stores a failed attempt.
    fn fail(&mut self, memory: &MemoryId, id: &JobId, host: &str, failure: &JobFailure) -> Result<bool>;
    /// Makes a failed job pending; a pending or running one stays. False if there is none. If a
    /// younger job of its key is open, that job does the work, except for messages that the
    /// strategy's progress has passed. The younger job never reaches these, so the failed job reads
    /// them.
    fn restart(&mut self, memory: &MemoryId, id: &JobId, now: Timestamp) -> Result<bool>;
    /// Makes pending extraction jobs of a memory (actor, session) due now; returns their number.
    /// Excludes jobs that wait, and running jobs that were requested again.
    fn make_due(
        &mut self,
        memory: &MemoryId,
        actor: Option<&ActorId>,
        session: Option<&SessionId>,
        now: Timestamp,
    ) -> Result<usize>;
    /// Removes the jobs of a strategy, of an actor, or of a whole memory (`None`, `None`), with
    /// their exchanges; returns the number of jobs.
    fn cancel(
        &mut self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        actor: Option<&ActorId>,
    ) -> Result<usize>;
    /// Removes up to `rows` jobs that ended in `state` (done or failed) before `before`; returns
    /// their number. Jobs in other states stay.
    fn sweep(&mut self, state: JobState, before: Timestamp, rows: usize) -> Result<usize>;
}
