//! Access to exchanges with language models.

use crate::job::exchange::{Exchange, Step, StoredReply};
use crate::{ActorId, ExchangeId, JobId, MemoryId, Result, SessionId, StrategyId, Timestamp};

/// The table of exchanges. They hold content of people: [`super::Jobs::cancel`] removes those of
/// the jobs that it removes.
pub trait Exchanges {
    /// Returns the exchange of that id.
    fn get(&self, memory: &MemoryId, id: &ExchangeId) -> Result<Option<Exchange>>;
    /// Returns the exchange of a job with that digest. An equal request of any caller has it.
    fn by_digest(&self, memory: &MemoryId, job: &JobId, digest: &[u8; 32]) -> Result<Option<Exchange>>;
    /// Returns the exchanges of a job, oldest first.
    fn of_job(&self, memory: &MemoryId, job: &JobId) -> Result<Vec<Exchange>>;
    /// Returns the oldest exchange of these memories (empty: any) and steps (empty: any) that is
    /// open, or whose lease has expired at `now`; ties by id.
    fn next_open(&self, memories: &[MemoryId], steps: &[Step], now: Timestamp) -> Result<Option<Exchange>>;
    /// Adds an exchange; false if its job has one with that digest.
    fn insert(&mut self, exchange: &Exchange) -> Result<bool>;
    /// Leases an open exchange, or one whose lease has expired, to `holder` and counts the attempt.
    /// False if it does not exist, is leased to another holder, answered or failed.
    fn lease(
        &mut self,
        memory: &MemoryId,
        id: &ExchangeId,
        holder: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool>;
    /// Stores the response to an open or leased exchange; false if there is none.
    fn answer(&mut self, memory: &MemoryId, id: &ExchangeId, reply: &StoredReply) -> Result<bool>;
    /// Reopens a leased exchange; false if there is none. Attempts stay.
    fn reopen(&mut self, memory: &MemoryId, id: &ExchangeId) -> Result<bool>;
    /// Reopens an answered exchange whose response was invalid, as its next turn with `input`.
    /// False if there is none. Digest and attempts stay.
    fn revise(&mut self, memory: &MemoryId, id: &ExchangeId, input: &str) -> Result<bool>;
    /// Marks an open or leased exchange as failed, with the client's reason if there is one; false
    /// if there is no such exchange.
    fn fail(&mut self, memory: &MemoryId, id: &ExchangeId, said: Option<&str>) -> Result<bool>;
    /// Removes the exchanges of a job; returns their number.
    fn drop_of_job(&mut self, memory: &MemoryId, job: &JobId) -> Result<usize>;
    /// Removes the unanswered exchanges of a job for a step, which another request replaces;
    /// returns their number.
    fn drop_unanswered(&mut self, memory: &MemoryId, job: &JobId, step: Step) -> Result<usize>;
    /// Removes the exchanges for these steps of the jobs of a strategy (`None`: of any), because a
    /// record that they may quote is gone. Returns the affected jobs, like
    /// [`Exchanges::drop_of_session`].
    fn drop_of_steps(
        &mut self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        steps: &[Step],
    ) -> Result<Vec<JobId>>;
    /// Removes the exchanges of the jobs of a session, because one of its events was deleted.
    /// Returns the affected jobs. The caller must wake those that wait for a response, because none
    /// will arrive.
    fn drop_of_session(
        &mut self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
    ) -> Result<Vec<JobId>>;
    /// Removes up to `rows` exchanges from before `before` whose job neither waits nor runs;
    /// returns their number.
    fn sweep(&mut self, before: Timestamp, rows: usize) -> Result<usize>;
}
