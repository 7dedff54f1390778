//! Functions that change a record's state and publish the change together, so that no change
//! stays unpublished. `changes::note` does the publishing; the caller decides on the change.

use loci_model::memory::Memory;
use loci_model::ports::store::{RecordChange, SupersedeChange, Tx};
use loci_model::record::{Record, RecordState};
use loci_model::{Result, Timestamp};

use super::changes::{self, RecordStateChange};

/// The author and time for changes of records in a memory.
#[derive(Clone, Copy)]
pub struct StateTransition<'a> {
    /// The memory of the records.
    pub memory: &'a Memory,
    /// The author of the changes: a principal, or `loci` for the engine itself.
    pub by: &'a str,
    /// The time of the changes.
    pub at: Timestamp,
}

impl StateTransition<'_> {
    /// Publishes a change that the caller has already written: a new record (`from` is `None`),
    /// or a new version.
    pub fn note(
        &self,
        tx: &mut dyn Tx,
        record: &Record,
        from: Option<RecordState>,
        to: RecordState,
        reason: &str,
    ) -> Result<()> {
        changes::note(
            tx,
            self.memory,
            &RecordStateChange { record, from, to, reason, by: self.by, at: self.at },
        )
    }

    /// Changes the state of a record and publishes the change. `record` is the form before the
    /// change. Returns false if the record already has the state.
    pub fn set_state(&self, tx: &mut dyn Tx, record: &Record, to: RecordState, reason: &str) -> Result<bool> {
        let change = RecordChange { state: to, reason: reason.to_owned(), at: self.at };
        let changed = tx.records_mut().set_state(&self.memory.id, &record.id, &change)?;
        self.noted(tx, record, to, reason, changed)
    }

    /// Supersedes the record `old` by the record `by`. Returns false if `old` is not active.
    pub fn supersede(&self, tx: &mut dyn Tx, old: &Record, by: &Record, reason: &str) -> Result<bool> {
        let change = SupersedeChange {
            by: by.id.clone(),
            reason: reason.to_owned(),
            // Events of one run may have times against its order, but a record must not end before
            // it begins.
            valid_to: by.valid_from.max(old.valid_from),
            at: self.at,
        };
        let changed = tx.records_mut().supersede(&self.memory.id, &old.id, &change)?;
        self.noted(tx, old, RecordState::Superseded, reason, changed)
    }

    /// Makes a superseded, archived or otherwise inactive record active again. Returns false if
    /// its state does not allow it.
    pub fn restore(&self, tx: &mut dyn Tx, record: &Record, reason: &str) -> Result<bool> {
        let changed = tx.records_mut().restore(&self.memory.id, &record.id, reason, self.at)?;
        self.noted(tx, record, RecordState::Active, reason, changed)
    }

    fn noted(
        &self,
        tx: &mut dyn Tx,
        record: &Record,
        to: RecordState,
        reason: &str,
        changed: bool,
    ) -> Result<bool> {
        if changed {
            self.note(tx, record, Some(record.state), to, reason)?;
        }
        Ok(changed)
    }
}
