//! The table of verifications that are kept.

use std::collections::HashMap;

use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::KeptVerdict;
use loci_model::ports::store::Verdicts;
use loci_model::{MemoryId, RecordId, Result, Timestamp};
use loci_store_kit::codes::{json, key_of};
use loci_store_kit::fact_rows;
use rusqlite::params;

use crate::columns::Columns;
use crate::tx::{SqlTx, limit, unsigned};

impl Verdicts for SqlTx<'_> {
    fn get_many(&self, memory: &MemoryId, digests: &[String], commit: &ObjectId) -> Result<Vec<KeptVerdict>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        // One statement for all: a list of fifty facts asks for as many.
        let asked = json(&digests)?;
        let found: HashMap<String, KeptVerdict> = self
            .all(
                "SELECT key, digest, revision, at, body FROM fact_verdicts \
                 WHERE mem = ?1 AND revision = ?2 AND digest IN (SELECT value FROM json_each(?3))",
                params![memory, commit.as_bytes(), asked],
                |row| fact_rows::verdict(&Columns(row)),
            )?
            .into_iter()
            .map(|kept: KeptVerdict| (kept.digest.clone(), kept))
            .collect();
        Ok(digests.iter().filter_map(|digest| found.get(digest).cloned()).collect())
    }

    fn of_record(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<KeptVerdict>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        self.all(
            "SELECT key, digest, revision, at, body FROM fact_verdicts WHERE mem = ?1 AND key = ?2 ORDER BY at, digest",
            params![memory, key_of(record)],
            |row| fact_rows::verdict(&Columns(row)),
        )
    }

    fn put(&mut self, memory: &MemoryId, verdicts: &[KeptVerdict]) -> Result<()> {
        let memory = self.need(memory)?;
        for kept in verdicts {
            self.run(
                "INSERT INTO fact_verdicts(mem, key, digest, revision, at, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
                 ON CONFLICT(mem, revision, digest) DO NOTHING",
                params![
                    memory,
                    key_of(&kept.record),
                    kept.digest,
                    kept.commit.as_bytes(),
                    kept.at.millis(),
                    json(&kept.verification)?
                ],
            )?;
        }
        Ok(())
    }

    fn remove_of_record(&mut self, memory: &MemoryId, record: &RecordId) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let removed = self
            .run("DELETE FROM fact_verdicts WHERE mem = ?1 AND key = ?2", params![memory, key_of(record)])?;
        Ok(unsigned(limit(removed)))
    }

    fn remove_before(&mut self, before: Timestamp, count: usize) -> Result<u64> {
        let removed = self.run(
            "DELETE FROM fact_verdicts WHERE num IN \
             (SELECT num FROM fact_verdicts WHERE at < ?1 ORDER BY at LIMIT ?2)",
            params![before.millis(), limit(count)],
        )?;
        Ok(unsigned(limit(removed)))
    }
}
