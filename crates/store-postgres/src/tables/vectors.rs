//! Vectors of passages, and the search for passages without one.

use std::collections::{BTreeMap, BTreeSet};

use loci_index::StoredVector;
use loci_model::ports::store::{MissingVector, PassageVector};
use loci_model::{MemoryId, Namespace, RecordId, Result};
use loci_store_kit::codes::key_of;
use loci_store_kit::passages::passages;

use super::records::rows::{PlacedRecord, RECORDS, placed};
use crate::digests::model_number;
use crate::errors::stored;
use crate::half_vectors::Halves;
use crate::tx::{Column, PgTx, int, limit, signed, uint, unsigned};

/// Selects records in searchable states, by code: active, candidate, quarantined, stale, archived.
const SEARCHED: &str = "r.state IN (0, 1, 4, 5, 7) AND r.parts > 0";

impl PgTx<'_> {
    /// Returns all models by number.
    pub(crate) fn models(&self) -> Result<BTreeMap<i64, String>> {
        let all = self.all("SELECT model, id FROM models", &[], |row| Ok((row.take(0)?, row.take(1)?)))?;
        Ok(all.into_iter().collect())
    }

    pub(super) fn drop_vectors(&self, memory: &MemoryId, record: &RecordId) -> Result<()> {
        self.later(
            "DELETE FROM vectors WHERE mem = $1 AND key = $2",
            vec![Box::new(self.need(memory)?), Box::new(key_of(record))],
        );
        Ok(())
    }

    pub(super) fn put_passage_vectors(&self, memory: &MemoryId, vectors: &[PassageVector]) -> Result<usize> {
        let number = self.need(memory)?;
        let mut of_records: BTreeMap<&RecordId, Vec<&PassageVector>> = BTreeMap::new();
        for vector in vectors {
            of_records.entry(&vector.record).or_default().push(vector);
        }
        let keys: Vec<Vec<u8>> = of_records.keys().map(|record| key_of(record)).collect();
        let sql = format!("{RECORDS} WHERE r.mem = $1 AND r.key = ANY($2) AND NOT r.gone ORDER BY r.key");
        let found = self.all(&sql, &[&number, &keys], placed)?;
        let mut written = 0;
        for place in found {
            let of_record = of_records.remove(&place.stored.record.id).unwrap_or_default();
            written += self.put_vectors_of(number, &place, &of_record)?;
        }
        Ok(written)
    }

    fn put_vectors_of(&self, memory: i64, place: &PlacedRecord, vectors: &[&PassageVector]) -> Result<usize> {
        let record = &place.stored.record;
        let parts = passages(record).len();
        let fitting: Vec<&&PassageVector> = vectors
            .iter()
            .filter(|vector| {
                vector.version == record.version
                    && usize::try_from(vector.part).is_ok_and(|part| part < parts)
            })
            .collect();
        let Some(last) = fitting.last() else { return Ok(0) };
        let key = key_of(&record.id);
        for vector in &fitting {
            let model = model_number(&vector.model);
            self.later(
                "INSERT INTO models(model, id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                vec![Box::new(model), Box::new(vector.model.clone())],
            );
            let stored = StoredVector::quantise(&vector.vector, vector.model.as_str());
            self.later(
                "INSERT INTO vectors(mem, key, part, model, vector) VALUES ($1, $2, $3, $4, $5) \
                 ON CONFLICT (mem, key, part) DO UPDATE SET model = excluded.model, vector = excluded.vector",
                vec![
                    Box::new(memory),
                    Box::new(key.clone()),
                    Box::new(int(vector.part)),
                    Box::new(model),
                    Box::new(Halves::of(&stored)),
                ],
            );
        }
        let model = model_number(&last.model);
        let complete = if parts == 1 {
            Some(model)
        } else {
            let sql = "SELECT count(*) FROM vectors WHERE mem = $1 AND key = $2 AND model = $3";
            let held = self.one(sql, &[&memory, &key, &model], |row| row.take::<i64>(0))?;
            (held == Some(limit(parts))).then_some(model)
        };
        let sequence = self.next_sequence(record, Some(place.group))?;
        self.later(
            "UPDATE records SET sequence = $3, model = $4 WHERE mem = $1 AND key = $2",
            vec![Box::new(memory), Box::new(key), Box::new(signed(sequence)), Box::new(complete)],
        );
        Ok(fitting.len())
    }

    /// Returns the models other than `model` that a record's vectors may have; `None` for records
    /// with missing vectors.
    fn other_models(&self, model: i64) -> Result<Vec<Option<i64>>> {
        let mut others = vec![None];
        others.extend(self.models()?.into_keys().filter(|number| *number != model).map(Some));
        Ok(others)
    }

    pub(super) fn passages_without_vector(
        &self,
        memory: &MemoryId,
        namespace: Option<&Namespace>,
        model: &str,
        count: usize,
    ) -> Result<Vec<MissingVector>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let wanted = model_number(model);
        let normal = namespace.map(Namespace::normal);
        let mut lacking = Vec::new();
        for other in self.other_models(wanted)? {
            let of = if other.is_none() { "r.model IS NULL AND $2::bigint IS NULL" } else { "r.model = $2" };
            let sql = format!(
                "{RECORDS} WHERE r.mem = $1 AND {of} AND {SEARCHED} AND ($4::text IS NULL OR r.grp IN \
                 (SELECT grp FROM groups WHERE mem = $1 AND normal = $4)) ORDER BY r.sequence LIMIT $3"
            );
            lacking.extend(self.all(&sql, &[&number, &other, &limit(count), &normal], placed)?);
        }
        lacking.sort_by_key(|place| place.stored.record.sequence);
        lacking.truncate(count);
        let held = self.held_parts(number, &lacking, wanted)?;
        let mut out = Vec::new();
        for place in &lacking {
            let record = &place.stored.record;
            let parts = (0..).zip(passages(record));
            out.extend(parts.filter(|(part, _)| !held.contains(&(record.id.clone(), *part))).map(
                |(part, text)| MissingVector {
                    record: record.id.clone(),
                    version: record.version,
                    part,
                    text: text.into_owned(),
                },
            ));
        }
        out.truncate(count);
        Ok(out)
    }

    pub(super) fn memories_without_vectors(
        &self,
        model: &str,
        after: Option<&MemoryId>,
        count: usize,
    ) -> Result<Vec<MemoryId>> {
        let after = after.map_or("", |memory| memory.as_str());
        // Few records have none: an index contains those. After a change of model every memory is
        // examined with its own index.
        let none = format!(
            "SELECT DISTINCT m.id FROM records r JOIN memories m ON m.mem = r.mem AND m.deleted IS NULL \
             WHERE r.model IS NULL AND {SEARCHED} AND m.id > $1 ORDER BY m.id LIMIT $2"
        );
        let other = format!(
            "SELECT m.id FROM memories m WHERE m.deleted IS NULL AND m.id > $1 AND EXISTS \
             (SELECT 1 FROM records r WHERE r.mem = m.mem AND r.model = $3 AND {SEARCHED}) ORDER BY m.id LIMIT $2"
        );
        let id = |row: &tokio_postgres::Row| stored(MemoryId::parse(row.take::<String>(0)?), "memory id");
        let mut found: BTreeSet<MemoryId> =
            self.all(&none, &[&after, &limit(count)], id)?.into_iter().collect();
        for model in self.other_models(model_number(model))?.into_iter().flatten() {
            found.extend(self.all(&other, &[&after, &limit(count), &model], id)?);
        }
        Ok(found.into_iter().take(count).collect())
    }

    /// Returns the passages of these records with a vector of the model.
    fn held_parts(
        &self,
        memory: i64,
        places: &[PlacedRecord],
        model: i64,
    ) -> Result<BTreeSet<(RecordId, u32)>> {
        let keys: Vec<Vec<u8>> = places.iter().map(|place| key_of(&place.stored.record.id)).collect();
        let sql = "SELECT key, part FROM vectors WHERE mem = $1 AND key = ANY($2) AND model = $3";
        let held = self.all(sql, &[&memory, &keys, &model], |row| {
            Ok((super::records::id(row)?, uint(row.take::<i32>(1)?)))
        })?;
        Ok(held.into_iter().collect())
    }

    pub(super) fn passages_without_vector_count(&self, memory: &MemoryId, model: &str) -> Result<u64> {
        let Some(number) = self.number(memory)? else { return Ok(0) };
        let wanted = model_number(model);
        let lacking = format!(
            "SELECT coalesce(sum(r.parts), 0)::bigint FROM records r WHERE r.mem = $1 AND r.parts > 0 \
             AND (r.model IS NULL OR r.model <> $2) AND {SEARCHED}"
        );
        // Documents that are partly embedded.
        let held = format!(
            "SELECT count(*) FROM records r JOIN vectors v ON v.mem = r.mem AND v.key = r.key \
             WHERE r.mem = $1 AND r.model IS NULL AND r.parts > 1 AND {SEARCHED} AND v.model = $2"
        );
        let values: crate::connection::Values<'_> = &[&number, &wanted];
        let (lacking, held) = self.two((&lacking, values), (&held, values))?;
        let count = |rows: &[tokio_postgres::Row]| rows.first().map_or(Ok(0), |row| row.take::<i64>(0));
        Ok(unsigned(count(&lacking)? - count(&held)?))
    }
}
