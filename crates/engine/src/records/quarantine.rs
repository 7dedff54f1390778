//! Quarantine: holds records by id, pattern or source, lists held records, and applies decisions on
//! them. A held record is kept unchanged and returned to no one: from the next read on, reads and
//! searches return active records only. This module does not judge texts: safety does it when they
//! are written, and here a person does.

use std::sync::Arc;

use loci_model::memory::Memory;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{ReadTx, RecordPage, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordState};
use loci_model::{
    ActorId, Error, ErrorKind, JobId, MemoryId, RecordId, Result, SessionId, Timestamp, limits,
};

use super::batch;
use super::state_transition::StateTransition;
use crate::calls::caller_pattern::CallerPattern;
use crate::calls::page::Page;
use crate::calls::reason_text;
use crate::calls::text_scan::{TextScan, texts_of};
use crate::events::list::check_limit;
use crate::memories::existing;
use crate::{Engine, access};

/// Records per read or write.
const ROWS: usize = 1_000;

/// The records to hold: all given conditions must hold, and at least one must be given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QuarantineAsk {
    /// These records, at most 1,000.
    pub ids: Vec<RecordId>,
    /// Records whose text or title matches this regular expression, ignoring case.
    pub pattern: Option<String>,
    /// Records derived from events of this actor.
    pub actor: Option<ActorId>,
    /// Records of this session.
    pub session: Option<SessionId>,
    /// Records created at or after this time.
    pub since: Option<Timestamp>,
    /// Records created before this time.
    pub until: Option<Timestamp>,
    /// The reason, 1 to 500 characters; stored with each record.
    pub reason: String,
    /// True to report the records without holding them.
    pub dry_run: bool,
}

/// The records found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuarantinedRecords {
    /// Number of records.
    pub matched: u64,
    /// The first 1,000 of them, newest first.
    pub ids: Vec<RecordId>,
    /// True if their state was changed.
    pub applied: bool,
}

/// A person's decision on held records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Restores their earlier state: active or candidate.
    Release,
    /// Marks them as wrong: they are kept, and never active again.
    Reject,
}

impl Engine {
    /// Holds records.
    ///
    /// # Errors
    /// `Denied` without administration of the memory; `Invalid` without a condition or a reason;
    /// `TooLarge` for more records than one call may change.
    pub async fn records_quarantine(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        ask: QuarantineAsk,
    ) -> Result<QuarantinedRecords> {
        access::require_whole(caller, memory, Capability::Admin)?;
        let ask = QuarantineAsk { reason: reason_text::required(&ask.reason)?, ..ask };
        let pattern = check(&ask)?;
        let (memory, now, by) = (memory.clone(), self.clock.now(), caller.name.clone());
        let found = self.quarantine_matching(&memory, &ask, pattern, now).await?;
        if !ask.dry_run {
            for ids in found.chunks(ROWS) {
                let (place, ids, reason, by) = (memory.clone(), ids.to_vec(), ask.reason.clone(), by.clone());
                let hold = move |tx: &mut dyn Tx| {
                    let memory = existing(tx, &place)?;
                    hold(tx, &StateTransition { memory: &memory, by: &by, at: now }, &ids, &reason)
                };
                self.store.write(hold).await?;
            }
        }
        let matched = u64::try_from(found.len()).unwrap_or(u64::MAX);
        let ids = found.into_iter().take(limits::QUARANTINE_IDS_MAX).collect();
        Ok(QuarantinedRecords { matched, ids, applied: !ask.dry_run })
    }

    /// Returns a page of held records, newest first.
    ///
    /// # Errors
    /// `Denied` without administration of the memory.
    pub async fn quarantine_list(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        after: Option<(Timestamp, RecordId)>,
        limit: u32,
    ) -> Result<Page<Record, (Timestamp, RecordId)>> {
        access::require_whole(caller, memory, Capability::Admin)?;
        check_limit(limit)?;
        let (memory, now) = (memory.clone(), self.clock.now());
        self.store
            .read(move |tx| {
                let memory = existing(tx, &memory)?;
                let scope = of_states(&memory, &[RecordState::Quarantined], now);
                let wanted = limit as usize;
                let page = RecordPage { scope, after: after.clone(), limit: wanted + 1 };
                let records = tx.records().list(&page)?;
                Ok(Page::cut(records, wanted, |record| (record.created_at, record.id.clone())))
            })
            .await
    }

    /// Applies a decision to held records: to all, or to none if one of them is not held.
    ///
    /// # Errors
    /// `Denied` without administration of the memory; `NotFound` for a record that is not held,
    /// with its id.
    pub async fn quarantine_decide(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        ids: Vec<RecordId>,
        verdict: Verdict,
        reason: String,
    ) -> Result<QuarantinedRecords> {
        access::require_whole(caller, memory, Capability::Admin)?;
        let reason = reason_text::required(&reason)?;
        if ids.is_empty() || ids.len() > limits::QUARANTINE_IDS_MAX {
            return Err(Error::invalid("ids", "ids must name 1 to 1,000 records"));
        }
        let (now, by, memory) = (self.clock.now(), caller.name.clone(), memory.clone());
        let job = JobId::parse(uuid7(self.ids.as_ref(), now.millis()))?;
        let (decided, products) = (ids.clone(), self.products.clone());
        self.store
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let changing = StateTransition { memory: &memory, by: &by, at: now };
                for id in &ids {
                    decide(tx, &changing, id, verdict, &reason)?;
                }
                products.records_released(tx, &changing, &ids)?;
                // Records that were never active have no vectors yet.
                batch::ask_for_vectors(tx, &memory.id, &job, now)
            })
            .await?;
        self.wake.call();
        let matched = u64::try_from(decided.len()).unwrap_or(u64::MAX);
        Ok(QuarantinedRecords { matched, ids: decided, applied: true })
    }
}

fn check(ask: &QuarantineAsk) -> Result<Option<CallerPattern>> {
    if ask.ids.len() > limits::QUARANTINE_IDS_MAX {
        return Err(Error::invalid("ids", "ids must name at most 1,000 records"));
    }
    let QuarantineAsk { ids, pattern, actor, session, since, until, .. } = ask;
    let conditions =
        [pattern.is_some(), actor.is_some(), session.is_some(), since.is_some(), until.is_some()];
    if ids.is_empty() && !conditions.contains(&true) {
        let rule = "say which records: give ids, pattern, actor, session, since or until";
        return Err(Error::invalid("ids", rule));
    }
    pattern.as_deref().map(|pattern| CallerPattern::parse(pattern, true)).transpose()
}

fn of_states(memory: &Memory, states: &[RecordState], now: Timestamp) -> RecordScope {
    RecordScope { states: states.to_vec(), ..RecordScope::whole(memory.id.clone(), now) }
}

/// Records of one read, and the start of the next read.
struct QuarantinePage {
    records: Vec<Record>,
    next: Option<(Timestamp, RecordId)>,
}

impl Engine {
    /// Returns active records and candidates that meet the conditions, newest first.
    async fn quarantine_matching(
        &self,
        memory: &MemoryId,
        ask: &QuarantineAsk,
        pattern: Option<CallerPattern>,
        now: Timestamp,
    ) -> Result<Vec<RecordId>> {
        let mut words = pattern.map(|pattern| TextScan::new(Arc::new(move |text: &str| pattern.holds(text))));
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let (memory, ask) = (memory.clone(), ask.clone());
            let looked =
                self.store.read(move |tx| look(tx, &existing(tx, &memory)?, &ask, after.clone(), now));
            let QuarantinePage { records, next } = looked.await?;
            let held = match &mut words {
                Some(words) => words.holds(self, records.iter().map(texts_of).collect()).await?,
                None => vec![true; records.len()],
            };
            found
                .extend(records.into_iter().zip(held).filter(|(_, held)| *held).map(|(record, _)| record.id));
            if u64::try_from(found.len()).unwrap_or(u64::MAX) > limits::MIGRATION_RECORDS_MAX {
                let rule = "more than 200,000 records match: narrow the conditions";
                return Err(Error::new(ErrorKind::TooLarge, rule).on("pattern"));
            }
            if next.is_none() {
                return Ok(found);
            }
            after = next;
        }
    }
}

/// Returns the records after a position that meet all conditions except the pattern.
fn look(
    tx: &dyn ReadTx,
    memory: &Memory,
    ask: &QuarantineAsk,
    after: Option<(Timestamp, RecordId)>,
    now: Timestamp,
) -> Result<QuarantinePage> {
    let states = [RecordState::Active, RecordState::Candidate];
    let holds = |record: &Record| {
        let from = &record.provenance;
        states.contains(&record.state)
            && ask.actor.as_ref().is_none_or(|actor| from.actor.as_ref() == Some(actor))
            && ask.session.as_ref().is_none_or(|session| from.session.as_ref() == Some(session))
            && ask.since.is_none_or(|since| record.created_at >= since)
            && ask.until.is_none_or(|until| record.created_at < until)
    };
    let (mut records, next) = if ask.ids.is_empty() {
        let page = RecordPage { scope: of_states(memory, &states, now), after, limit: ROWS };
        let records = tx.records().list(&page)?;
        let next = records.last().map(|last| (last.created_at, last.id.clone()));
        (records, next)
    } else {
        (tx.records().get_many(&memory.id, &ask.ids)?, None)
    };
    records.retain(holds);
    Ok(QuarantinePage { records, next })
}

/// Holds records that are still active; records that changed meanwhile stay unchanged.
pub fn hold(tx: &mut dyn Tx, changing: &StateTransition<'_>, ids: &[RecordId], reason: &str) -> Result<()> {
    for record in tx.records().get_many(&changing.memory.id, ids)? {
        if matches!(record.state, RecordState::Active | RecordState::Candidate | RecordState::Stale) {
            changing.set_state(tx, &record, RecordState::Quarantined, reason)?;
        }
    }
    Ok(())
}

fn decide(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    id: &RecordId,
    verdict: Verdict,
    reason: &str,
) -> Result<()> {
    let found = tx.records().get(&changing.memory.id, id)?;
    let held = found.filter(|record| record.state == RecordState::Quarantined);
    let record =
        held.ok_or_else(|| Error::not_found(format!("no record {id} is in quarantine")).on("ids"))?;
    match verdict {
        Verdict::Release => release(tx, changing, &record, reason),
        Verdict::Reject => changing.set_state(tx, &record, RecordState::Invalid, reason),
    }
    .map(drop)
}

/// Restores a held record to the state before the hold. A record that was held from the start
/// becomes active for the first time. Returns false if that changes nothing.
pub fn release(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    record: &Record,
    reason: &str,
) -> Result<bool> {
    let held = RecordState::Quarantined;
    let changes = tx.telemetry().of_record(&changing.memory.id, &record.id)?;
    // A state row of a held record that moves with its template is not the start of a hold.
    let hold = changes.iter().rev().find(|change| change.to == held && change.from != Some(held));
    match hold.and_then(|change| change.from) {
        Some(from @ (RecordState::Candidate | RecordState::Stale)) => {
            changing.set_state(tx, record, from, reason)
        }
        _ => changing.restore(tx, record, reason),
    }
}
