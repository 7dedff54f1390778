//! Open conflicts of a repository whose two records are still active. A record that is gone or
//! superseded contradicts no other.

use std::collections::{BTreeSet, HashSet};

use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::{LedgerPage, ReadTx};
use loci_model::record::RecordState;
use loci_model::record::conflict::{Conflict, ConflictState};
use loci_model::{ActorId, MemoryId, RecordId, Result, limits};

/// Returns the open conflicts of a repository whose two records are still active, newest first.
pub fn open_of(tx: &dyn ReadTx, memory: &MemoryId, actor: &ActorId) -> Result<Vec<Conflict>> {
    let page = LedgerPage {
        memory: memory.clone(),
        shelf: Conflict::SHELF,
        actor: Some(actor.clone()),
        subject: Some(Conflict::subject_of(actor, ConflictState::Open)),
        after: None,
        limit: limits::STANDING_LOOKED_AT_MAX,
    };
    let mut open = tx.ledger().nouns::<Conflict>(&page)?;
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
