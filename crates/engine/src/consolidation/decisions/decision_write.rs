//! Applies a decision in the write of its round: inserts the record, supersedes others, and adds a
//! line to the history of each. All in one transaction; consolidation erases nothing.

use loci_model::memory::Memory;
use loci_model::ports::store::{Confirmation, Tx};
use loci_model::record::derivation::Decided;
use loci_model::record::statement_time::StatementTime;
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordState};
use loci_model::{RecordId, Result, Timestamp, limits};

use crate::consolidation::{Decision, Why};
use crate::records::conflicts;
use crate::records::state_transition::StateTransition;

/// The author of these changes in the state history: the engine itself.
const BY: &str = "loci";
/// The name and version of the rules, as the reasons of decisions state them.
pub const RULES: &str = "deterministic@1";

/// Applies a decision. Returns the inserted record, or `None` if nothing was inserted. If a record
/// of the decision no longer exists, the proposal is added instead.
///
/// # Errors
/// Errors of the store.
pub fn carry_out(
    tx: &mut dyn Tx,
    memory: &Memory,
    proposal: &Record,
    decision: &Decision,
    at: Timestamp,
) -> Result<Option<Record>> {
    DecisionWrite { changing: StateTransition { memory, by: BY, at }, how: "extracted" }
        .carry_out(tx, proposal, decision)
}

/// The context in which decisions are applied.
#[derive(Clone, Copy)]
pub struct DecisionWrite<'a> {
    /// The author of changes, the memory and the time.
    pub changing: StateTransition<'a>,
    /// The word for the origin of the record in the state history, such as `extracted` or
    /// `reported`.
    pub how: &'static str,
}

impl DecisionWrite<'_> {
    /// Works like the function [`carry_out`].
    pub fn carry_out(
        &self,
        tx: &mut dyn Tx,
        proposal: &Record,
        decision: &Decision,
    ) -> Result<Option<Record>> {
        match decision {
            Decision::Add { why } => self.insert(tx, proposal, "add", why, &[]).map(Some),
            Decision::Skip { of, why } => match self.active(tx, of)? {
                Some(first) => self.repeat(tx, &first, proposal, why).map(|()| None),
                None => self.insert(tx, proposal, "add", why, &[]).map(Some),
            },
            Decision::Supersede { old, why } => self.replace(tx, proposal, old, "supersede", why).map(Some),
            Decision::Update { old, text, why, by } => {
                let mut record = proposal.clone();
                record.text.clone_from(text);
                let making = record.making.get_or_insert_default();
                (making.prompt, making.model, making.mode) =
                    (Some(by.prompt.clone()), by.model.clone(), by.mode);
                self.replace(tx, &record, std::slice::from_ref(old), "update", why).map(Some)
            }
            Decision::Doubt { with, why } => {
                let record = self.insert(tx, proposal, "add", why, &[])?;
                for other in with {
                    if record.state == RecordState::Active && self.active(tx, other)?.is_some() {
                        conflicts::note(tx, (other, &record), &why.reason, self.changing.at)?;
                    }
                }
                Ok(Some(record))
            }
            Decision::Hold { with, why } => {
                let mut record = proposal.clone();
                record.state = RecordState::Candidate;
                record.state_reason = Some(why.reason.clone());
                let record = self.insert(tx, &record, "hold", why, &[])?;
                conflicts::note(tx, (with, &record), &why.reason, self.changing.at)?;
                Ok(Some(record))
            }
            Decision::History { under, why } => {
                let record = self.insert(tx, proposal, "add", why, &[])?;
                if let Some(newer) = self.active(tx, under)? {
                    self.changing.supersede(tx, &record, &newer, &why.reason)?;
                }
                Ok(Some(record))
            }
        }
    }

    fn active(&self, tx: &mut dyn Tx, id: &RecordId) -> Result<Option<Record>> {
        let found = tx.records().get(&self.changing.memory.id, id)?;
        Ok(found.filter(|record| record.state == RecordState::Active))
    }

    /// Inserts the proposal and supersedes those of `old` that are active and not newer.
    fn replace(
        &self,
        tx: &mut dyn Tx,
        proposal: &Record,
        old: &[RecordId],
        action: &str,
        why: &Why,
    ) -> Result<Record> {
        let (mut giving, told) = (Vec::new(), StatementTime::of(proposal));
        if proposal.state == RecordState::Active {
            for id in old {
                giving.extend(self.active(tx, id)?.filter(|old| !told.is_before(&StatementTime::of(old))));
            }
        }
        let action = if giving.is_empty() { "add" } else { action };
        self.insert(tx, proposal, action, why, &giving)
    }

    fn insert(
        &self,
        tx: &mut dyn Tx,
        proposal: &Record,
        action: &str,
        why: &Why,
        giving: &[Record],
    ) -> Result<Record> {
        let mut record = proposal.clone();
        record.supersedes = giving.iter().map(|old| old.id.clone()).collect();
        let reason: String = why.reason.chars().take(limits::REASON_CHARS_MAX).collect();
        let making = record.making.get_or_insert_default();
        making.decided =
            Some(Decided { action: action.to_owned(), by: why.by.clone(), reason: reason.clone() });
        tx.records_mut().insert(&record)?;
        for old in giving {
            self.changing.supersede(tx, old, &record, &why.reason)?;
        }
        let told = format!("{}; {action}: {reason}", self.how);
        self.changing.note(tx, &record, None, record.state, &told)?;
        Ok(record)
    }

    /// Adds the sources to the existing record, and a line to its history. Followers of a stream
    /// see no change.
    fn repeat(&self, tx: &mut dyn Tx, first: &Record, proposal: &Record, why: &Why) -> Result<()> {
        let StateTransition { memory, by, at } = self.changing;
        tx.records_mut().confirm(&memory.id, &first.id, &Confirmation::of(first, proposal, at))?;
        tx.telemetry_mut().append(&StateChange {
            memory: memory.id.clone(),
            record: first.id.clone(),
            version: first.version,
            from: Some(first.state),
            to: first.state,
            reason: format!("said again: {}", why.reason),
            by: by.to_owned(),
            at,
        })
    }
}
