//! Quarantine: holds records by id, pattern or source, lists held records, and applies a person's
//! decision on them. A held record is kept unchanged, but reads and searches no longer return it.
//! The module `safety` quarantines suspicious texts when they are written; here a person does it
//! later.

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

/// The number of records that one read or write handles.
const ROWS: usize = 1_000;

/// The conditions that select records to quarantine: a record must meet all given conditions, and
/// the request must give at least one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QuarantineAsk {
    /// Selects the records with these ids, at most 1,000; empty for no condition.
    pub ids: Vec<RecordId>,
    /// Selects records whose text or title matches this regular expression, ignoring case.
    pub pattern: Option<String>,
    /// Selects records derived from events of this actor.
    pub actor: Option<ActorId>,
    /// Selects records derived from this session.
    pub session: Option<SessionId>,
    /// Selects records created at or after this time.
    pub since: Option<Timestamp>,
    /// Selects records created before this time.
    pub until: Option<Timestamp>,
    /// The reason for the quarantine, 1 to 500 characters; it is stored with each record.
    pub reason: String,
    /// True to report the selected records without changing them.
    pub dry_run: bool,
}

/// The records that a quarantine request selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuarantinedRecords {
    /// The number of selected records.
    pub matched: u64,
    /// The ids of the first 1,000 selected records, newest first.
    pub ids: Vec<RecordId>,
    /// True if the records were quarantined; false after a dry run.
    pub applied: bool,
}

/// A person's decision on quarantined records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Restores the state that the records had before the quarantine: active or candidate.
    Release,
    /// Marks the records as wrong: they are kept, but cannot become active again.
    Reject,
}

impl Engine {
    /// Quarantines the active and candidate records that meet the conditions of a request.
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

    /// Returns a page of quarantined records, newest first.
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

    /// Applies a person's decision to quarantined records. If one of the records is not
    /// quarantined, none is changed.
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

/// The matching records of one read, and the position where the next read starts.
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

/// Returns the records after a position that meet all conditions of a request except its pattern.
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

/// Quarantines those of the records that are still active. Records that changed meanwhile stay
/// unchanged.
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

/// Restores the state that a quarantined record had before. A record that was quarantined when it
/// was created becomes active. Returns false if its state does not change.
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
