//! Changes of a record's state with their note: one call does both, so that none is made without the other. Which change is
//! right is the caller's matter; what becomes known of it is `changes::note`'s.

use loci_model::memory::Memory;
use loci_model::ports::store::{RecordChange, SupersedeChange, Tx};
use loci_model::record::{Record, RecordState};
use loci_model::{Result, Timestamp};

use super::changes::{self, Change};

/// Who changes records of a memory, and when.
#[derive(Clone, Copy)]
pub struct Changing<'a> {
    /// The memory.
    pub memory: &'a Memory,
    /// Who: a principal, or `loci` for the engine itself.
    pub by: &'a str,
    /// When.
    pub at: Timestamp,
}

impl Changing<'_> {
    /// Notes a change that the caller made: a new record (`from` is `None`), or a new version.
    pub fn note(
        &self,
        tx: &mut dyn Tx,
        record: &Record,
        from: Option<RecordState>,
        to: RecordState,
        reason: &str,
    ) -> Result<()> {
        changes::note(tx, self.memory, &Change { record, from, to, reason, by: self.by, at: self.at })
    }

    /// Puts a record, as it is before, into another state; false where that changes nothing.
    pub fn set_state(&self, tx: &mut dyn Tx, record: &Record, to: RecordState, reason: &str) -> Result<bool> {
        let change = RecordChange { state: to, reason: reason.to_owned(), at: self.at };
        let changed = tx.records_mut().set_state(&self.memory.id, &record.id, &change)?;
        self.noted(tx, record, to, reason, changed)
    }

    /// A record takes the place of an active one; false where that is not active.
    pub fn supersede(&self, tx: &mut dyn Tx, old: &Record, by: &Record, reason: &str) -> Result<bool> {
        let change = SupersedeChange {
            by: by.id.clone(),
            reason: reason.to_owned(),
            // Events of one run may have times against its order: nothing ends before it begins.
            valid_to: by.valid_from.max(old.valid_from),
            at: self.at,
        };
        let changed = tx.records_mut().supersede(&self.memory.id, &old.id, &change)?;
        self.noted(tx, old, RecordState::Superseded, reason, changed)
    }

    /// Puts a record that was put away in force again; false where its state allows none.
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
