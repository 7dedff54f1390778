//! Hooks on records: what follows from a change, within its write, and which records wait for a
//! person.

use loci_model::memory::Memory;
use loci_model::ports::store::Tx;
use loci_model::record::metadata::Metadata;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{MemoryId, Namespace, RecordId, Result, StrategyId, Timestamp};

use super::Products;
use crate::records::changes::Change;
use crate::records::changing::Changing;

/// Consequences of changes of records, in the write of each change.
pub trait RecordHooks: Send + Sync {
    /// A record has another state, or a new version in the same one.
    ///
    /// # Errors
    /// Errors of the store; the write ends with them. So with all hooks.
    fn changed(&self, _tx: &mut dyn Tx, _change: &Change<'_>) -> Result<()> {
        Ok(())
    }

    /// A record was extracted from events.
    fn extracted(&self, _tx: &mut dyn Tx, _record: &Record, _at: Timestamp) -> Result<()> {
        Ok(())
    }

    /// Records lie in another namespace.
    fn moved(&self, _tx: &mut dyn Tx, _memory: &MemoryId, _records: &[RecordId]) -> Result<()> {
        Ok(())
    }

    /// A record is deleted by a caller.
    fn deleted(&self, _tx: &mut dyn Tx, _record: &Record, _at: Timestamp) -> Result<()> {
        Ok(())
    }

    /// Records that were held back are in force again, or put away.
    fn released(&self, _tx: &mut dyn Tx, _changing: &Changing<'_>, _records: &[RecordId]) -> Result<()> {
        Ok(())
    }

    /// The content of records is erased.
    fn content_erased(&self, _tx: &mut dyn Tx, _memory: &MemoryId, _records: &[RecordId]) -> Result<()> {
        Ok(())
    }

    /// Records are erased at once, without a change of their state.
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

    /// Records were shown to a caller; outside of a write.
    fn read(&self, _memory: &MemoryId, _records: &[&RecordId], _at: Timestamp) {}

    /// Returns the metadata of a record that stays whatever a client sets.
    fn lasting_metadata(&self, _record: &Record) -> Metadata {
        Metadata::new()
    }
}

/// A record before it is in force.
#[derive(Debug, Clone, Copy)]
pub struct Admission<'a> {
    /// The memory.
    pub memory: &'a Memory,
    /// The kind.
    pub kind: RecordKind,
    /// The strategy, where one made it or is named.
    pub strategy: Option<&'a StrategyId>,
    /// The namespace, where it is known.
    pub namespace: Option<&'a Namespace>,
    /// The text.
    pub text: &'a str,
}

/// The policy for records that wait for a person before they are in force.
pub trait AdmissionPolicy: Send + Sync {
    /// Returns the reason why a new record waits; `None` where it is in force at once.
    fn waits(&self, asked: &Admission<'_>) -> Option<&'static str>;

    /// Returns the reason why a record that was changed waits.
    fn waits_when_changed(&self, memory: &Memory, record: &Record) -> Option<&'static str>;
}

impl Products {
    fn records(&self) -> impl Iterator<Item = &dyn RecordHooks> {
        self.0.iter().filter_map(|product| product.records.as_deref())
    }

    fn admissions(&self) -> impl Iterator<Item = &dyn AdmissionPolicy> {
        self.0.iter().filter_map(|product| product.admission.as_deref())
    }

    /// Tells every product that a record has another state, or a new version.
    ///
    /// # Errors
    /// Errors of the hooks. So with all that follow.
    pub fn record_changed(&self, tx: &mut dyn Tx, change: &Change<'_>) -> Result<()> {
        self.records().try_for_each(|hooks| hooks.changed(tx, change))
    }

    /// Tells every product that a record was extracted.
    pub fn record_extracted(&self, tx: &mut dyn Tx, record: &Record, at: Timestamp) -> Result<()> {
        self.records().try_for_each(|hooks| hooks.extracted(tx, record, at))
    }

    /// Tells every product that records lie in another namespace.
    pub fn records_moved(&self, tx: &mut dyn Tx, memory: &MemoryId, records: &[RecordId]) -> Result<()> {
        self.records().try_for_each(|hooks| hooks.moved(tx, memory, records))
    }

    /// Tells every product that a caller deleted a record.
    pub fn record_deleted(&self, tx: &mut dyn Tx, record: &Record, at: Timestamp) -> Result<()> {
        self.records().try_for_each(|hooks| hooks.deleted(tx, record, at))
    }

    /// Tells every product that records are not held back any more.
    pub fn records_released(
        &self,
        tx: &mut dyn Tx,
        changing: &Changing<'_>,
        records: &[RecordId],
    ) -> Result<()> {
        self.records().try_for_each(|hooks| hooks.released(tx, changing, records))
    }

    /// Tells every product that the content of records is erased.
    pub fn content_erased(&self, tx: &mut dyn Tx, memory: &MemoryId, records: &[RecordId]) -> Result<()> {
        self.records().try_for_each(|hooks| hooks.content_erased(tx, memory, records))
    }

    /// Tells every product that records were erased without a change of their state.
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

    /// Tells every product that records were shown to a caller.
    pub fn records_read<'a>(
        &self,
        memory: &MemoryId,
        records: impl IntoIterator<Item = &'a RecordId>,
        at: Timestamp,
    ) {
        let records: Vec<&RecordId> = records.into_iter().collect();
        self.records().for_each(|hooks| hooks.read(memory, &records, at));
    }

    /// Returns the metadata of a record that stays whatever a client sets.
    pub fn lasting_metadata(&self, record: &Record) -> Metadata {
        self.records().flat_map(|hooks| hooks.lasting_metadata(record)).collect()
    }

    /// Returns the reason why a new record waits for a person.
    pub fn waits(&self, asked: &Admission<'_>) -> Option<&'static str> {
        self.admissions().find_map(|policy| policy.waits(asked))
    }

    /// Makes a new record a candidate where it waits for a person.
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

    /// Returns the reason why a record that was changed waits for a person.
    pub fn waits_when_changed(&self, memory: &Memory, record: &Record) -> Option<&'static str> {
        self.admissions().find_map(|policy| policy.waits_when_changed(memory, record))
    }
}
