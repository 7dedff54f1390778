//! The table of state changes.

use loci_model::ports::store::Telemetry;
use loci_model::record::RecordState;
use loci_model::record::telemetry::StateChange;
use loci_model::{Error, MemoryId, RecordId, Result};
use loci_store_kit::codes::{code_of, key_of};
use loci_store_kit::row_readers;

use super::events::rows::plain;
use crate::columns::Columns;
use crate::tx::{PgTx, code};

impl Telemetry for PgTx<'_> {
    fn append(&mut self, change: &StateChange) -> Result<()> {
        let memory = self.need(&change.memory)?;
        let key = key_of(&change.record);
        let there = "SELECT 1 FROM records WHERE mem = $1 AND key = $2";
        if self.one(there, &[&memory, &key], |_| Ok(()))?.is_none() {
            return Err(Error::not_found("the record whose state changed does not exist"));
        }
        self.later(
            "INSERT INTO telemetry(mem, key, number, at, version, source, target, reason, by) VALUES ($1, $2, \
             (SELECT coalesce(max(number), 0) + 1 FROM telemetry WHERE mem = $1 AND key = $2), $3, $4, $5, $6, $7, $8)",
            vec![
                Box::new(memory),
                Box::new(key),
                Box::new(change.at.millis()),
                Box::new(i64::from(change.version)),
                Box::new(change.from.map(|state| code(code_of(RecordState::ALL, state)))),
                Box::new(code(code_of(RecordState::ALL, change.to))),
                Box::new(plain(&change.reason)),
                Box::new(plain(&change.by)),
            ],
        );
        Ok(())
    }

    fn blank(&mut self, memory: &MemoryId, records: &[RecordId]) -> Result<()> {
        let number = self.need(memory)?;
        let keys: Vec<Vec<u8>> = records.iter().map(key_of).collect();
        self.later(
            "UPDATE telemetry SET reason = '', by = '' WHERE mem = $1 AND key = ANY($2)",
            vec![Box::new(number), Box::new(keys)],
        );
        Ok(())
    }

    fn reword(&mut self, was: &StateChange, is: &StateChange) -> Result<()> {
        let memory = self.need(&was.memory)?;
        self.later(
            "UPDATE telemetry SET by = $3, reason = $4 WHERE mem = $1 AND key = $2 AND by = $5 AND reason = $6",
            vec![
                Box::new(memory),
                Box::new(key_of(&was.record)),
                Box::new(plain(&is.by)),
                Box::new(plain(&is.reason)),
                Box::new(plain(&was.by)),
                Box::new(plain(&was.reason)),
            ],
        );
        Ok(())
    }

    fn of_record(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<StateChange>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        self.all(
            "SELECT at, version, source, target, reason, by FROM telemetry WHERE mem = $1 AND key = $2 ORDER BY number",
            &[&number, &key_of(record)],
            |row| row_readers::state_change(&Columns(row), memory, record.clone(), 0),
        )
    }
}
