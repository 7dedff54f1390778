//! The table of records: delegates the operations of the port to the files that implement them, and
//! implements simple lookups.

mod changes;
mod erasure;
pub(crate) mod groups;
mod moves;
mod pages;
pub(crate) mod rows;
mod sweep;
mod writes;

use loci_model::ports::store::{
    Confirmation, MissingVector, PassageVector, RecordChange, RecordPage, Records, SupersedeChange,
};
use loci_model::record::Record;
use loci_model::record::derivation::MakingMode;
use loci_model::record::provenance::Source;
use loci_model::record::scope::RecordScope;
use loci_model::{ActorId, MemoryId, Namespace, RecordId, Result, SessionId, StrategyId, Timestamp};
use loci_store_kit::codes::{digest, id_of, key_of};
use loci_text::normalise_exact;

use crate::tx::{Column, PgTx};
use groups::group_of;
use rows::{RECORDS, read};

impl Records for PgTx<'_> {
    fn get(&self, memory: &MemoryId, id: &RecordId) -> Result<Option<Record>> {
        Ok(self.placed_record(memory, id)?.map(|placed| placed.stored.record))
    }

    fn get_many(&self, memory: &MemoryId, ids: &[RecordId]) -> Result<Vec<Record>> {
        let Some(number) = self.number(memory)?.filter(|_| !ids.is_empty()) else { return Ok(Vec::new()) };
        let keys: Vec<Vec<u8>> = ids.iter().map(key_of).collect();
        let sql = format!("{RECORDS} WHERE r.mem = $1 AND r.key = ANY($2)");
        let found = self.all(&sql, &[&number, &keys], |row| Ok(read(row)?.record))?;
        let found: std::collections::HashMap<RecordId, Record> =
            found.into_iter().map(|record| (record.id.clone(), record)).collect();
        Ok(ids.iter().filter_map(|id| found.get(id).cloned()).collect())
    }

    fn known_at(&self, memory: &MemoryId, id: &RecordId, time: Timestamp) -> Result<Option<Record>> {
        match self.placed_record(memory, id)? {
            Some(placed) if placed.stored.record.created_at <= time => {
                self.version_at(memory, placed.stored, time)
            }
            Some(_) | None => Ok(None),
        }
    }

    fn history(&self, memory: &MemoryId, id: &RecordId) -> Result<Vec<Record>> {
        self.record_history(memory, id)
    }

    fn list(&self, page: &RecordPage) -> Result<Vec<Record>> {
        self.record_page(page, None)
    }

    fn of_subtype(&self, page: &RecordPage, subtype: &str) -> Result<Vec<Record>> {
        self.record_page(page, Some(subtype))
    }

    fn count(&self, scope: &RecordScope) -> Result<u64> {
        self.record_count(scope)
    }

    fn same_text(
        &self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        namespace: &Namespace,
        text: &str,
    ) -> Result<Vec<RecordId>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let normal = normalise_exact(text);
        let sql = format!(
            "{RECORDS} WHERE r.mem = $1 AND r.grp = $2 AND r.digest = $3 AND r.state = 0 ORDER BY r.created, r.key"
        );
        let values: crate::connection::Values<'_> =
            &[&number, &group_of(strategy, namespace), &digest(&normal)];
        let found = self.all(&sql, values, |row| Ok(read(row)?.record))?;
        let same = found.into_iter().filter(|record| normalise_exact(&record.text) == normal);
        Ok(same.map(|record| record.id).collect())
    }

    fn with_subtype(
        &self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        namespace: &Namespace,
        subtype: &str,
    ) -> Result<Vec<Record>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = format!(
            "{RECORDS} WHERE r.mem = $1 AND r.grp = $2 AND r.subtype = $3 AND r.state = 0 AND r.subtype IS NOT NULL \
             ORDER BY r.created, r.key"
        );
        let values: crate::connection::Values<'_> =
            &[&number, &group_of(strategy, namespace), &digest(subtype)];
        let mut found = self.all(&sql, values, |row| Ok(read(row)?.record))?;
        found.retain(|record| record.subtype.as_deref() == Some(subtype));
        Ok(found)
    }

    fn by_source(
        &self,
        memory: &MemoryId,
        strategy: &StrategyId,
        source: &Source,
    ) -> Result<Option<RecordId>> {
        let Some(number) = self.number(memory)? else { return Ok(None) };
        let sql = format!(
            "{RECORDS} JOIN record_sources s ON s.mem = r.mem AND s.key = r.key \
             WHERE s.mem = $1 AND s.event = $2 AND s.message = $3 AND r.strategy = $4 ORDER BY r.created, r.key"
        );
        let (event, message) = (digest(source.event.as_str()), i64::from(source.message));
        let found =
            self.all(&sql, &[&number, &event, &message, &strategy.as_str()], |row| Ok(read(row)?.record))?;
        let found = found.into_iter().find(|record| record.provenance.sources.contains(source));
        Ok(found.map(|record| record.id))
    }

    fn of_strategy(
        &self,
        memory: &MemoryId,
        strategy: &StrategyId,
        after: Option<&RecordId>,
        limit: usize,
    ) -> Result<Vec<Record>> {
        self.strategy_records(memory, strategy, after, limit)
    }

    fn by_making(
        &self,
        memory: &MemoryId,
        strategy: &StrategyId,
        actor: &ActorId,
        session: &SessionId,
        mode: MakingMode,
    ) -> Result<Vec<Record>> {
        self.records_by_making(memory, strategy, (actor, session), mode)
    }

    fn group_sequence(
        &self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        namespace: &Namespace,
    ) -> Result<u64> {
        self.group_moved(memory, strategy, namespace)
    }

    fn changed_since(
        &self,
        memory: &MemoryId,
        namespace: &Namespace,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Record>> {
        self.records_changed_since(memory, namespace, after, limit)
    }

    fn insert(&mut self, record: &Record) -> Result<u64> {
        self.insert_record(record)
    }

    fn put_version(&mut self, record: &Record) -> Result<u64> {
        self.put_record_version(record)
    }

    fn rewrite(&mut self, record: &Record) -> Result<bool> {
        self.rewrite_version(record)
    }

    fn set_state(&mut self, memory: &MemoryId, id: &RecordId, change: &RecordChange) -> Result<bool> {
        self.set_record_state(memory, id, change)
    }

    fn supersede(&mut self, memory: &MemoryId, id: &RecordId, change: &SupersedeChange) -> Result<bool> {
        self.supersede_record(memory, id, change)
    }

    fn restore(&mut self, memory: &MemoryId, id: &RecordId, reason: &str, at: Timestamp) -> Result<bool> {
        self.restore_record(memory, id, reason, at)
    }

    fn move_to(&mut self, memory: &MemoryId, ids: &[RecordId], namespace: &Namespace) -> Result<u64> {
        self.move_records(memory, ids, namespace)
    }

    fn confirm(&mut self, memory: &MemoryId, id: &RecordId, confirmation: &Confirmation<'_>) -> Result<()> {
        self.confirm_record(memory, id, confirmation)
    }

    fn erasable(&self, now: Timestamp, limit: usize) -> Result<Vec<MemoryId>> {
        self.erasable_memories(now, limit)
    }

    fn erase_deleted(
        &mut self,
        memory: &MemoryId,
        now: Timestamp,
        after_ms: u64,
        rows: usize,
    ) -> Result<Vec<RecordId>> {
        self.erase_deleted_records(memory, now, after_ms, rows)
    }

    fn erase(&mut self, memory: &MemoryId, ids: &[RecordId], at: Timestamp) -> Result<Vec<RecordId>> {
        self.erase_records(memory, ids, at)
    }

    fn of_actor(&self, memory: &MemoryId, actor: &ActorId) -> Result<Vec<RecordId>> {
        self.records_of_actor(memory, actor)
    }

    fn expired(&self, now: Timestamp, limit: usize) -> Result<Vec<(MemoryId, RecordId)>> {
        self.expired_records(now, limit)
    }

    fn sweep_history(&mut self, now: Timestamp, rows: usize) -> Result<usize> {
        self.sweep_records(now, rows)
    }

    fn missing_vectors(
        &self,
        memory: &MemoryId,
        namespace: Option<&Namespace>,
        model: &str,
        limit: usize,
    ) -> Result<Vec<MissingVector>> {
        self.passages_without_vector(memory, namespace, model, limit)
    }

    fn memories_missing_vectors(
        &self,
        model: &str,
        after: Option<&MemoryId>,
        limit: usize,
    ) -> Result<Vec<MemoryId>> {
        self.memories_without_vectors(model, after, limit)
    }

    fn missing_vector_count(&self, memory: &MemoryId, model: &str) -> Result<u64> {
        self.passages_without_vector_count(memory, model)
    }

    fn put_vectors(&mut self, memory: &MemoryId, vectors: &[PassageVector]) -> Result<usize> {
        self.put_passage_vectors(memory, vectors)
    }

    fn export(
        &self,
        memory: &MemoryId,
        after: Option<&(RecordId, u32)>,
        limit: usize,
    ) -> Result<Vec<Record>> {
        self.export_records(memory, after, limit)
    }

    fn import(&mut self, record: &Record, is_current: bool) -> Result<()> {
        self.import_record(record, is_current)
    }
}

/// Reads the id in the first column.
pub(super) fn id(row: &tokio_postgres::Row) -> Result<RecordId> {
    id_of(row.take::<&[u8]>(0)?)
}
