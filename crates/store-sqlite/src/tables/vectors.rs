//! Vectors of passages, as int8 with a scale, and the search for passages without one.

use std::collections::{BTreeMap, BTreeSet};

use loci_index::StoredVector;
use loci_model::ports::store::{MissingVector, PassageVector};
use loci_model::{Error, MemoryId, Namespace, RecordId, Result};
use rusqlite::params;

use super::records::rows::{RECORDS, read};
use crate::errors::stored;
use crate::tx::{Column, SqlTx, limit, unsigned};
use loci_store_kit::codes::key_of;
use loci_store_kit::passages::passages;

/// The bits of a vector's row number for its part.
const PART_BITS: u32 = 20;
/// Selects records in searchable states, by code: active, candidate, quarantined, stale, archived.
const SEARCHED: &str = "r.state IN (0, 1, 4, 5, 7) AND r.parts > 0";

pub(super) fn first_row(record: i64) -> i64 {
    record << PART_BITS
}

/// A stored vector: part, model, scale, values.
pub(crate) type StoredVectorRow = (u32, i64, f32, Vec<u8>);

impl SqlTx<'_> {
    fn model_number(&self, model: &str) -> Result<Option<i64>> {
        self.one("SELECT num FROM models WHERE id = ?1", [model], |row| row.take(0))
    }

    pub(super) fn need_model(&self, model: &str) -> Result<i64> {
        if let Some(number) = self.model_number(model)? {
            return Ok(number);
        }
        self.run("INSERT INTO models(id) VALUES (?1)", [model])?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Returns all models by number.
    pub(crate) fn models(&self) -> Result<BTreeMap<i64, String>> {
        Ok(self
            .all("SELECT num, id FROM models", [], |row| Ok((row.take(0)?, row.take(1)?)))?
            .into_iter()
            .collect())
    }

    pub(super) fn drop_vectors(&self, record: i64) -> Result<()> {
        self.run(
            "DELETE FROM vectors WHERE num >= ?1 AND num < ?2",
            params![first_row(record), first_row(record + 1)],
        )?;
        Ok(())
    }

    /// Returns the vectors of a record, by part.
    pub(crate) fn vectors_of(&self, record: i64) -> Result<Vec<StoredVectorRow>> {
        self.all(
            "SELECT num, model, scale, bytes FROM vectors WHERE num >= ?1 AND num < ?2 ORDER BY num",
            params![first_row(record), first_row(record + 1)],
            |row| {
                let part = u32::try_from(row.take::<i64>(0)? - first_row(record)).unwrap_or(0);
                Ok((part, row.take(1)?, row.take::<f64>(2)? as f32, row.take(3)?))
            },
        )
    }

    pub(super) fn put_passage_vectors(&self, memory: &MemoryId, vectors: &[PassageVector]) -> Result<usize> {
        let mut of_records: BTreeMap<&RecordId, Vec<&PassageVector>> = BTreeMap::new();
        for vector in vectors {
            of_records.entry(&vector.record).or_default().push(vector);
        }
        let mut written = 0;
        for (record, vectors) in of_records {
            written += self.put_vectors_of(memory, record, &vectors)?;
        }
        Ok(written)
    }

    fn put_vectors_of(
        &self,
        memory: &MemoryId,
        record: &RecordId,
        vectors: &[&PassageVector],
    ) -> Result<usize> {
        let place = self.need(memory)?;
        let sql = "SELECT num, version, parts, model FROM records WHERE mem = ?1 AND key = ?2 AND gone = 0";
        let found = self.one(sql, params![place, key_of(record)], |row| {
            Ok((row.take::<i64>(0)?, row.take::<u32>(1)?, row.take::<u32>(2)?, row.take::<Option<i64>>(3)?))
        })?;
        let Some((number, version, parts, mut complete)) = found else { return Ok(0) };
        let mut written = 0;
        for vector in vectors.iter().filter(|vector| vector.version == version && vector.part < parts) {
            let model = self.need_model(&vector.model)?;
            let stored = StoredVector::quantise(&vector.vector, vector.model.as_str());
            let bytes: Vec<u8> = stored.values.iter().map(|value| value.cast_unsigned()).collect();
            self.run(
                "INSERT OR REPLACE INTO vectors(num, model, scale, bytes) VALUES (?1, ?2, ?3, ?4)",
                params![first_row(number) + i64::from(vector.part), model, f64::from(stored.scale), bytes],
            )?;
            written += 1;
            let sql = "SELECT count(*) FROM vectors WHERE num >= ?1 AND num < ?2 AND model = ?3";
            let held = self.one(sql, params![first_row(number), first_row(number + 1), model], |row| {
                row.take::<i64>(0)
            })?;
            complete = (held == Some(i64::from(parts))).then_some(model);
        }
        if written > 0 {
            self.change_row(memory, number, "model = :model", &[(":model", &complete)])?;
        }
        Ok(written)
    }

    /// Returns the models other than `model` that a record's vectors may have; `None` for records
    /// with missing vectors.
    fn other_models(&self, model: Option<i64>) -> Result<Vec<Option<i64>>> {
        let mut others = vec![None];
        others.extend(self.models()?.into_keys().filter(|number| Some(*number) != model).map(Some));
        Ok(others)
    }

    pub(super) fn passages_without_vector(
        &self,
        memory: &MemoryId,
        namespace: Option<&Namespace>,
        model: &str,
        count: usize,
    ) -> Result<Vec<MissingVector>> {
        let Some(place) = self.number(memory)? else { return Ok(Vec::new()) };
        let wanted = self.model_number(model)?;
        let mut lacking = Vec::new();
        for other in self.other_models(wanted)? {
            let sql = format!(
                "SELECT r.sequence, r.num FROM records r WHERE r.mem = ?1 AND r.model IS ?2 AND {SEARCHED} \
                 AND (?4 IS NULL OR r.grp IN (SELECT num FROM groups WHERE mem = ?1 AND normal = ?4)) \
                 ORDER BY r.sequence LIMIT ?3"
            );
            let values = params![place, other, limit(count), namespace.map(Namespace::normal)];
            lacking.extend(self.all(&sql, values, |row| Ok((row.take::<i64>(0)?, row.take::<i64>(1)?)))?);
        }
        lacking.sort_unstable();
        let mut out = Vec::new();
        for (_, number) in lacking {
            if out.len() >= count {
                break;
            }
            out.extend(self.lacking_of(memory, number, wanted)?);
        }
        out.truncate(count);
        Ok(out)
    }

    fn lacking_of(&self, memory: &MemoryId, number: i64, model: Option<i64>) -> Result<Vec<MissingVector>> {
        let sql = format!("{RECORDS} WHERE r.num = ?1");
        let stored = self.one(&sql, [number], |row| read(memory, row))?;
        let record = stored.ok_or_else(|| Error::bug("a record's row is gone"))?.record;
        let held: BTreeSet<u32> = self
            .vectors_of(number)?
            .into_iter()
            .filter(|(_, other, _, _)| Some(*other) == model)
            .map(|(part, _, _, _)| part)
            .collect();
        Ok((0..)
            .zip(passages(&record))
            .filter(|(part, _)| !held.contains(part))
            .map(|(part, text)| MissingVector {
                record: record.id.clone(),
                version: record.version,
                part,
                text: text.into_owned(),
            })
            .collect())
    }

    /// Steps through the memories with one index lookup each.
    pub(super) fn memories_without_vectors(
        &self,
        model: &str,
        after: Option<&MemoryId>,
        count: usize,
    ) -> Result<Vec<MemoryId>> {
        let sql = format!(
            "SELECT m.id FROM memories m WHERE m.deleted IS NULL AND m.id > ?1 AND EXISTS \
             (SELECT 1 FROM records r WHERE r.mem = m.num AND r.model IS ?2 AND {SEARCHED}) ORDER BY m.id LIMIT ?3"
        );
        let after = after.map_or("", |memory| memory.as_str());
        let mut found = BTreeSet::new();
        for other in self.other_models(self.model_number(model)?)? {
            found.extend(self.all(&sql, params![after, other, limit(count)], |row| {
                stored(MemoryId::parse(row.take::<String>(0)?), "memory id")
            })?);
        }
        Ok(found.into_iter().take(count).collect())
    }

    pub(super) fn passages_without_vector_count(&self, memory: &MemoryId, model: &str) -> Result<u64> {
        let Some(place) = self.number(memory)? else { return Ok(0) };
        let wanted = self.model_number(model)?;
        let mut lacking: i64 = 0;
        for other in self.other_models(wanted)? {
            let sql = format!(
                "SELECT coalesce(sum(r.parts), 0) FROM records r WHERE r.mem = ?1 AND r.model IS ?2 AND {SEARCHED}"
            );
            lacking += self.one(&sql, params![place, other], |row| row.take::<i64>(0))?.unwrap_or(0);
        }
        // Documents that are partly embedded.
        let sql = format!(
            "SELECT count(*) FROM records r JOIN vectors v ON v.num >= r.num << {PART_BITS} \
             AND v.num < (r.num + 1) << {PART_BITS} WHERE r.mem = ?1 AND r.model IS NULL AND {SEARCHED} \
             AND r.parts > 1 AND v.model = ?2"
        );
        let held = self.one(&sql, params![place, wanted], |row| row.take::<i64>(0))?.unwrap_or(0);
        Ok(unsigned(lacking - held))
    }
}
