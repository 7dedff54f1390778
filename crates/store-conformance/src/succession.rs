//! Facts that supersede one another, each in one write: for tests with concurrent writes, or with
//! killed processes. Invariants at any time: exactly one of them is active, and each addition and
//! supersession has its event.

use loci_model::facts::fact::{Fact, FactEventKind};
use loci_model::ports::store::{FactChoice, FactPage, ReadTx, Tx};
use loci_model::record::RecordState;
use loci_model::{Error, MemoryId, Result};

use loci_testkit_ports::fact_samples::{fact, fact_event, repository_id};
use loci_testkit_ports::samples::record_id;

/// Returns the content of all of them.
fn said() -> String {
    "7".repeat(64)
}

/// Supersedes the active fact with that of the `number`th record, which exists.
///
/// # Errors
/// Errors of the store.
pub fn succeed(tx: &mut dyn Tx, memory: &MemoryId, number: u32) -> Result<()> {
    let before = tx.facts().active_with(memory, &repository_id(1)?, &said())?;
    if let Some(before) = &before {
        let old = tx.facts().get(memory, before)?.ok_or_else(|| Error::bug("an active fact is not there"))?;
        tx.facts_mut().put(&Fact { status: RecordState::Superseded, ..old })?;
        let mut gone = fact_event(memory, 2 * number, FactEventKind::Superseded, None)?;
        gone.record = Some(before.clone());
        tx.fact_events_mut().append(&[gone])?;
    }
    tx.facts_mut().put(&Fact { content_hash: said(), ..fact(memory, 1, number, "src/lib.rs")? })?;
    let kind = if before.is_some() { FactEventKind::Corrected } else { FactEventKind::Created };
    let mut came = fact_event(memory, 2 * number + 1, kind, None)?;
    came.record = Some(record_id(number)?);
    tx.fact_events_mut().append(&[came])
}

/// Returns the number of facts, if the invariants hold.
///
/// # Errors
/// The violated invariant.
pub fn successions(tx: &dyn ReadTx, memory: &MemoryId) -> Result<u64> {
    let sums = tx.facts().sums(memory, &repository_id(1)?)?;
    let (mut active, mut all) = (0, 0);
    for (state, count) in sums.by_status {
        all += count;
        if state == RecordState::Active {
            active = count;
        }
    }
    if all > 0 && active != 1 {
        return Err(Error::bug(format!("{active} of {all} are active")));
    }
    let page = FactPage {
        memory: memory.clone(),
        repository: repository_id(1)?,
        statuses: vec![RecordState::Active, RecordState::Superseded],
        choice: FactChoice::Stored,
        after: None,
        limit: usize::MAX,
    };
    for fact in tx.facts().list(&page)? {
        let kinds: Vec<FactEventKind> = tx
            .fact_events()
            .history(memory, &fact.record)?
            .iter()
            .map(|event| event.kind)
            .filter(|kind| *kind == FactEventKind::Superseded)
            .collect();
        if kinds.len() != usize::from(fact.status == RecordState::Superseded) {
            return Err(Error::bug(format!(
                "{} is {:?} and its events say {kinds:?}",
                fact.record, fact.status
            )));
        }
    }
    let told = tx.fact_events().tallies(memory, &repository_id(1)?, loci_model::Timestamp::EPOCH)?;
    let came = told.iter().filter(|tally| tally.kind != FactEventKind::Superseded).map(|tally| tally.count);
    let came: u64 = came.sum();
    if came == all { Ok(all) } else { Err(Error::bug(format!("{came} of {all} came"))) }
}
