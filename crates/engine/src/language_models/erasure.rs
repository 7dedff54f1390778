//! Removes questions and their answers when the data that they quote is erased; the job asks again
//! without it.
//!
//! Jobs that have read the data but not asked yet are woken: they then ask nothing and start over
//! (`exchange.rs`).

use crate::hooks::write_context;
use loci_model::job::exchange::Step;
use loci_model::ports::store::Tx;
use loci_model::{ActorId, MemoryId, Result, SessionId, StrategyId, Timestamp};

/// Steps whose questions quote existing records. Questions that quote only messages are removed
/// with the messages.
const QUOTING: &[Step] = &[Step::Summarise, Step::Consolidate, Step::Reflect];

/// Removes the questions on a session from which an event was erased.
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

/// Removes the questions on erased records of a strategy; `None` means any strategy. No question
/// quotes client records without a strategy.
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

/// Removes the questions of one step, because the data that they quote is erased.
pub fn of_step(tx: &mut dyn Tx, memory: &MemoryId, step: Step, now: Timestamp) -> Result<()> {
    drop_of_steps(tx, memory, None, &[step], now)
}

/// Removes every question of a memory after a person was removed from it, because any of them may
/// quote their names.
pub(crate) fn of_names(tx: &mut dyn Tx, memory: &MemoryId, now: Timestamp) -> Result<()> {
    drop_of_steps(tx, memory, None, Step::ALL, now)?;
    tx.jobs_mut().wake_running(memory, None, None, now).map(drop)
}

/// Removes the questions of these steps, and wakes the jobs that asked them.
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
