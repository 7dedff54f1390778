//! Hooks on records: what a product does in the write that changes a record, and which records
//! must wait for a person.

use loci_model::memory::Memory;
use loci_model::ports::store::Tx;
use loci_model::record::metadata::Metadata;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{MemoryId, Namespace, RecordId, Result, StrategyId, Timestamp};

use super::Products;
use crate::records::changes::RecordStateChange;
use crate::records::state_transition::StateTransition;

/// Handlers that a product runs in the write of each change of a record.
pub trait RecordHooks: Send + Sync {
    /// Handles a record that got a new state, or a new version in the same state.
    ///
    /// # Errors
    /// Errors of the store, which abort the write. This applies to all hooks.
    fn changed(&self, _tx: &mut dyn Tx, _change: &RecordStateChange<'_>) -> Result<()> {
        Ok(())
    }

    /// Handles a new record that was extracted from events.
    fn extracted(&self, _tx: &mut dyn Tx, _record: &Record, _at: Timestamp) -> Result<()> {
        Ok(())
    }

    /// Handles records that moved to another namespace.
    fn moved(&self, _tx: &mut dyn Tx, _memory: &MemoryId, _records: &[RecordId]) -> Result<()> {
        Ok(())
    }

    /// Handles the deletion of a record by a caller.
    fn deleted(&self, _tx: &mut dyn Tx, _record: &Record, _at: Timestamp) -> Result<()> {
        Ok(())
    }

    /// Handles quarantined records on which a person decided: they were released or rejected.
    fn released(
        &self,
        _tx: &mut dyn Tx,
        _changing: &StateTransition<'_>,
        _records: &[RecordId],
    ) -> Result<()> {
        Ok(())
    }

    /// Handles records whose content was erased.
    fn content_erased(&self, _tx: &mut dyn Tx, _memory: &MemoryId, _records: &[RecordId]) -> Result<()> {
        Ok(())
    }

    /// Handles records whose content was erased immediately, without a change of their state.
    fn erased_at_once(
        &self,
        _tx: &mut dyn Tx,
        _memory: &MemoryId,
        _records: &[RecordId],
        _by: &str,
        _at: Timestamp,
    ) -> Result<()> {
        Ok(())
    }

    /// Handles records that were returned to a caller. It runs outside of a write.
    fn read(&self, _memory: &MemoryId, _records: &[&RecordId], _at: Timestamp) {}

    /// Returns the metadata of a record that the product maintains and that clients cannot
    /// change.
    fn lasting_metadata(&self, _record: &Record) -> Metadata {
        Metadata::new()
    }
}

/// The data of a record by which a product decides if the record must wait for a person.
#[derive(Debug, Clone, Copy)]
pub struct Admission<'a> {
    /// The memory of the record.
    pub memory: &'a Memory,
    /// The kind of the record.
    pub kind: RecordKind,
    /// The strategy that made the record, or that its writer named; `None` for a record without a
    /// strategy.
    pub strategy: Option<&'a StrategyId>,
    /// The namespace of the record, if it is already known.
    pub namespace: Option<&'a Namespace>,
    /// The text of the record.
    pub text: &'a str,
}

/// The rule that decides which records must wait for a person before they become active.
pub trait AdmissionPolicy: Send + Sync {
    /// Returns the reason why a new record must wait for a person; `None` if it becomes active
    /// immediately.
    fn waits(&self, asked: &Admission<'_>) -> Option<&'static str>;

    /// Returns the reason why a record with a new text must wait for a person; `None` if it stays
    /// active.
    fn waits_when_changed(&self, memory: &Memory, record: &Record) -> Option<&'static str>;
}

impl Products {
    fn records(&self) -> impl Iterator<Item = &dyn RecordHooks> {
        self.0.iter().filter_map(|product| product.records.as_deref())
    }

    fn admissions(&self) -> impl Iterator<Item = &dyn AdmissionPolicy> {
        self.0.iter().filter_map(|product| product.admission.as_deref())
    }

    /// Tells every product about a new state or version of a record.
    ///
    /// # Errors
    /// Errors of the hooks. This also applies to the methods below.
    pub fn record_changed(&self, tx: &mut dyn Tx, change: &RecordStateChange<'_>) -> Result<()> {
        self.records().try_for_each(|hooks| hooks.changed(tx, change))
    }

    /// Tells every product about a record that was extracted from events.
    pub fn record_extracted(&self, tx: &mut dyn Tx, record: &Record, at: Timestamp) -> Result<()> {
        self.records().try_for_each(|hooks| hooks.extracted(tx, record, at))
    }

    /// Tells every product about records that moved to another namespace.
    pub fn records_moved(&self, tx: &mut dyn Tx, memory: &MemoryId, records: &[RecordId]) -> Result<()> {
        self.records().try_for_each(|hooks| hooks.moved(tx, memory, records))
    }

    /// Tells every product about a record that a caller deleted.
    pub fn record_deleted(&self, tx: &mut dyn Tx, record: &Record, at: Timestamp) -> Result<()> {
        self.records().try_for_each(|hooks| hooks.deleted(tx, record, at))
    }

    /// Tells every product about quarantined records on which a person decided.
    pub fn records_released(
        &self,
        tx: &mut dyn Tx,
        changing: &StateTransition<'_>,
        records: &[RecordId],
    ) -> Result<()> {
        self.records().try_for_each(|hooks| hooks.released(tx, changing, records))
    }

    /// Tells every product about records whose content was erased.
    pub fn content_erased(&self, tx: &mut dyn Tx, memory: &MemoryId, records: &[RecordId]) -> Result<()> {
        self.records().try_for_each(|hooks| hooks.content_erased(tx, memory, records))
    }

    /// Tells every product about records that were erased without a change of their state.
    pub fn erased_at_once(
        &self,
        tx: &mut dyn Tx,
        memory: &MemoryId,
        records: &[RecordId],
        by: &str,
        at: Timestamp,
    ) -> Result<()> {
        self.records().try_for_each(|hooks| hooks.erased_at_once(tx, memory, records, by, at))
    }

    /// Tells every product about records that were returned to a caller.
    pub fn records_read<'a>(
        &self,
        memory: &MemoryId,
        records: impl IntoIterator<Item = &'a RecordId>,
        at: Timestamp,
    ) {
        let records: Vec<&RecordId> = records.into_iter().collect();
        self.records().for_each(|hooks| hooks.read(memory, &records, at));
    }

    /// Returns the metadata of a record that products maintain and that clients cannot change.
    pub fn lasting_metadata(&self, record: &Record) -> Metadata {
        self.records().flat_map(|hooks| hooks.lasting_metadata(record)).collect()
    }

    /// Returns the reason of the first product for which a new record must wait for a person;
    /// `None` if no product requires it.
    pub fn waits(&self, asked: &Admission<'_>) -> Option<&'static str> {
        self.admissions().find_map(|policy| policy.waits(asked))
    }

    /// Makes a new record a candidate if a product requires that it waits for a person.
    pub(crate) fn admit(&self, memory: &Memory, record: &mut Record) {
        let asked = Admission {
            memory,
            kind: record.kind,
            strategy: record.strategy.as_ref(),
            namespace: Some(&record.namespace),
            text: &record.text,
        };
        let is_new = record.state == RecordState::Active;
        if let Some(reason) = self.waits(&asked).filter(|_| is_new) {
            record.state = RecordState::Candidate;
            record.state_reason = Some(reason.to_owned());
        }
    }

    /// Returns the reason of the first product for which a record with a new text must wait for a
    /// person; `None` if no product requires it.
    pub fn waits_when_changed(&self, memory: &Memory, record: &Record) -> Option<&'static str> {
        self.admissions().find_map(|policy| policy.waits_when_changed(memory, record))
    }
}
