//! Erasure: only the id of a record remains, so that indexes learn that it is removed. `sweep.rs`
//! removes records by retention.

use loci_model::record::feedback::ROWS_LIKE;
use loci_model::record::findings::Findings;
use loci_model::record::metadata::Metadata;
use loci_model::record::provenance::Provenance;
use loci_model::record::{Record, RecordState, TrustTier};
use loci_model::{ActorId, MemoryId, Namespace, RecordId, Result, Timestamp};
use loci_store_kit::codes::{digest, key_of};
use loci_store_kit::unreadable_rows::{page, readable};
use tokio_postgres::Row;

use super::id;
use super::rows::{PlacedRecord, RECORDS, placed};
use super::writes::RowPlace;
use crate::errors::stored;
use crate::tx::{Column, PgTx, limit, signed};

impl PgTx<'_> {
    /// Erases the content of a record: its text, versions, vectors, sources, state changes, and
    /// earlier locations.
    fn erase(&self, old: PlacedRecord, at: Option<Timestamp>) -> Result<()> {
        let memory = old.stored.record.memory.clone();
        let number = self.need(&memory)?;
        self.erases(&memory)?;
        let key = key_of(&old.stored.record.id);
        self.drop_vectors(&memory, &old.stored.record.id)?;
        self.later(
            "DELETE FROM record_versions WHERE mem = $1 AND key = $2",
            vec![Box::new(number), Box::new(key.clone())],
        );
        self.later(
            "DELETE FROM telemetry WHERE mem = $1 AND key = $2 AND source = target AND reason LIKE $3",
            vec![Box::new(number), Box::new(key.clone()), Box::new(ROWS_LIKE)],
        );
        let sources = &old.stored.record.provenance.sources;
        let events: Vec<i64> = sources.iter().map(|source| digest(source.event.as_str())).collect();
        self.later(
            "DELETE FROM record_sources WHERE mem = $1 AND event = ANY($2) AND key = $3",
            vec![Box::new(number), Box::new(events), Box::new(key)],
        );
        let stated = at.unwrap_or(old.stated);
        let place = RowPlace {
            stated,
            left_at: old.stored.left_at.or(Some(stated)),
            model: None,
            gone: true,
            earlier_group: Some(old.group),
        };
        self.rewrite(&mut erased(old.stored.record)?, &place)?;
        Ok(())
    }

    pub(super) fn erase_deleted_records(
        &self,
        memory: &MemoryId,
        now: Timestamp,
        after_ms: u64,
        rows: usize,
    ) -> Result<Vec<RecordId>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let after = signed(after_ms);
        let sql = format!(
            "{RECORDS} WHERE r.mem = $1 AND r.state = 9 AND NOT r.gone AND r.stated <= $2 ORDER BY r.stated, r.key LIMIT $3"
        );
        let before = now.millis().saturating_sub(after);
        let doomed = self.all(&sql, &[&number, &before, &limit(rows)], placed)?;
        let erased = self.erase_all(doomed, None)?;
        let sql = "SELECT min(stated) FROM records WHERE mem = $1 AND state = 9 AND NOT gone";
        let first = self.one(sql, &[&number], |row| row.take::<Option<i64>>(0))?.flatten();
        self.count(memory, |counters| counters.erase_due = first.map(|first| first.saturating_add(after)))?;
        Ok(erased)
    }

    pub(super) fn erase_all(
        &self,
        doomed: Vec<PlacedRecord>,
        at: Option<Timestamp>,
    ) -> Result<Vec<RecordId>> {
        let ids: Vec<RecordId> = doomed.iter().map(|old| old.stored.record.id.clone()).collect();
        if let Some(first) = doomed.first() {
            let keys: Vec<Vec<u8>> = ids.iter().map(key_of).collect();
            let number = self.need(&first.stored.record.memory)?;
            self.forget_passages(number, &keys)?;
            self.erase_facts(number, &keys)?;
        }
        doomed.into_iter().try_for_each(|old| self.erase(old, at))?;
        Ok(ids)
    }

    pub(super) fn erase_records(
        &self,
        memory: &MemoryId,
        ids: &[RecordId],
        at: Timestamp,
    ) -> Result<Vec<RecordId>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let keys: Vec<Vec<u8>> = ids.iter().map(key_of).collect();
        let sql = format!(
            "{RECORDS} WHERE r.mem = $1 AND r.key = ANY($2) AND NOT r.gone ORDER BY r.created, r.key"
        );
        let doomed = self.all(&sql, &[&number, &keys], placed)?;
        self.erase_all(doomed, Some(at))
    }

    pub(super) fn records_of_actor(&self, memory: &MemoryId, actor: &ActorId) -> Result<Vec<RecordId>> {
        Ok(self.rows_of_actor(memory, actor)?.into_iter().map(|row| row.stored.record.id).collect())
    }

    /// Returns the rows of records that rest on an actor's events or name the actor.
    fn rows_of_actor(&self, memory: &MemoryId, actor: &ActorId) -> Result<Vec<PlacedRecord>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let events = self.all(
            "SELECT e.id FROM sessions s JOIN events e ON e.mem = s.mem AND e.sess = s.sess \
             WHERE s.mem = $1 AND s.actor = $2",
            &[&number, &actor.as_str()],
            |row| Ok(digest(row.take(0)?)),
        )?;
        let sql = format!(
            "{RECORDS} WHERE r.mem = $1 AND (r.actor = $2 OR r.key IN \
             (SELECT s.key FROM record_sources s WHERE s.mem = $1 AND s.event = ANY($3))) ORDER BY r.created, r.key"
        );
        self.all(&sql, &[&number, &actor.as_str(), &events], placed)
    }

    pub(super) fn expired_records(&self, now: Timestamp, count: usize) -> Result<Vec<(MemoryId, RecordId)>> {
        let sql = "SELECT r.key, m.id FROM records r JOIN memories m ON m.mem = r.mem AND m.deleted IS NULL \
                   WHERE r.state = 0 AND r.expires IS NOT NULL AND r.expires <= $1 \
                   ORDER BY r.expires, r.mem, r.key LIMIT $2";
        let read = |row: &Row| Ok((stored(MemoryId::parse(row.take::<String>(1)?), "memory id")?, id(row)?));
        page(count, |count| {
            self.all(sql, &[&now.millis(), &limit(count)], |row| readable("record", read(row)))
        })
    }
}

/// Returns the remains of an erased record.
fn erased(record: Record) -> Result<Record> {
    Ok(Record {
        subtype: None,
        title: None,
        path: None,
        description: None,
        scope: None,
        citations: None,
        namespace: Namespace::parse("/")?,
        strategy: None,
        text: String::new(),
        index_text: None,
        metadata: Metadata::default(),
        provenance: Provenance::default(),
        tier: TrustTier::default(),
        making: None,
        derived_from: Vec::new(),
        findings: Findings::default(),
        state: RecordState::Erased,
        state_reason: None,
        superseded_by: None,
        supersedes: Vec::new(),
        ..record
    })
}
