//! Removes stored questions and answers when the data that they quote is erased. The job that
//! asked such a question asks again without the erased data.
//!
//! Jobs that have read the data but not asked yet are woken: they then ask nothing and start over
//! (`exchange.rs`).

use crate::hooks::write_context;
use loci_model::job::exchange::Step;
use loci_model::ports::store::Tx;
use loci_model::{ActorId, MemoryId, Result, SessionId, StrategyId, Timestamp};

/// The steps whose questions quote existing records. Questions of other steps quote only messages
/// and are removed together with the messages.
const QUOTING: &[Step] = &[Step::Summarise, Step::Consolidate, Step::Reflect];

/// Removes the questions about a session from which an event was erased.
pub fn of_session(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    actor: &ActorId,
    session: &SessionId,
    now: Timestamp,
) -> Result<()> {
    for job in tx.exchanges_mut().drop_of_session(memory, actor, session)? {
        tx.jobs_mut().wake(memory, &job, now)?;
    }
    tx.jobs_mut().wake_running(memory, None, Some((actor, session)), now).map(drop)
}

/// Removes the questions that may quote erased records of a strategy; `None` means of any
/// strategy. Records that clients wrote without a strategy are in no question.
pub fn of_records(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    strategy: Option<&StrategyId>,
    now: Timestamp,
) -> Result<()> {
    drop_of_steps(tx, memory, strategy, QUOTING, now)?;
    drop_of_steps(tx, memory, None, &write_context::products()?.quoting_steps(), now)?;
    tx.jobs_mut().wake_running(memory, strategy, None, now).map(drop)
}

/// Removes the questions of one step, because the data that they quote was erased.
pub fn of_step(tx: &mut dyn Tx, memory: &MemoryId, step: Step, now: Timestamp) -> Result<()> {
    drop_of_steps(tx, memory, None, &[step], now)
}

/// Removes every question of a memory after a person was removed from the memory, because any
/// question may contain the person's names.
pub(crate) fn of_names(tx: &mut dyn Tx, memory: &MemoryId, now: Timestamp) -> Result<()> {
    drop_of_steps(tx, memory, None, Step::ALL, now)?;
    tx.jobs_mut().wake_running(memory, None, None, now).map(drop)
}

/// Removes the questions of these steps, and makes the jobs that asked them run again.
fn drop_of_steps(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    strategy: Option<&StrategyId>,
    steps: &[Step],
    now: Timestamp,
) -> Result<()> {
    if steps.is_empty() {
        return Ok(());
    }
    for job in tx.exchanges_mut().drop_of_steps(memory, strategy, steps)? {
        tx.jobs_mut().wake(memory, &job, now)?;
    }
    Ok(())
}
