//! The table of verifications that are kept.

use std::collections::BTreeMap;

use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::KeptVerdict;
use loci_model::ports::store::Verdicts;
use loci_model::{MemoryId, RecordId, Result, Timestamp};
use loci_store_kit::codes::{json, key_of};
use loci_store_kit::fact_rows;

use crate::columns::Columns;
use crate::tables::events::rows::plain;
use crate::tables::transfer::batches::{Batch, list};
use crate::tx::{PgTx, limit, unsigned};

impl Verdicts for PgTx<'_> {
    fn get_many(&self, memory: &MemoryId, digests: &[String], commit: &ObjectId) -> Result<Vec<KeptVerdict>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let wanted: Vec<String> = digests.iter().map(|digest| plain(digest)).collect();
        let found = self.all(
            "SELECT key, digest, revision, at, body FROM fact_verdicts \
             WHERE mem = $1 AND revision = $2 AND digest = ANY($3)",
            &[&memory, &commit.as_bytes(), &wanted],
            |row| fact_rows::verdict(&Columns(row)),
        )?;
        let found: BTreeMap<String, KeptVerdict> =
            found.into_iter().map(|kept| (kept.digest.clone(), kept)).collect();
        Ok(digests.iter().filter_map(|digest| found.get(digest).cloned()).collect())
    }

    fn of_record(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<KeptVerdict>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        self.all(
            "SELECT key, digest, revision, at, body FROM fact_verdicts WHERE mem = $1 AND key = $2 ORDER BY at, digest",
            &[&memory, &key_of(record)],
            |row| fact_rows::verdict(&Columns(row)),
        )
    }

    fn put(&mut self, memory: &MemoryId, verdicts: &[KeptVerdict]) -> Result<()> {
        let memory = self.need(memory)?;
        let bodies = verdicts.iter().map(|kept| json(&kept.verification)).collect::<Result<Vec<String>>>()?;
        let rows = Batch::of("fact_verdicts")
            .with("key", "bytea", list(verdicts, |kept| key_of(&kept.record)))
            .with("digest", "text", list(verdicts, |kept| plain(&kept.digest)))
            .with("revision", "bytea", list(verdicts, |kept| kept.commit.as_bytes().to_vec()))
            .with("at", "bigint", list(verdicts, |kept| kept.at.millis()))
            .with("body", "text", bodies);
        self.insert_batch(memory, rows);
        Ok(())
    }

    fn remove_of_record(&mut self, memory: &MemoryId, record: &RecordId) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let removed = self.run(
            "DELETE FROM fact_verdicts WHERE mem = $1 AND key = $2 RETURNING 1",
            &[&memory, &key_of(record)],
        )?;
        Ok(unsigned(limit(removed)))
    }

    fn remove_before(&mut self, before: Timestamp, count: usize) -> Result<u64> {
        let removed = self.run(
            "DELETE FROM fact_verdicts WHERE (mem, revision, digest) IN (SELECT mem, revision, digest FROM fact_verdicts \
             WHERE at < $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING 1",
            &[&before.millis(), &limit(count)],
        )?;
        Ok(unsigned(limit(removed)))
    }
}
