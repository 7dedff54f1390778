//! Access to exchanges with language models.

use crate::job::exchange::{Exchange, Step, StoredReply};
use crate::{ActorId, ExchangeId, JobId, MemoryId, Result, SessionId, StrategyId, Timestamp};

/// The table of exchanges. They hold what people said: [`super::Jobs::cancel`] removes those of the jobs it removes.
pub trait Exchanges {
    /// The exchange of that id.
    fn get(&self, memory: &MemoryId, id: &ExchangeId) -> Result<Option<Exchange>>;
    /// The exchange of a job with that digest: the same question, whoever asks it again.
    fn by_digest(&self, memory: &MemoryId, job: &JobId, digest: &[u8; 32]) -> Result<Option<Exchange>>;
    /// The exchanges of a job, oldest first.
    fn of_job(&self, memory: &MemoryId, job: &JobId) -> Result<Vec<Exchange>>;
    /// The oldest exchange of these memories (empty: any) and steps (empty: any) that is open, or whose lease has run
    /// out at `now`; ties by id.
    fn next_open(&self, memories: &[MemoryId], steps: &[Step], now: Timestamp) -> Result<Option<Exchange>>;
    /// Adds an exchange; false if its job has one with that digest.
    fn insert(&mut self, exchange: &Exchange) -> Result<bool>;
    /// Gives an open exchange, or one whose lease has run out, to `holder` until then and counts the attempt. False if
    /// it is gone, another's, answered or failed.
    fn lease(
        &mut self,
        memory: &MemoryId,
        id: &ExchangeId,
        holder: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool>;
    /// Notes the answer to an open or leased exchange; false if there is none such.
    fn answer(&mut self, memory: &MemoryId, id: &ExchangeId, reply: &StoredReply) -> Result<bool>;
    /// Opens a leased exchange again; false if there is none such. Attempts stay.
    fn reopen(&mut self, memory: &MemoryId, id: &ExchangeId) -> Result<bool>;
    /// Opens an answered exchange again, for the answer was none: its next turn, asked with `input`. False if there is none
    /// such. Digest and attempts stay.
    fn revise(&mut self, memory: &MemoryId, id: &ExchangeId, input: &str) -> Result<bool>;
    /// Nobody will answer an open or leased exchange, and why, where somebody said so; false if there is none such.
    fn fail(&mut self, memory: &MemoryId, id: &ExchangeId, said: Option<&str>) -> Result<bool>;
    /// Removes the exchanges of a job; how many.
    fn drop_of_job(&mut self, memory: &MemoryId, job: &JobId) -> Result<usize>;
    /// Removes the exchanges of a job for a step that nobody has answered: another question took their place. How many.
    fn drop_unanswered(&mut self, memory: &MemoryId, job: &JobId, step: Step) -> Result<usize>;
    /// Removes the exchanges for these steps of the jobs of a strategy (`None`: of any): a record that they may quote is
    /// gone. The jobs that lost one, as with [`Exchanges::drop_of_session`].
    fn drop_of_steps(
        &mut self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        steps: &[Step],
    ) -> Result<Vec<JobId>>;
    /// Removes the exchanges of the jobs of a session: an event of it was deleted. The jobs that lost one: those that
    /// wait for an answer are to be woken, or nobody will.
    fn drop_of_session(
        &mut self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
    ) -> Result<Vec<JobId>>;
    /// Removes up to `rows` exchanges from before `before` whose job neither waits nor runs; how many.
    fn sweep(&mut self, before: Timestamp, rows: usize) -> Result<usize>;
}
