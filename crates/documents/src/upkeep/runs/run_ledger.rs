//! Runs in the ledger: starting a run, of which a tree has one at a time, and ending it. It does
//! not depend on plans.

use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::{LedgerPage, ReadTx, Tx};
use loci_model::principal::Principal;
use loci_model::trees::consolidation_run::{ActionStatus, ActiveRun, RunStatus, TreeUpkeep};
use loci_model::{Error, MemoryId, Reason, Result, Timestamp, limits};

use crate::trees::tree::Tree;
use crate::upkeep::run::ConsolidationRun;

/// The number of runs per read.
const PAGE: usize = 100;
/// The failure of a run whose server stopped.
const BROKE_OFF: &str = "the run broke off while it was planned: begin another";
/// The failure of a plan that newer ones replaced.
const MADE_ROOM: &str = "newer plans took its place";

/// Returns the upkeep state of a tree.
pub(in crate::upkeep) fn upkeep(tx: &dyn ReadTx, memory: &MemoryId, namespace: &str) -> Result<TreeUpkeep> {
    let found = tx.ledger().noun::<TreeUpkeep>(memory, &TreeUpkeep::key_of(namespace))?;
    found.map_or_else(|| TreeUpkeep::new(memory, namespace), Ok)
}

/// Starts counting the reads of a tree's documents, if it was not started.
pub(crate) fn counted_since(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    namespace: &str,
    at: Timestamp,
) -> Result<()> {
    let mut known = upkeep(tx, memory, namespace)?;
    if known.counted_since.is_none() {
        known.counted_since = Some(at);
        tx.ledger_mut().put_noun(&known)?;
    }
    Ok(())
}

/// Returns a run of a tree.
///
/// # Errors
/// `NotFound`.
pub(super) fn run_of(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    namespace: &str,
    id: &str,
) -> Result<ConsolidationRun> {
    tx.ledger()
        .noun::<ConsolidationRun>(memory, id)?
        .filter(|run| run.namespace == namespace)
        .ok_or_else(|| Error::not_found(format!("the tree has no run {id}")))
}

/// Returns the runs of a tree, the newest first.
pub(in crate::upkeep) fn newest(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    namespace: &str,
    limit: usize,
) -> Result<Vec<ConsolidationRun>> {
    tx.ledger().nouns(&LedgerPage {
        memory: memory.clone(),
        shelf: ConsolidationRun::SHELF,
        actor: None,
        subject: Some(namespace.to_owned()),
        after: None,
        limit,
    })
}

/// Visits the runs of a tree after one, the newest first, until the callback stops.
pub(in crate::upkeep) fn each(
    tx: &dyn ReadTx,
    tree: &Tree,
    mut after: Option<(Timestamp, String)>,
    mut wants_more: impl FnMut(ConsolidationRun) -> bool,
) -> Result<()> {
    loop {
        let runs = tx.ledger().nouns::<ConsolidationRun>(&LedgerPage {
            memory: tree.memory.clone(),
            shelf: ConsolidationRun::SHELF,
            actor: None,
            subject: Some(tree.normal.clone()),
            after,
            limit: PAGE,
        })?;
        let is_last = runs.len() < PAGE;
        after = runs.last().map(|last| (last.at(), last.key()));
        for run in runs {
            if !wants_more(run) {
                return Ok(());
            }
        }
        if is_last {
            return Ok(());
        }
    }
}

/// Makes a run the active one of its tree and stores it.
///
/// # Errors
/// `RUN_ACTIVE` if another one is active.
pub(in crate::upkeep) fn begin(
    tx: &mut dyn Tx,
    run: &ConsolidationRun,
    until: Option<Timestamp>,
) -> Result<()> {
    let mut upkeep = upkeep(tx, &run.memory, &run.namespace)?;
    if let Some(active) = upkeep.active.take() {
        take_over(tx, run, &active)?;
    }
    upkeep.active = Some(ActiveRun { id: run.id.clone(), until });
    tx.ledger_mut().put_noun(&upkeep)?;
    make_room(tx, run)?;
    tx.ledger_mut().put_noun(run)
}

/// Replaces an active run that gave no sign of life for too long.
fn take_over(tx: &mut dyn Tx, new: &ConsolidationRun, active: &ActiveRun) -> Result<()> {
    let run = tx.ledger().noun::<ConsolidationRun>(&new.memory, &active.id)?;
    let Some(mut run) = run.filter(|run| run.status == RunStatus::Planning) else { return Ok(()) };
    if active.until.is_none_or(|until| until > new.created_at) {
        let rule = format!("run {} is active on the tree: wait for it, or cancel it", active.id);
        return Err(Error::conflict(rule).because(Reason::RunActive));
    }
    (run.status, run.updated_at) = (RunStatus::Failed, new.created_at);
    run.failure = Some(BROKE_OFF.to_owned());
    tx.ledger_mut().put_noun(&run)
}

/// Removes the oldest unused plans above a limit, because plans quote documents.
fn make_room(tx: &mut dyn Tx, new: &ConsolidationRun) -> Result<()> {
    let runs = newest(tx, &new.memory, &new.namespace, 2 * limits::UPKEEP_PLANS_MAX)?;
    let planned = runs.into_iter().filter(|run| run.status == RunStatus::Planned);
    for mut run in planned.skip(limits::UPKEEP_PLANS_MAX - 1) {
        (run.status, run.updated_at) = (RunStatus::Cancelled, new.created_at);
        run.failure = Some(MADE_ROOM.to_owned());
        run.drop_words();
        tx.ledger_mut().put_noun(&run)?;
    }
    Ok(())
}

/// Stores a run that is planned or failed, and releases the tree. Returns false if it was cancelled
/// meanwhile.
pub(super) fn end_planning(tx: &mut dyn Tx, run: &mut ConsolidationRun, now: Timestamp) -> Result<bool> {
    let kept = tx.ledger().noun::<ConsolidationRun>(&run.memory, &run.id)?;
    if kept.is_none_or(|kept| kept.status != RunStatus::Planning) {
        return Ok(false);
    }
    run.updated_at = now;
    run.drop_words();
    let mut upkeep = upkeep(tx, &run.memory, &run.namespace)?;
    upkeep.active.take_if(|active| active.id == run.id);
    // An empty plan of an automatic run counts as applied, because nobody waits for it.
    if run.status == RunStatus::Planned && run.actions.is_empty() && run.by == Principal::engine().name {
        run.status = RunStatus::Applied;
        cover(&mut upkeep, run);
    }
    if run.status != RunStatus::Failed {
        if run.scope.keys().is_none() {
            upkeep.looked = upkeep.looked.max(run.snapshot_sequence);
        }
        upkeep.looked_at = now;
    }
    tx.ledger_mut().put_noun(&upkeep)?;
    tx.ledger_mut().put_noun(run)?;
    Ok(true)
}

/// Records how far a run covered its tree, if none of its actions is pending. A run over some paths
/// covers nothing.
pub(super) fn cover(upkeep: &mut TreeUpkeep, run: &ConsolidationRun) {
    let is_open = run.actions.iter().any(|one| one.status == ActionStatus::Planned);
    let Some(sequence) = run.covered_sequence.filter(|_| !is_open && run.scope.keys().is_none()) else {
        return;
    };
    for operation in &run.operations {
        upkeep.cover(operation.as_str(), sequence);
    }
}

/// Releases a tree for another run.
pub(super) fn free(tx: &mut dyn Tx, run: &ConsolidationRun) -> Result<()> {
    let mut upkeep = upkeep(tx, &run.memory, &run.namespace)?;
    if upkeep.active.take_if(|active| active.id == run.id).is_some() {
        tx.ledger_mut().put_noun(&upkeep)?;
    }
    Ok(())
}
