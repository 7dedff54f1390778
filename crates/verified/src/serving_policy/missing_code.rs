//! Facts that are quarantined because their code is gone from the default branch.
//!
//! Reads verify them too. If the code exists at the requested revision, such as another branch,
//! they are returned. Otherwise the answer reports that they are withheld, and why. Facts that a
//! person or a check holds back are not included and never verified.

use loci_model::facts::fact::Fact;
use loci_model::ports::store::{FactChoice, FactPage, ReadTx};
use loci_model::record::RecordState;
use loci_model::{MemoryId, RepositoryId, Result};

/// The number of such facts that a read verifies, most recently confirmed first.
const LOOKED_AT: usize = 50;
/// The number of quarantined facts that are searched for them. The others wait for a person's
/// decision.
const AMONG: usize = 500;

/// Returns true if a fact is quarantined because of its code.
pub(crate) fn is_gone(fact: &Fact) -> bool {
    fact.status == RecordState::Quarantined && fact.detail.gone.is_some() && !fact.proposed
}

/// Returns such facts of a repository that a read verifies in addition, at most `room`.
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

/// Sorts facts in the order of reads, most recently confirmed first.
pub(crate) fn order(facts: &mut [Fact]) {
    facts.sort_by(|a, b| b.refreshed_at.cmp(&a.refreshed_at).then_with(|| a.record.cmp(&b.record)));
}

/// Keeps `limit` of the active facts, and of the others as many as a read verifies.
pub(crate) fn cut(facts: &mut Vec<Fact>, limit: usize, room: usize) {
    let (mut active, mut gone) = (0, 0);
    facts.retain(|fact| {
        let (count, most) =
            if is_gone(fact) { (&mut gone, LOOKED_AT.min(room)) } else { (&mut active, limit) };
        *count += 1;
        *count <= most
    });
}
