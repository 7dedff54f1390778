//! Erasure: only the id of a record remains, so that indexes learn that it is removed. `sweep.rs`
//! removes records by retention.

use std::collections::BTreeSet;

use loci_model::record::RecordState;
use loci_model::record::feedback::ROWS_LIKE;
use loci_model::{ActorId, EventId, MemoryId, RecordId, Result, Timestamp};
use rusqlite::{Row, params};

use super::rows::{RECORDS, read, state_code};
use crate::errors::stored;
use crate::tx::{Column, SqlTx, limit, signed};
use loci_store_kit::codes::{digest, id_of};
use loci_store_kit::unreadable_rows::{page, readable};

/// Deleted records of memory `?1` with content; the state condition matches that of the index.
const DELETED: &str = "FROM records WHERE mem = ?1 AND state = 9 AND gone = 0";

impl SqlTx<'_> {
    /// Erases the content of a record: its text, versions, vectors, sources, state changes, and
    /// earlier locations.
    pub(super) fn erase(&self, memory: &MemoryId, number: i64, at: Option<Timestamp>) -> Result<()> {
        let place = self.need(memory)?;
        self.erases(memory)?;
        let group = self.group_of_row(number)?;
        let nowhere = self.need_group(place, None, "/")?;
        self.drop_vectors(number)?;
        self.erase_fact(place, number)?;
        self.run("DELETE FROM record_versions WHERE rec = ?1", [number])?;
        self.run(
            "DELETE FROM telemetry WHERE rec = ?1 AND source = target AND reason LIKE ?2",
            params![number, ROWS_LIKE],
        )?;
        let sources = self.one(&format!("{RECORDS} WHERE r.num = ?1"), [number], |row| {
            Ok(read(memory, row)?.record.provenance.sources)
        })?;
        for source in sources.into_iter().flatten() {
            self.run(
                "DELETE FROM record_sources WHERE mem = ?1 AND event = ?2 AND message = ?3 AND rec = ?4",
                params![place, digest(source.event.as_str()), source.message, number],
            )?;
        }
        self.change_row(
            memory,
            number,
            "grp = :group, state = :state, stated = coalesce(:at, stated), left_at = coalesce(left_at, :at, stated), \
             gone = 1, parts = 0, model = NULL, digest = 0, actor = NULL, session = NULL, subtype = NULL, spelled = NULL, \
             reason = NULL, verbatim = 0, role = NULL, more = NULL, text = ''",
            &[
                (":group", &nowhere),
                (":state", &state_code(RecordState::Erased)),
                (":at", &at.map(Timestamp::millis)),
            ],
        )?;
        if group != nowhere {
            self.drop_empty_group(group)?;
        }
        // The remains of the record are history.
        self.note_history(place, at.unwrap_or(Timestamp::EPOCH))
    }

    pub(super) fn erase_deleted_records(
        &self,
        memory: &MemoryId,
        now: Timestamp,
        after_ms: u64,
        rows: usize,
    ) -> Result<Vec<RecordId>> {
        let Some(place) = self.number(memory)? else { return Ok(Vec::new()) };
        let after = signed(after_ms);
        let doomed = self.all(
            &format!("SELECT num {DELETED} AND stated <= ?2 ORDER BY stated LIMIT ?3"),
            params![place, now.millis().saturating_sub(after), limit(rows)],
            |row| row.take::<i64>(0),
        )?;
        for number in &doomed {
            self.erase(memory, *number, None)?;
        }
        let first =
            self.one(&format!("SELECT min(stated) {DELETED}"), [place], |row| row.take::<Option<i64>>(0))?;
        let due = first.flatten().map(|first| first.saturating_add(after));
        self.run(
            "UPDATE memories SET erase_due = ?2 WHERE num = ?1 AND erase_due IS NOT ?2",
            params![place, due],
        )?;
        doomed.iter().map(|number| self.id_of_row(*number)).collect()
    }

    pub(super) fn erase_records(
        &self,
        memory: &MemoryId,
        ids: &[RecordId],
        at: Timestamp,
    ) -> Result<Vec<RecordId>> {
        let mut erased = Vec::with_capacity(ids.len());
        for id in ids {
            if let Some(there) = self.stored_record(memory, id)?.filter(|stored| !stored.gone) {
                self.erase(memory, there.number, Some(at))?;
                erased.push(id.clone());
            }
        }
        Ok(erased)
    }

    pub(super) fn records_of_actor(&self, memory: &MemoryId, actor: &ActorId) -> Result<Vec<RecordId>> {
        self.rows_of_actor(memory, actor)?.iter().map(|number| self.id_of_row(*number)).collect()
    }

    /// Returns the rows of records that rest on an actor's events or name the actor.
    fn rows_of_actor(&self, memory: &MemoryId, actor: &ActorId) -> Result<BTreeSet<i64>> {
        let Some(place) = self.number(memory)? else { return Ok(BTreeSet::new()) };
        let sql = "SELECT num FROM records WHERE mem = ?1 AND actor = ?2";
        let mut doomed: BTreeSet<i64> =
            self.all(sql, params![place, actor.as_str()], |row| row.take(0))?.into_iter().collect();
        let events = self.all(
            "SELECT e.id FROM sessions s JOIN events e ON e.sess = s.num WHERE s.mem = ?1 AND s.actor = ?2",
            params![place, actor.as_str()],
            |row| stored(EventId::parse(row.take::<String>(0)?), "event id"),
        )?;
        for event in events {
            let sql = "SELECT rec FROM record_sources WHERE mem = ?1 AND event = ?2";
            doomed.extend(self.all(sql, params![place, digest(event.as_str())], |row| row.take::<i64>(0))?);
        }
        Ok(doomed)
    }

    fn id_of_row(&self, number: i64) -> Result<RecordId> {
        let key =
            self.one("SELECT key FROM records WHERE num = ?1", [number], |row| row.take::<Vec<u8>>(0))?;
        id_of(&key.unwrap_or_default())
    }

    pub(super) fn expired_records(&self, now: Timestamp, count: usize) -> Result<Vec<(MemoryId, RecordId)>> {
        let sql = "SELECT m.id, r.key FROM records r JOIN memories m ON m.num = r.mem AND m.deleted IS NULL \
                   WHERE r.state = 0 AND r.expires IS NOT NULL AND r.expires <= ?1 ORDER BY r.expires, \
                   r.num LIMIT ?2";
        let read = |row: &Row<'_>| {
            let memory = stored(MemoryId::parse(row.take::<String>(0)?), "memory id")?;
            Ok((memory, id_of(&row.take::<Vec<u8>>(1)?)?))
        };
        page(count, |count| {
            self.all(sql, params![now.millis(), limit(count)], |row| readable("record", read(row)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_of_deleted_records_knows_their_state() {
        assert_eq!(state_code(RecordState::Erased), 9);
    }
}
