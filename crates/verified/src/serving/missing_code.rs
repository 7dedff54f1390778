//! Facts that are in quarantine because their code is gone from the default branch: reads look at them too. Where the code stands,
//! be it on another branch or again, they are returned; elsewhere it is said that they are withheld, and why. What a person or a check
//! holds back is not meant, and is never looked at.

use loci_model::facts::fact::Fact;
use loci_model::ports::store::{FactChoice, FactPage, ReadTx};
use loci_model::record::RecordState;
use loci_model::{MemoryId, RepositoryId, Result};

/// How many of them a read looks at, those confirmed last.
const LOOKED_AT: usize = 50;
/// Among how many in quarantine they are looked for: others are there for a person to decide.
const AMONG: usize = 500;

/// Whether a fact is in quarantine because of its code.
pub(crate) fn is_gone(fact: &Fact) -> bool {
    fact.status == RecordState::Quarantined && fact.detail.gone.is_some() && !fact.proposed
}

/// Those of a repository that a read looks at beside `others`, at most `room`.
pub(crate) fn of(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    repository: &RepositoryId,
    room: usize,
) -> Result<Vec<Fact>> {
    let mut facts = tx.facts().list(&FactPage {
        memory: memory.clone(),
        repository: repository.clone(),
        statuses: vec![RecordState::Quarantined],
        choice: FactChoice::Stored,
        after: None,
        limit: AMONG,
    })?;
    facts.retain(is_gone);
    facts.truncate(LOOKED_AT.min(room));
    Ok(facts)
}

/// Puts facts in the order of reads, confirmed last first.
pub(crate) fn order(facts: &mut [Fact]) {
    facts.sort_by(|a, b| b.refreshed_at.cmp(&a.refreshed_at).then_with(|| a.record.cmp(&b.record)));
}

/// Leaves `limit` of those that are active, and of the others what a read looks at.
pub(crate) fn cut(facts: &mut Vec<Fact>, limit: usize, room: usize) {
    let (mut active, mut gone) = (0, 0);
    facts.retain(|fact| {
        let (count, most) =
            if is_gone(fact) { (&mut gone, LOOKED_AT.min(room)) } else { (&mut active, limit) };
        *count += 1;
        *count <= most
    });
}
