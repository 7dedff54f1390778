//! The table of verification results that are stored for each fact and revision.

use std::collections::BTreeMap;

use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::KeptVerdict;
use loci_model::ports::store::Verdicts;
use loci_model::{MemoryId, RecordId, Result, Timestamp};

use crate::codes::{json, key_of};
use crate::fact_rows::verdict as read;
use crate::sql::{RowBatch, SqlTransaction};
use crate::tables::{Tables, counted};
use crate::values;

impl<T: SqlTransaction> Verdicts for Tables<T> {
    fn get_many(&self, memory: &MemoryId, digests: &[String], commit: &ObjectId) -> Result<Vec<KeptVerdict>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        // One statement for all: a list of fifty facts needs as many verifications.
        let sql = format!(
            "SELECT key, digest, revision, at, body FROM fact_verdicts WHERE mem = $1 AND revision = $2 AND {}",
            T::DIALECT.one_of("digest", "$3")
        );
        let found = self.all(&sql, values![memory, commit.as_bytes(), digests], |row| read(row))?;
        let found: BTreeMap<String, KeptVerdict> =
            found.into_iter().map(|kept| (kept.digest.clone(), kept)).collect();
        Ok(digests.iter().filter_map(|digest| found.get(digest).cloned()).collect())
    }

    fn of_record(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<KeptVerdict>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = "SELECT key, digest, revision, at, body FROM fact_verdicts WHERE mem = $1 AND key = $2 ORDER BY at, digest";
        self.all(sql, values![memory, key_of(record)], |row| read(row))
    }

    fn put(&mut self, memory: &MemoryId, verdicts: &[KeptVerdict]) -> Result<()> {
        let memory = self.need(memory)?;
        let bodies = verdicts.iter().map(|kept| json(&kept.verification)).collect::<Result<Vec<String>>>()?;
        let batch = RowBatch::of("fact_verdicts", false)
            .with("key", "bytea", verdicts.iter().map(|kept| key_of(&kept.record)))
            .with("digest", "text", verdicts.iter().map(|kept| &kept.digest))
            .with("revision", "bytea", verdicts.iter().map(|kept| kept.commit.as_bytes()))
            .with("at", "bigint", verdicts.iter().map(|kept| kept.at))
            .with("body", "text", bodies);
        SqlTransaction::insert(&self.0, memory, batch)
    }

    fn remove_of_record(&mut self, memory: &MemoryId, record: &RecordId) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let sql = "DELETE FROM fact_verdicts WHERE mem = $1 AND key = $2";
        self.run(sql, values![memory, key_of(record)]).map(counted)
    }

    fn remove_before(&mut self, before: Timestamp, count: usize) -> Result<u64> {
        let sql =
            T::DIALECT.removal("fact_verdicts", "mem, revision, digest", "at < $1 ORDER BY at LIMIT $2");
        self.run(&sql, values![before, count]).map(counted)
    }
}
