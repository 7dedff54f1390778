//! `record_feedback`: a principal's verdict on a record: useful or wrong. Each principal has one
//! current verdict on a version's text; a later one replaces it. A record that two principals, or
//! one administrator of the whole memory, call wrong is held until a person decides. Fewer verdicts
//! only change the counts: a single agent hides nothing and does not change the ranking.
//!
//! `coding/tasks/exposures/feedback` handles the feedback of tasks on the records shown to them.

use std::collections::BTreeMap;

use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::feedback::{FeedbackVerdict, told, verdict_of};
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordState};
use loci_model::{Error, MemoryId, RecordId, Result, limits};

use super::get::unknown;
use super::quarantine;
use super::state_transition::StateTransition;
use crate::Engine;
use crate::access::{self, View};
use crate::memories::existing;
use crate::safety::{RedactionMode, redact};

/// The number of principals who must report a record as wrong before it is quarantined.
const PRINCIPALS_ENOUGH: usize = 2;

/// A request to store the caller's verdict on a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFeedback {
    /// The record that the verdict is about.
    pub id: RecordId,
    /// The caller's verdict: useful or wrong.
    pub verdict: FeedbackVerdict,
    /// The reason for the verdict, at most 500 characters; it is stored with the record.
    pub reason: Option<String>,
    /// True if a person who administers the memory gives the verdict: one such verdict is enough
    /// to quarantine the record. The server never derives this from the caller's rights, because
    /// agents often have all of them.
    pub by_human: bool,
}

/// The current verdicts on a record, and the record's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedbackStanding {
    /// The version of the record that the verdicts are about. A version with a new text starts
    /// without verdicts.
    pub version: u32,
    /// The number of principals who report the record as useful.
    pub useful: usize,
    /// The number of principals who report the record as wrong. Verdicts from before a release
    /// from quarantine do not count.
    pub wrong: usize,
    /// The current state of the record.
    pub state: RecordState,
    /// The reason of the record's current state, if one is stored.
    pub state_reason: Option<String>,
}

/// The principal who gives a verdict, with the parts of the memory that they may read and write.
struct FeedbackPrincipal<'a> {
    changing: StateTransition<'a>,
    readable: &'a View,
    writable: &'a View,
    /// True if this principal's verdict alone is enough to quarantine a record.
    by_human: bool,
}

impl Engine {
    /// Stores the caller's verdict on a record. Returns the current verdicts on the record and
    /// its state.
    ///
    /// # Errors
    /// `NotFound` for a record that is deleted or that the caller may not read; `Denied` if the
    /// caller may not write it, or states a person's verdict without administering the memory;
    /// `Invalid` for a reason that is too long; `Conflict` if the caller has changed its verdict
    /// too often.
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
        // Secrets are masked independent of the settings, because a reason is stored with the
        // record.
        feedback.reason = feedback.reason.map(|reason| redact(reason, RedactionMode::Mask).0);
        let (memory, by, at) = (memory.clone(), caller.name.clone(), now);
        self.store
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let changing = StateTransition { memory: &memory, by: &by, at };
                let (readable, writable) = (&readable.within(&memory), &writable.within(&memory));
                FeedbackPrincipal { changing, readable, writable, by_human }.say(tx, &feedback)
            })
            .await
    }
}

impl FeedbackPrincipal<'_> {
    fn say(&self, tx: &mut dyn Tx, feedback: &RecordFeedback) -> Result<FeedbackStanding> {
        let StateTransition { memory, by, at } = self.changing;
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
            // This is no change of state, so followers of a stream do not see it.
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

    /// Returns a record that the caller may read and write, in any state except erased.
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

/// Returns the current verdicts on a record, which are derived from the rows of its state
/// history.
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

/// The current verdict of each principal on one version of a record.
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

    /// Returns the reason for which the record is quarantined. It names no principal, because
    /// reasons are stored in the state history and served with it.
    fn why(&self) -> String {
        let count = self.count(FeedbackVerdict::Wrong);
        if count > 1 {
            return format!("called wrong by {count} principals");
        }
        "called wrong by an administrator".to_owned()
    }
}

/// Limits the number of verdicts that a principal may give on a record: each verdict adds a row
/// to the record's history.
fn check_room(rows: &[StateChange], new: &StateChange) -> Result<()> {
    let before = rows.iter().filter(|row| row.version == new.version && row.by == new.by);
    if before.filter(|row| verdict_of(row).is_some()).count() < limits::FEEDBACK_CHANGES_MAX {
        return Ok(());
    }
    let rule = "a principal gives at most 100 verdicts on a version of a record: the last one stands";
    Err(Error::conflict(rule).on("verdict"))
}
