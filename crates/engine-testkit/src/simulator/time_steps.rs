//! Steps without a client: jobs run, time passes, sweeps run, servers restart.

use loci_model::MemoryId;
use loci_products::Loci;

use super::InvariantViolation;
use super::reference_model::{ExpectedChange, must};
use super::serial_store::StoreFault;
use super::steps::{ChangedMemories, SimulationRun};

type Outcome<T> = std::result::Result<T, InvariantViolation>;

/// Milliseconds that exceed the duration of any job.
const WORK_MS: u64 = 24 * 3_600_000;
/// Number of writes of a run of jobs among which one may fail.
const WRITES: u64 = 30;
const MINUTE_MS: u64 = 60_000;
const HOUR_MS: u64 = 60 * MINUTE_MS;
const DAY_MS: u64 = 24 * HOUR_MS;

/// Runs the jobs of a memory; its host may die meanwhile.
pub(super) fn work(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    match run.any_twin() {
        Some(place) => work_in(run, place),
        None => Ok(ChangedMemories::Nothing),
    }
}

/// Runs the jobs of one memory, and of deleted ones.
pub(super) fn work_in(run: &mut SimulationRun<'_>, place: usize) -> Outcome<ChangedMemories> {
    let mut memories = vec![run.twin(place)?.memory.id.clone()];
    memories.extend(run.deleted.iter().cloned());
    work_off(run, &memories)?;
    Ok(ChangedMemories::In(place, ExpectedChange::Worked))
}

/// Runs all jobs of some memories.
pub(super) fn work_off(run: &mut SimulationRun<'_>, memories: &[MemoryId]) -> Outcome<()> {
    let number = run.dice.between(1, WRITES);
    let fault = if run.dice.chance(35) { run.dice.pick(&StoreFault::ALL).copied() } else { None };
    let mut fault = fault.map(|fault| (number, fault));
    if run.dice.chance(50) {
        let call = |engine: Loci| async move { engine.run_due(memories, WORK_MS).await };
        run.life.together(fault.take(), call)?;
    }
    let acted = run.life.act_with(fault, |engine| {
        let memories = memories.to_vec();
        async move { engine.run_due(&memories, WORK_MS).await }
    })?;
    let outcome = acted.result?;
    must(outcome.complete && outcome.failed == 0, &format!("jobs are left: {outcome:?}"))?;
    let spent = run.now();
    run.note(format!("  until +{}", spent.millis() - loci_testkit_ports::clock::START.millis()));
    Ok(())
}

/// Advances the clock by minutes, hours or days.
pub(super) fn pass(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let wanted = match run.dice.below(10) {
        0..5 => run.dice.between(1, 5 * MINUTE_MS),
        5..8 => run.dice.between(HOUR_MS, 20 * HOUR_MS),
        _ => run.dice.between(DAY_MS, 6 * DAY_MS),
    };
    let passes = wanted.min(run.time_left_ms);
    run.time_left_ms -= passes;
    run.life.clock.advance_ms(passes);
    Ok(ChangedMemories::Nothing)
}

/// Runs a sweep.
pub(super) fn sweep(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    let number = run.dice.between(1, 12);
    let fault = if run.dice.chance(25) { run.dice.pick(&StoreFault::ALL).copied() } else { None };
    let acted = run
        .life
        .act_with(fault.map(|fault| (number, fault)), |engine| async move { engine.sweep().await })?;
    acted.result?;
    Ok(ChangedMemories::Everywhere(ExpectedChange::Swept))
}

/// Restarts the server, and checks that its index equals a newly built one.
pub(super) fn restart(run: &mut SimulationRun<'_>) -> Outcome<ChangedMemories> {
    run.life.restart_this()?;
    for place in 0..run.twins.len() {
        let memory = run.twin(place)?.memory.id.clone();
        let caller = run.caller.clone();
        let (now, anew) = run.life.call(|engine| async move {
            let now = engine.index_info(&caller, &memory, false).await?;
            Ok((now, engine.index_info(&caller, &memory, true).await?))
        })??;
        must(now.digest == anew.digest, "an index differs from its rebuild")?;
        run.note(format!("  {} passages, {} vectors", now.passages, now.vectors));
    }
    Ok(ChangedMemories::Nothing)
}
