//! The table of state changes.

use loci_model::ports::store::Telemetry;
use loci_model::record::RecordState;
use loci_model::telemetry::StateChange;
use loci_model::{Error, MemoryId, RecordId, Result, Timestamp};
use rusqlite::params;

use super::record_codes::{code_of, key_of, of_code};
use crate::tx::{Column, SqlTx};

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

    fn of_record(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<StateChange>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        self.all(
            "SELECT t.at, t.version, t.source, t.target, t.reason, t.by FROM records r \
             JOIN telemetry t ON t.rec = r.num WHERE r.mem = ?1 AND r.key = ?2 ORDER BY t.number",
            params![number, key_of(record)],
            |row| {
                Ok(StateChange {
                    memory: memory.clone(),
                    record: record.clone(),
                    at: Timestamp::clamped(row.take(0)?),
                    version: row.take(1)?,
                    from: row
                        .take::<Option<i64>>(2)?
                        .map(|code| of_code(RecordState::ALL, code))
                        .transpose()?,
                    to: of_code(RecordState::ALL, row.take(3)?)?,
                    reason: row.take(4)?,
                    by: row.take(5)?,
                })
            },
        )
    }
}
