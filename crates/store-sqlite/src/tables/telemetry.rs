//! The table of state changes.

use loci_model::ports::store::Telemetry;
use loci_model::record::RecordState;
use loci_model::record::telemetry::StateChange;
use loci_model::{Error, MemoryId, RecordId, Result};
use rusqlite::params;

use crate::columns::Columns;
use crate::tx::SqlTx;
use loci_store_kit::codes::{code_of, key_of};
use loci_store_kit::row_readers;

impl Telemetry for SqlTx<'_> {
    fn append(&mut self, change: &StateChange) -> Result<()> {
        let memory = self.need(&change.memory)?;
        let Some(record) = self.record_number(memory, &change.record)? else {
            return Err(Error::not_found("the record whose state changed does not exist"));
        };
        self.run(
            "INSERT INTO telemetry(rec, number, at, version, source, target, reason, by) VALUES \
             (?1, (SELECT coalesce(max(number), 0) + 1 FROM telemetry WHERE rec = ?1), ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                record,
                change.at.millis(),
                change.version,
                change.from.map(|state| code_of(RecordState::ALL, state)),
                code_of(RecordState::ALL, change.to),
                change.reason,
                change.by
            ],
        )?;
        Ok(())
    }

    fn blank(&mut self, memory: &MemoryId, records: &[RecordId]) -> Result<()> {
        let place = self.need(memory)?;
        for record in records {
            if let Some(number) = self.record_number(place, record)? {
                self.run("UPDATE telemetry SET reason = '', by = '' WHERE rec = ?1", [number])?;
            }
        }
        Ok(())
    }

    fn reword(&mut self, was: &StateChange, is: &StateChange) -> Result<()> {
        let place = self.need(&was.memory)?;
        let Some(record) = self.record_number(place, &was.record)? else { return Ok(()) };
        self.run(
            "UPDATE telemetry SET by = ?2, reason = ?3 WHERE rec = ?1 AND by = ?4 AND reason = ?5",
            params![record, is.by, is.reason, was.by, was.reason],
        )?;
        Ok(())
    }

    fn of_record(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<StateChange>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        self.all(
            "SELECT t.at, t.version, t.source, t.target, t.reason, t.by FROM records r \
             JOIN telemetry t ON t.rec = r.num WHERE r.mem = ?1 AND r.key = ?2 ORDER BY t.number",
            params![number, key_of(record)],
            |row| row_readers::state_change(&Columns(row), memory, record.clone(), 0),
        )
    }
}
