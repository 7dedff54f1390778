//! What a question quotes goes: so do the question and its answer, and whoever asked asks again without it.
//!
//! Jobs that read already but have not asked yet are woken: they ask nothing then, and begin again (`exchange.rs`).

use crate::hooks::in_write;
use loci_model::job::exchange::Step;
use loci_model::ports::store::Tx;
use loci_model::{ActorId, MemoryId, Result, SessionId, StrategyId, Timestamp};

/// Steps whose questions quote records that are there. What quotes messages alone goes with these.
const QUOTING: &[Step] = &[Step::Summarise, Step::Consolidate, Step::Reflect];

/// An event of a session is gone.
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

/// Records of a strategy are gone; `None`: of any. What clients wrote without a strategy is quoted nowhere.
pub fn of_records(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    strategy: Option<&StrategyId>,
    now: Timestamp,
) -> Result<()> {
    drop_of_steps(tx, memory, strategy, QUOTING, now)?;
    drop_of_steps(tx, memory, None, &in_write::products()?.quoting_steps(), now)?;
    tx.jobs_mut().wake_running(memory, strategy, None, now).map(drop)
}

/// Drops the questions of one step: what they quote is gone.
pub fn of_step(tx: &mut dyn Tx, memory: &MemoryId, step: Step, now: Timestamp) -> Result<()> {
    drop_of_steps(tx, memory, None, &[step], now)
}

/// Drops every question of a memory after a person was taken out of it: any of them may quote their
/// names.
pub(crate) fn of_names(tx: &mut dyn Tx, memory: &MemoryId, now: Timestamp) -> Result<()> {
    drop_of_steps(tx, memory, None, Step::ALL, now)?;
    tx.jobs_mut().wake_running(memory, None, None, now).map(drop)
}

/// Drops the questions of these steps, and wakes the jobs that asked them.
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
