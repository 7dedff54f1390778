//! Open conflicts of a repository whose two records are both active. A conflict ends when one of
//! its records is deleted or superseded.

use std::collections::{BTreeSet, HashSet};

use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::{LedgerPage, ReadTx};
use loci_model::record::RecordState;
use loci_model::record::conflict::{Conflict, ConflictState};
use loci_model::{ActorId, MemoryId, RecordId, Result, Timestamp, limits};

/// Returns the open conflicts of a repository whose two records are still active, newest first.
pub fn open_of(tx: &dyn ReadTx, memory: &MemoryId, actor: &ActorId) -> Result<Vec<Conflict>> {
    standing(tx, memory, page(tx, memory, actor, None)?)
}

/// Returns the number of the open conflicts of a repository, of any age, that `is_counted` accepts.
pub fn count_open_of(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    actor: &ActorId,
    is_counted: impl Fn(&Conflict) -> Result<bool>,
) -> Result<u64> {
    let (mut count, mut after) = (0, None);
    loop {
        let open = page(tx, memory, actor, after)?;
        let is_last = open.len() < limits::STANDING_LOOKED_AT_MAX;
        after = open.last().map(|last| (last.found_at, last.id.clone()));
        for conflict in standing(tx, memory, open)? {
            count += u64::from(is_counted(&conflict)?);
        }
        if is_last {
            return Ok(count);
        }
    }
}

fn page(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    actor: &ActorId,
    after: Option<(Timestamp, String)>,
) -> Result<Vec<Conflict>> {
    tx.ledger().nouns::<Conflict>(&LedgerPage {
        memory: memory.clone(),
        shelf: Conflict::SHELF,
        actor: Some(actor.clone()),
        subject: Some(Conflict::subject_of(actor, ConflictState::Open)),
        after,
        limit: limits::STANDING_LOOKED_AT_MAX,
    })
}

/// Returns those of the conflicts whose two records are still active.
fn standing(tx: &dyn ReadTx, memory: &MemoryId, mut open: Vec<Conflict>) -> Result<Vec<Conflict>> {
    let named: BTreeSet<RecordId> =
        open.iter().flat_map(|one| [one.standing.clone(), one.against.clone()]).collect();
    let named: Vec<RecordId> = named.into_iter().collect();
    let stands = |state| matches!(state, RecordState::Active | RecordState::Candidate);
    let records = tx.records().get_many(memory, &named)?;
    let standing: HashSet<RecordId> =
        records.into_iter().filter(|record| stands(record.state)).map(|record| record.id).collect();
    open.retain(|one| standing.contains(&one.standing) && standing.contains(&one.against));
    Ok(open)
}
