//! The checks of facts, at any moment and after a kill. They use only the rows, with rules written
//! separately here: no code of the engine interprets the facts.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};
use loci_model::RecordId;
use loci_model::facts::fact::{Fact, FactEvent, FactEventKind};
use loci_model::record::{Record, RecordState};

use super::ledger::{AcknowledgedFact, Ledger};
use super::rows::{Rows, Snapshot};

/// Checks invariants of every moment: both rows of a fact have the same state, every chain has one
/// head, and no text is active twice.
pub(super) fn chains(snapshot: &Snapshot) -> Result<()> {
    let mut active = BTreeSet::new();
    for (id, (fact, record)) in &snapshot.facts {
        ensure!(
            fact.status == record.state,
            "{id}: the fact is {:?}, its record {:?}",
            fact.status,
            record.state
        );
        let is_superseded = fact.status == RecordState::Superseded;
        ensure!(
            is_superseded == record.superseded_by.is_some(),
            "{id}: {:?}, but its place has {:?}",
            fact.status,
            record.superseded_by
        );
        links(snapshot, record)?;
        head(snapshot, id)?;
        if fact.status == RecordState::Active {
            ensure!(
                active.insert(&fact.content_hash),
                "{id} is active with the words of another active fact"
            );
        }
    }
    Ok(())
}

/// Checks that a fact and the facts that it supersedes refer to each other.
fn links(snapshot: &Snapshot, record: &Record) -> Result<()> {
    let id = &record.id;
    for old in &record.supersedes {
        let by = snapshot.facts.get(old).and_then(|(_, old)| old.superseded_by.as_ref());
        ensure!(by == Some(id), "{id} took the place of {old}, which says {by:?}");
    }
    if let Some(new) = &record.superseded_by {
        let (_, new) = snapshot
            .facts
            .get(new)
            .with_context(|| format!("{id} gave its place to {new}, which is not there"))?;
        ensure!(new.supersedes.contains(id), "{id} gave its place to {}, which does not say so", new.id);
    }
    Ok(())
}

/// Returns the fact at the end of a chain.
fn head<'a>(snapshot: &'a Snapshot, id: &'a RecordId) -> Result<&'a RecordId> {
    let (mut at, mut steps) = (id, 0);
    while let Some(next) = snapshot.facts.get(at).and_then(|(_, record)| record.superseded_by.as_ref()) {
        (at, steps) = (next, steps + 1);
        ensure!(steps <= snapshot.facts.len(), "the chain of {id} has no head");
    }
    Ok(at)
}

/// The state and counters of a fact, computed from its event rows in order.
#[derive(Debug, PartialEq, Eq, Default)]
struct Replayed {
    status: Option<RecordState>,
    verifications: u64,
    rejections: u64,
    applied: u64,
    retrieved: u64,
}

fn replayed(events: &[FactEvent]) -> Replayed {
    let mut told = Replayed::default();
    for event in events {
        let to = match event.kind {
            FactEventKind::Created | FactEventKind::Corrected => {
                event.cause.as_deref().and_then(RecordState::parse)
            }
            FactEventKind::Refreshed | FactEventKind::Restored => Some(RecordState::Active),
            FactEventKind::Quarantined => Some(RecordState::Quarantined),
            FactEventKind::Invalidated | FactEventKind::ContradictionDetected => Some(RecordState::Invalid),
            FactEventKind::Superseded => Some(RecordState::Superseded),
            FactEventKind::Expired => Some(RecordState::Expired),
            FactEventKind::Deleted => Some(RecordState::Erased),
            FactEventKind::Retrieved
            | FactEventKind::VerifiedValid
            | FactEventKind::VerifiedInvalid
            | FactEventKind::Applied
            | FactEventKind::Reanchored
            | FactEventKind::VerificationSkipped
            | FactEventKind::ConflictDetected
            | FactEventKind::RejectedStore => None,
        };
        told.status = to.or(told.status);
        told.verifications += u64::from(event.kind == FactEventKind::Refreshed);
        told.rejections += u64::from(matches!(to, Some(RecordState::Quarantined | RecordState::Invalid)));
        told.applied += u64::from(event.kind == FactEventKind::Applied);
        told.retrieved += u64::from(event.kind == FactEventKind::Retrieved);
    }
    told
}

/// Checks that every change has its row, both of the fact and of the record.
pub(super) fn rows(snapshot: &Snapshot, rows: &Rows) -> Result<()> {
    let Rows { fact, record, events, changes } = rows;
    let told = replayed(events);
    let is = Replayed {
        status: Some(fact.status),
        verifications: fact.counters.verifications,
        rejections: fact.counters.rejections,
        applied: fact.counters.applied,
        retrieved: fact.counters.retrieved,
    };
    ensure!(told == is, "rows say {told:?}, the fact {is:?}; rows: {:?}", shown(events));
    let mut state = None;
    for change in changes {
        ensure!(change.from == state, "a change of {:?} from {:?}: {changes:?}", state, change.from);
        state = Some(change.to);
    }
    ensure!(state == Some(record.state), "changes end with {state:?}, the record is {:?}", record.state);
    if let Some(new) = &record.superseded_by {
        let given = events.iter().filter(|event| event.kind == FactEventKind::Superseded).count();
        ensure!(given == 1, "superseded {given} times: {:?}", shown(events));
        took(snapshot, fact, new)?;
    }
    Ok(())
}

/// Checks that superseding has left its row on the new fact too. If the text of an invalid fact is
/// stored again, it counts as created.
fn took(snapshot: &Snapshot, old: &Fact, new: &RecordId) -> Result<()> {
    let Some(rows) = snapshot.whole.iter().find(|rows| rows.record.id == *new) else { return Ok(()) };
    let came = |event: &FactEvent| match event.kind {
        FactEventKind::Corrected | FactEventKind::Created => true,
        FactEventKind::Refreshed => event.cause.as_deref() == Some("store"),
        _ => false,
    };
    ensure!(rows.events.iter().any(came), "{new} has no row of how it took the place of {}", old.record);
    Ok(())
}

fn shown(events: &[FactEvent]) -> Vec<String> {
    events
        .iter()
        .map(|event| format!("{} {} {:?}", event.at.to_rfc3339(), event.kind.as_str(), event.cause))
        .collect()
}

/// Checks that all existing facts were acknowledged, and that every acknowledged fact exists
/// exactly once.
pub(super) fn acknowledged(snapshot: &Snapshot, ledger: &Ledger) -> Result<()> {
    ensure!(
        ledger.early.is_empty(),
        "stored again, and made by no call that came to an end: {:?}",
        ledger.early
    );
    let there: BTreeSet<&str> = snapshot.facts.keys().map(bare).collect();
    let known: BTreeSet<&str> = ledger.facts.keys().map(String::as_str).collect();
    let lost: Vec<_> = known.difference(&there).collect();
    ensure!(lost.is_empty(), "acknowledged facts are lost: {lost:?}");
    let never: Vec<_> = there.difference(&known).collect();
    ensure!(never.is_empty(), "facts are there of which no call came to an end: {never:?}");
    let by_id: BTreeMap<&str, &AcknowledgedFact> =
        ledger.facts.iter().map(|(id, known)| (id.as_str(), known)).collect();
    for rows in &snapshot.whole {
        let id = bare(&rows.record.id);
        let Some(known) = by_id.get(id) else { bail!("{id} is unknown") };
        of_fact(rows, known).with_context(|| format!("fact {id}: {:?}", shown(&rows.events)))?;
    }
    Ok(())
}

fn of_fact(rows: &Rows, known: &AcknowledgedFact) -> Result<()> {
    let Rows { fact, record, events, .. } = rows;
    ensure!(record.text == known.fact, "its text is {:?}, {:?} was stored", record.text, known.fact);
    if let Some(new) = &known.superseded_by {
        let by = record.superseded_by.as_ref().map(bare);
        ensure!(by == Some(new), "it was superseded by {new}, its record says {by:?}");
    }
    let is_over = matches!(fact.status, RecordState::Invalid | RecordState::Superseded);
    ensure!(!known.is_invalid || is_over, "it was invalidated and is {:?}", fact.status);
    let count = |kind: FactEventKind, cause: Option<&str>| {
        let fits =
            |event: &&FactEvent| event.kind == kind && (cause.is_none() || event.cause.as_deref() == cause);
        events.iter().filter(fits).count() as u64
    };
    for (what, is, was) in [
        ("refreshed", count(FactEventKind::Refreshed, Some("refresh")), known.refreshed),
        ("stored again", count(FactEventKind::Refreshed, Some("store")), known.stored_again),
        ("invalidated", count(FactEventKind::Invalidated, Some("caller")), known.invalidated),
        ("applied", count(FactEventKind::Applied, None), known.applied),
    ] {
        ensure!(is == was, "{what} {is} times by its rows, {was} times by what was acknowledged");
    }
    Ok(())
}

fn bare(id: &RecordId) -> &str {
    id.as_str().strip_prefix("mem-").unwrap_or(id.as_str())
}
