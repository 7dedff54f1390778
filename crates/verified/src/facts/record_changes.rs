//! Facts follow their records. If another interface deletes, quarantines, restores or moves a
//! record that cites code, its fact and its history follow in the same transaction.

use loci_engine::records::changes::RecordStateChange;
use loci_model::facts::fact::{FactEvent, FactEventKind};
use loci_model::ports::store::Tx;
use loci_model::record::{RecordKind, RecordState};
use loci_model::{MemoryId, RecordId, Result, Timestamp};
use sha2::{Digest, Sha256};

use super::events;

/// Updates the fact of a changed record, if it has one, to the record's state.
pub(crate) fn follow(tx: &mut dyn Tx, change: &RecordStateChange<'_>) -> Result<()> {
    let is_new = change.from.is_none() || change.from == Some(change.to);
    if is_new || (change.record.citations.is_none() && change.record.kind != RecordKind::Fact) {
        return Ok(()); // Citations that were proposed from a text leave no mark on its record.
    }
    let memory = &change.record.memory;
    let Some(mut fact) = tx.facts().get(memory, &change.record.id)? else { return Ok(()) };
    let Some(kind) = kind_of(change.to) else { return Ok(()) };
    fact.status = change.to;
    if kind == FactEventKind::Invalidated {
        fact.counters.rejections += 1;
    }
    if change.to == RecordState::Active {
        fact.detail.gone = None;
    }
    let event = FactEvent {
        id: event_id(change),
        memory: memory.clone(),
        repository: fact.repository.clone(),
        record: Some(change.record.id.clone()),
        kind,
        at: change.at,
        principal: change.by.to_owned(),
        agent: None,
        session: None,
        duration_ms: None,
        reference: None,
        commit: None,
        verdict: None,
        method: None,
        cause: Some(change.to.as_str().to_owned()),
        details: None,
    };
    tx.facts_mut().put(&fact)?;
    events::append(tx, &[event])
}

/// Adds an event for records that are erased at once, without a change of state (T7).
pub fn erased(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    records: &[RecordId],
    by: &str,
    at: Timestamp,
) -> Result<()> {
    for record in records {
        let newest = tx.fact_events().of_record(memory, record, 1)?.pop();
        let Some(newest) = newest.filter(|event| event.kind != FactEventKind::Deleted) else { continue };
        let event = FactEvent {
            id: id_of(&format!("{record} erased"), at),
            memory: memory.clone(),
            repository: newest.repository,
            record: Some(record.clone()),
            kind: FactEventKind::Deleted,
            at,
            principal: by.to_owned(),
            agent: None,
            session: None,
            duration_ms: None,
            reference: None,
            commit: None,
            verdict: None,
            method: None,
            cause: Some(RecordState::Erased.as_str().to_owned()),
            details: None,
        };
        tx.fact_events_mut().append(&[event])?;
    }
    Ok(())
}

fn kind_of(to: RecordState) -> Option<FactEventKind> {
    match to {
        RecordState::Active => Some(FactEventKind::Restored),
        RecordState::Superseded => Some(FactEventKind::Superseded),
        RecordState::Invalid => Some(FactEventKind::Invalidated),
        RecordState::Quarantined => Some(FactEventKind::Quarantined),
        RecordState::Expired => Some(FactEventKind::Expired),
        RecordState::Erased => Some(FactEventKind::Deleted),
        // The tools of verified memory never return archived, held or rolled-back records.
        RecordState::Candidate | RecordState::Stale | RecordState::Archived | RecordState::RolledBack => {
            Some(FactEventKind::Quarantined)
        }
    }
}

/// Returns an id that sorts by time like every other. A repeated write yields the same id.
fn event_id(change: &RecordStateChange<'_>) -> String {
    id_of(&format!("{} {} {:?}", change.record.id, change.record.version, change.to), change.at)
}

fn id_of(about: &str, at: Timestamp) -> String {
    let digest = Sha256::digest(about.as_bytes());
    loci_model::ports::ids::uuid7(&DigestIds(digest.into()), at.millis())
}

/// An id source that returns sixteen bytes of a digest in place of random ones.
struct DigestIds([u8; 32]);

impl loci_model::ports::ids::IdSource for DigestIds {
    fn random(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(self.0.get(..16).unwrap_or(&[0; 16]));
        bytes
    }
}
