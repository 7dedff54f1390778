//! Changes of a record's state together with their publication, so that neither occurs without the
//! other. The caller decides on the change; `changes::note` publishes it.

use loci_model::memory::Memory;
use loci_model::ports::store::{RecordChange, SupersedeChange, Tx};
use loci_model::record::{Record, RecordState};
use loci_model::{Result, Timestamp};

use super::changes::{self, RecordStateChange};

/// The author and time of changes in a memory.
#[derive(Clone, Copy)]
pub struct StateTransition<'a> {
    /// The memory.
    pub memory: &'a Memory,
    /// The author: a principal, or `loci` for the engine itself.
    pub by: &'a str,
    /// The time.
    pub at: Timestamp,
}

impl StateTransition<'_> {
    /// Publishes a change that the caller made: a new record (`from` is `None`), or a new version.
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

    /// Changes the state of a record, which is given in its form before the change. Returns false
    /// if that changes nothing.
    pub fn set_state(&self, tx: &mut dyn Tx, record: &Record, to: RecordState, reason: &str) -> Result<bool> {
        let change = RecordChange { state: to, reason: reason.to_owned(), at: self.at };
        let changed = tx.records_mut().set_state(&self.memory.id, &record.id, &change)?;
        self.noted(tx, record, to, reason, changed)
    }

    /// Supersedes an active record; returns false if it is not active.
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

    /// Restores a record that was put away; returns false if its state does not allow it.
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
