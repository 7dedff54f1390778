//! Writes the consequences of a verification in one transaction: the fact, the record's state, and
//! all events.

use loci_engine::records::changes::{self, RecordStateChange};
use loci_model::facts::fact::{Fact, FactEvent};
use loci_model::memory::Memory;
use loci_model::ports::store::{RecordChange, Tx};
use loci_model::record::{Record, RecordState};
use loci_model::{Result, Timestamp};

use super::state_change::FactConsequences;
use crate::facts::conflicts;
use crate::facts::events;

/// Writes the consequences for a fact.
pub(crate) fn settled(
    tx: &mut dyn Tx,
    memory: &Memory,
    record: &Record,
    settled: &FactConsequences,
    by: &str,
    at: Timestamp,
) -> Result<()> {
    if let Some((to, reason)) = &settled.state {
        state(tx, memory, record, *to, reason, by, at)?;
    }
    match &settled.fact {
        Some(changed) => fact(tx, changed, &settled.events),
        None => events::append(tx, &settled.events),
    }
}

/// Changes the state of a record that is a fact. The caller writes its fact row and its events.
pub(crate) fn state(
    tx: &mut dyn Tx,
    memory: &Memory,
    record: &Record,
    to: RecordState,
    reason: &str,
    by: &str,
    at: Timestamp,
) -> Result<()> {
    let change = RecordChange { state: to, reason: reason.to_owned(), at };
    tx.records_mut().set_state(&memory.id, &record.id, &change)?;
    changes::note_state(
        tx,
        memory,
        &RecordStateChange { record, from: Some(record.state), to, reason, by, at },
    )
}

/// Writes a fact and its events.
pub(crate) fn fact(tx: &mut dyn Tx, fact: &Fact, happened: &[FactEvent]) -> Result<()> {
    tx.facts_mut().put(fact)?;
    if matches!(fact.status, RecordState::Superseded | RecordState::Invalid | RecordState::Erased) {
        conflicts::lift(tx, fact)?;
    }
    events::append(tx, happened)
}
