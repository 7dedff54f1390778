//! The verb `conflict_resolve`: a person decides which of two records stays, or that both do. The
//! person thereby approves the record that stays. A less trusted record then no longer replaces it
//! automatically.

use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_engine::records::batch;
use loci_engine::records::state_transition::StateTransition;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::agreement::Agreement;
use loci_model::record::conflict::{Conflict, Resolution};
use loci_model::record::{Record, RecordState};
use loci_model::{Error, JobId, RecordId, Result};
use loci_verified::find_repository;

use super::conflicts_list::{ConflictShown, shown};
use crate::Coding;
use crate::tasks::task_namespaces;

/// The decision about the two records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConflictDecision {
    /// This record stays; the other one is superseded by it.
    Keep(RecordId),
    /// Both stay, because they do not contradict each other.
    KeepBoth,
}

/// The result of a resolution.
#[derive(Debug, Clone, PartialEq)]
pub struct ConflictResolved {
    /// The conflict, and its records in their present state.
    pub shown: ConflictShown,
}

impl Coding {
    /// Resolves a conflict. Repeating the same decision changes nothing.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `NotFound` if the conflict does not exist; `Invalid` for a record that is
    /// neither of the two; `Conflict` if another decision exists, or one of the records is no
    /// longer active; `Denied` without administration of the repository's actor.
    pub async fn conflict_resolve(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        id: &str,
        decision: ConflictDecision,
    ) -> Result<ConflictResolved> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let (caller, repo, id, at) = (caller.clone(), repo.to_owned(), id.to_owned(), self.engine.now());
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), at.millis()))?;
        let resolved = self
            .engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let repository = find_repository(tx, &caller, &memory.id, &repo, Capability::Read)?;
                let actor = task_namespaces::actor_of(&repository)?;
                task_namespaces::require_all(&caller, &memory.id, &actor, Capability::Admin)?;
                let found = tx.ledger().noun::<Conflict>(&memory.id, &id)?;
                let missing = || Error::not_found(format!("there is no conflict {id} here")).on("conflict");
                let conflict = found.filter(|one| one.actor == actor).ok_or_else(missing)?;
                let changing = StateTransition { memory: &memory, by: &caller.name, at };
                let conflict = resolve(tx, &changing, conflict, &decision)?;
                batch::ask_for_vectors(tx, &memory.id, &job, at)?;
                Ok(ConflictResolved { shown: shown(tx, conflict)? })
            })
            .await?;
        self.engine.wake().call();
        Ok(resolved)
    }
}

fn resolve(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    mut conflict: Conflict,
    decision: &ConflictDecision,
) -> Result<Conflict> {
    let keep = match decision {
        ConflictDecision::Keep(keep) => Some(keep.clone()),
        ConflictDecision::KeepBoth => None,
    };
    if let Some(before) = &conflict.resolution {
        if before.keep == keep {
            return Ok(conflict);
        }
        let message =
            format!("{} decided about this conflict: revert the record that took the place", before.by);
        return Err(Error::conflict(message).on("conflict"));
    }
    let goes = match &keep {
        Some(keep) => {
            let rule = "keep must be one of the two records of the conflict, or both";
            Some(conflict.other(keep).ok_or_else(|| Error::invalid("keep", rule))?.clone())
        }
        None => None,
    };
    let kept: Vec<RecordId> = match &keep {
        Some(keep) => vec![keep.clone()],
        None => vec![conflict.standing.clone(), conflict.against.clone()],
    };
    for id in &kept {
        let record = standing(tx, changing, id)?;
        approve(tx, changing, &conflict, &record)?;
    }
    if let (Some(keep), Some(goes)) = (&keep, &goes) {
        let (keep, goes) = (current(tx, changing, keep)?, current(tx, changing, goes)?);
        give_way(tx, changing, &goes, &keep)?;
    }
    conflict.resolution = Some(Resolution { keep, by: changing.by.to_owned(), at: changing.at });
    tx.ledger_mut().put_noun(&conflict)?;
    Ok(conflict)
}

fn current(tx: &mut dyn Tx, changing: &StateTransition<'_>, id: &RecordId) -> Result<Record> {
    let found = tx.records().get(&changing.memory.id, id)?;
    found.ok_or_else(|| Error::conflict(format!("{id} is not there any more")).on("keep"))
}

/// Returns the record that stays, in force. A pending one becomes active.
fn standing(tx: &mut dyn Tx, changing: &StateTransition<'_>, id: &RecordId) -> Result<Record> {
    let record = current(tx, changing, id)?;
    match record.state {
        RecordState::Active => Ok(record),
        RecordState::Candidate => {
            changing.restore(tx, &record, "the conflict was resolved for it")?;
            current(tx, changing, id)
        }
        state => {
            let message = format!("{id} is {}: a record that stays must stand", state.as_str());
            Err(Error::conflict(message).on("keep"))
        }
    }
}

fn approve(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    conflict: &Conflict,
    record: &Record,
) -> Result<()> {
    let (memory, actor) = (conflict.memory.clone(), conflict.actor.clone());
    let known = tx.ledger().noun::<Agreement>(&memory, record.id.as_str())?;
    let mut agreement =
        known.unwrap_or_else(|| Agreement::none(memory, actor, record.id.clone(), changing.at));
    agreement.approved_by = Some(changing.by.to_owned());
    agreement.confirmed_at = changing.at;
    tx.ledger_mut().put_noun(&agreement)
}

/// Withdraws a record in favour of the one that stays. A pending record was never in force, so it
/// becomes invalid.
fn give_way(tx: &mut dyn Tx, changing: &StateTransition<'_>, goes: &Record, keep: &Record) -> Result<()> {
    let reason = format!("a person resolved the conflict for {}", keep.id);
    match goes.state {
        RecordState::Active => changing.supersede(tx, goes, keep, &reason),
        RecordState::Candidate => changing.set_state(tx, goes, RecordState::Invalid, &reason),
        _ => Ok(false), // It does not stand any more, whatever is decided.
    }
    .map(drop)
}
