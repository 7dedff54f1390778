//! `record_feedback`: what a principal says of a record: useful, or wrong. Each principal has one
//! standing verdict on the words of a version; a later one takes its place. What two principals
//! call wrong, or one who administers the whole memory, is held back until somebody decides. Less
//! than that changes nothing but the account: one agent alone hides nothing, and moves nothing in
//! the ranking.
//!
//! What tasks say of what they were shown is `coding/tasks/exposures/feedback`.

use std::collections::BTreeMap;

use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::feedback::{FeedbackVerdict, told, verdict_of};
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordState};
use loci_model::{Error, MemoryId, RecordId, Result, limits};

use super::changing::Changing;
use super::get::unknown;
use super::quarantine;
use crate::Engine;
use crate::access::{self, View};
use crate::memories::existing;
use crate::safety::{RedactionMode, redact};

/// Principals who call a record wrong before it is held back.
const PRINCIPALS_ENOUGH: usize = 2;

/// What is said of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFeedback {
    /// The record.
    pub id: RecordId,
    /// What it is.
    pub verdict: FeedbackVerdict,
    /// Why, in at most 500 characters; kept with the record.
    pub reason: Option<String>,
    /// A person says it, who administers the memory: one is enough. Never taken from the caller's rights: agents often have all of them.
    pub by_human: bool,
}

/// What principals say of a record by now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedbackStanding {
    /// The version that it is about: a new one begins anew.
    pub version: u32,
    /// Principals who call it useful.
    pub useful: usize,
    /// Principals who call it wrong. A release from quarantine decides what was said before it.
    pub wrong: usize,
    /// Where the record stands.
    pub state: RecordState,
    /// Why it stands there.
    pub state_reason: Option<String>,
}

/// Who says it, and what they may see and change.
struct Saying<'a> {
    changing: Changing<'a>,
    readable: &'a View,
    writable: &'a View,
    /// One is enough.
    by_human: bool,
}

impl Engine {
    /// Takes in a verdict; where the record stands now.
    ///
    /// # Errors
    /// `NotFound` for a record that is deleted or that the caller may not read; `Denied` where the caller may not write it, or brings a
    /// person's word without administering the memory; `Invalid` for a reason that is too long; `Conflict` where the caller has changed its mind too often.
    pub async fn record_feedback(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        feedback: RecordFeedback,
    ) -> Result<FeedbackStanding> {
        let watch = self.watch("update_memory", Some(memory));
        let outcome = self.take_feedback(caller, memory, feedback).await;
        if let Some(watch) = watch {
            watch.tell_records(&outcome, |_| 1);
        }
        outcome
    }

    async fn take_feedback(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        mut feedback: RecordFeedback,
    ) -> Result<FeedbackStanding> {
        let now = self.clock.now();
        let readable = access::bound_view(&self.products, caller, memory, Capability::Read, now)?;
        let writable = access::bound_view(&self.products, caller, memory, Capability::Write, now)?;
        let administers = access::require_whole(caller, memory, Capability::Admin);
        let by_human = feedback.by_human;
        if by_human {
            administers?;
        }
        if feedback.reason.as_ref().is_some_and(|reason| reason.chars().count() > limits::REASON_CHARS_MAX) {
            return Err(Error::invalid("reason", "reason must have at most 500 characters: shorten it"));
        }
        // Secrets are masked whatever the settings are: a reason is kept with the record.
        feedback.reason = feedback.reason.map(|reason| redact(reason, RedactionMode::Mask).0);
        let (memory, by, at) = (memory.clone(), caller.name.clone(), now);
        self.store
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let changing = Changing { memory: &memory, by: &by, at };
                let (readable, writable) = (&readable.within(&memory), &writable.within(&memory));
                Saying { changing, readable, writable, by_human }.say(tx, &feedback)
            })
            .await
    }
}

impl Saying<'_> {
    fn say(&self, tx: &mut dyn Tx, feedback: &RecordFeedback) -> Result<FeedbackStanding> {
        let Changing { memory, by, at } = self.changing;
        let record = self.seen(tx, &feedback.id)?;
        let mut rows = tx.telemetry().of_record(&memory.id, &record.id)?;
        let row = StateChange {
            memory: memory.id.clone(),
            record: record.id.clone(),
            version: record.version,
            from: Some(record.state),
            to: record.state,
            reason: told(feedback.verdict, feedback.reason.as_deref()),
            by: by.to_owned(),
            at,
        };
        let said = Account::of(&record, &rows);
        if said.last(by).is_none_or(|last| last.reason != row.reason) {
            check_room(&rows, &row)?;
            // No change of state: followers of a stream see nothing of it.
            tx.telemetry_mut().append(&row)?;
            rows.push(row);
        }
        let said = Account::of(&record, &rows);
        let is_enough = said.count(FeedbackVerdict::Wrong) >= PRINCIPALS_ENOUGH || self.by_human;
        if feedback.verdict == FeedbackVerdict::Wrong && is_enough {
            quarantine::hold(tx, &self.changing, std::slice::from_ref(&record.id), &said.why())?;
        }
        let now = tx.records().get(&memory.id, &record.id)?.ok_or_else(|| unknown(&record.id))?;
        Ok(standing(&now, &rows))
    }

    /// A record that the caller may read and write, in any state but erased.
    fn seen(&self, tx: &mut dyn Tx, id: &RecordId) -> Result<Record> {
        let found = tx.records().get(&self.changing.memory.id, id)?;
        let record = found
            .filter(|record| record.state != RecordState::Erased && self.readable.admits(record))
            .ok_or_else(|| unknown(id))?;
        if !self.writable.admits(&record) {
            return Err(Error::denied("feedback on a record needs a grant of write on it"));
        }
        Ok(record)
    }
}

/// What is said of a record by now, from the rows of its history.
pub fn standing(record: &Record, rows: &[StateChange]) -> FeedbackStanding {
    let said = Account::of(record, rows);
    FeedbackStanding {
        version: record.version,
        useful: said.count(FeedbackVerdict::Useful),
        wrong: said.count(FeedbackVerdict::Wrong),
        state: record.state,
        state_reason: record.state_reason.clone(),
    }
}

/// The standing verdicts on a version, by principal.
struct Account<'a>(BTreeMap<&'a str, (FeedbackVerdict, &'a StateChange)>);

impl<'a> Account<'a> {
    fn of(record: &Record, rows: &'a [StateChange]) -> Self {
        let held = RecordState::Quarantined;
        let released = rows.iter().rposition(|row| row.from == Some(held) && row.to != held);
        let mut standing = BTreeMap::new();
        for (place, row) in rows.iter().enumerate().filter(|(_, row)| row.version == record.version) {
            let Some(verdict) = verdict_of(row) else { continue };
            let is_decided = verdict == FeedbackVerdict::Wrong && released.is_some_and(|at| place < at);
            if is_decided {
                standing.remove(row.by.as_str());
            } else {
                standing.insert(row.by.as_str(), (verdict, row));
            }
        }
        Self(standing)
    }

    fn last(&self, by: &str) -> Option<&StateChange> {
        self.0.get(by).map(|(_, row)| *row)
    }

    fn count(&self, wanted: FeedbackVerdict) -> usize {
        self.0.values().filter(|(verdict, _)| *verdict == wanted).count()
    }

    /// Why the record is held back. Not in anybody's words: they are in the rows above, and go with the record.
    fn why(&self) -> String {
        let count = self.count(FeedbackVerdict::Wrong);
        if count > 1 {
            return format!("called wrong by {count} principals");
        }
        "called wrong by an administrator".to_owned()
    }
}

/// Who changes its mind without end fills the history of a record.
fn check_room(rows: &[StateChange], new: &StateChange) -> Result<()> {
    let before = rows.iter().filter(|row| row.version == new.version && row.by == new.by);
    if before.filter(|row| verdict_of(row).is_some()).count() < limits::FEEDBACK_CHANGES_MAX {
        return Ok(());
    }
    let rule = "a principal gives at most 100 verdicts on a version of a record: the last one stands";
    Err(Error::conflict(rule).on("verdict"))
}
