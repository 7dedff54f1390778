//! Quarantine: holding records back by id, words or source, looking at what is held, and deciding
//! about it. What is held is kept as it is and served to nobody: reads and searches return active
//! records only, from the next one on. It judges nothing itself: texts are judged when they are
//! written, here a person is.

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
use super::changing::Changing;
use crate::calls::caller_pattern::CallerPattern;
use crate::calls::page::Page;
use crate::calls::reason_text;
use crate::calls::text_scan::{TextScan, texts_of};
use crate::events::list::check_limit;
use crate::memories::existing;
use crate::{Engine, access};

/// Records that are looked at, or changed, in one go.
const ROWS: usize = 1_000;

/// Which records to hold back: every member that is there must hold; at least one must be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QuarantineAsk {
    /// These; at most 1,000.
    pub ids: Vec<RecordId>,
    /// Whose text or title this regular expression matches, whatever the case.
    pub pattern: Option<String>,
    /// That rest on what this actor said.
    pub actor: Option<ActorId>,
    /// That come from this session.
    pub session: Option<SessionId>,
    /// Made at or after this time.
    pub since: Option<Timestamp>,
    /// Made before this time.
    pub until: Option<Timestamp>,
    /// Why, in 1 to 500 characters; kept with each record.
    pub reason: String,
    /// Only say what would be held back.
    pub dry_run: bool,
}

/// What was found, and whether it was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// How many records.
    pub matched: u64,
    /// The first 1,000 of them, newest first.
    pub ids: Vec<RecordId>,
    /// Their state was changed.
    pub applied: bool,
}

/// What a person decides about records that are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// They are what they were before: active again, or candidates.
    Release,
    /// They are found wrong: kept, and never active again.
    Reject,
}

impl Engine {
    /// Holds records back.
    ///
    /// # Errors
    /// `Denied` without administration of the memory; `Invalid` without a condition or a reason; `TooLarge` over the number
    /// of records that one call changes.
    pub async fn records_quarantine(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        ask: QuarantineAsk,
    ) -> Result<Quarantined> {
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
                    hold(tx, &Changing { memory: &memory, by: &by, at: now }, &ids, &reason)
                };
                self.store.write(hold).await?;
            }
        }
        let matched = u64::try_from(found.len()).unwrap_or(u64::MAX);
        let ids = found.into_iter().take(limits::QUARANTINE_IDS_MAX).collect();
        Ok(Quarantined { matched, ids, applied: !ask.dry_run })
    }

    /// What is held, newest first.
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

    /// Decides about records that are held: all of them, or none where one is not held.
    ///
    /// # Errors
    /// `Denied` without administration of the memory; `NotFound` for a record that is not held, naming it.
    pub async fn quarantine_decide(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        ids: Vec<RecordId>,
        verdict: Verdict,
        reason: String,
    ) -> Result<Quarantined> {
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
                let changing = Changing { memory: &memory, by: &by, at: now };
                for id in &ids {
                    decide(tx, &changing, id, verdict, &reason)?;
                }
                products.records_released(tx, &changing, &ids)?;
                // What was never active has no vector yet.
                batch::ask_for_vectors(tx, &memory.id, &job, now)
            })
            .await?;
        self.wake.call();
        let matched = u64::try_from(decided.len()).unwrap_or(u64::MAX);
        Ok(Quarantined { matched, ids: decided, applied: true })
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

/// Records that are looked at together, and where the next ones begin.
struct Looked {
    records: Vec<Record>,
    next: Option<(Timestamp, RecordId)>,
}

impl Engine {
    /// Active records, and candidates, for which the conditions hold; newest first.
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
            let Looked { records, next } = looked.await?;
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

/// The records behind a place for which every condition but the pattern holds.
fn look(
    tx: &dyn ReadTx,
    memory: &Memory,
    ask: &QuarantineAsk,
    after: Option<(Timestamp, RecordId)>,
    now: Timestamp,
) -> Result<Looked> {
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
    Ok(Looked { records, next })
}

/// Holds back what is still active; what changed meanwhile stays as it is.
pub fn hold(tx: &mut dyn Tx, changing: &Changing<'_>, ids: &[RecordId], reason: &str) -> Result<()> {
    for record in tx.records().get_many(&changing.memory.id, ids)? {
        if matches!(record.state, RecordState::Active | RecordState::Candidate | RecordState::Stale) {
            changing.set_state(tx, &record, RecordState::Quarantined, reason)?;
        }
    }
    Ok(())
}

fn decide(
    tx: &mut dyn Tx,
    changing: &Changing<'_>,
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

/// Gives a held record the state that it was held in; what was held from the start was never in force and is now. False
/// where that changes nothing.
pub fn release(tx: &mut dyn Tx, changing: &Changing<'_>, record: &Record, reason: &str) -> Result<bool> {
    let held = RecordState::Quarantined;
    let changes = tx.telemetry().of_record(&changing.memory.id, &record.id)?;
    // A held record that moves with its template stays held: that is no hold.
    let hold = changes.iter().rev().find(|change| change.to == held && change.from != Some(held));
    match hold.and_then(|change| change.from) {
        Some(from @ (RecordState::Candidate | RecordState::Stale)) => {
            changing.set_state(tx, record, from, reason)
        }
        _ => changing.restore(tx, record, reason),
    }
}
