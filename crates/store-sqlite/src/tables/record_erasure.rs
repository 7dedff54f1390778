//! Erasing: what is left of a record is its id, so that indexes learn that it is gone. And what retention removes.

use std::collections::BTreeSet;

use loci_model::memory::Memory;
use loci_model::record::RecordState;
use loci_model::{ActorId, EventId, MemoryId, RecordId, Result, Timestamp, limits};
use rusqlite::params;

use super::record_codes::{digest, id_of};
use super::record_rows::{RECORDS, read, state_code};
use crate::errors::stored;
use crate::tx::{Column, SqlTx, limit};

impl SqlTx<'_> {
    /// Erases the content of a record: its text, versions, vectors, sources, and where it was.
    fn erase(&self, memory: &MemoryId, number: i64, at: Option<Timestamp>) -> Result<()> {
        let place = self.need(memory)?;
        self.erases(memory)?;
        let group = self.group_of_row(number)?;
        let nowhere = self.need_group(place, None, "/")?;
        self.drop_vectors(number)?;
        self.run("DELETE FROM record_versions WHERE rec = ?1", [number])?;
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
        Ok(())
    }

    pub(super) fn erase_deleted_records(
        &self,
        memory: &MemoryId,
        before: Timestamp,
        rows: usize,
    ) -> Result<Vec<RecordId>> {
        let Some(place) = self.number(memory)? else { return Ok(Vec::new()) };
        let doomed = self.all(
            "SELECT num FROM records WHERE mem = ?1 AND state <> 0 AND state = ?2 AND gone = 0 AND stated <= ?3 \
             ORDER BY stated LIMIT ?4",
            params![place, state_code(RecordState::Erased), before.millis(), limit(rows)],
            |row| row.take::<i64>(0),
        )?;
        for number in &doomed {
            self.erase(memory, *number, None)?;
        }
        doomed.iter().map(|number| self.id_of_row(*number)).collect()
    }

    pub(super) fn forget_records(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        at: Timestamp,
    ) -> Result<Vec<RecordId>> {
        let Some(place) = self.number(memory)? else { return Ok(Vec::new()) };
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
        for number in &doomed {
            self.erase(memory, *number, Some(at))?;
        }
        doomed.iter().map(|number| self.id_of_row(*number)).collect()
    }

    fn id_of_row(&self, number: i64) -> Result<RecordId> {
        let key =
            self.one("SELECT key FROM records WHERE num = ?1", [number], |row| row.take::<Vec<u8>>(0))?;
        id_of(&key.unwrap_or_default())
    }

    pub(super) fn expired_records(&self, now: Timestamp, count: usize) -> Result<Vec<(MemoryId, RecordId)>> {
        self.all(
            "SELECT m.id, r.key FROM records r JOIN memories m ON m.num = r.mem AND m.deleted IS NULL \
             WHERE r.state = 0 AND r.expires IS NOT NULL AND r.expires <= ?1 ORDER BY r.expires, r.num LIMIT ?2",
            params![now.millis(), limit(count)],
            |row| {
                let memory = stored(MemoryId::parse(row.take::<String>(0)?), "memory id")?;
                Ok((memory, id_of(&row.take::<Vec<u8>>(1)?)?))
            },
        )
    }

    pub(super) fn sweep_records(&self, now: Timestamp, rows: usize) -> Result<usize> {
        let telemetry = now.plus_days(0).millis().saturating_sub(days(limits::TELEMETRY_DAYS_DEFAULT));
        let mut swept = self.run(
            "DELETE FROM telemetry WHERE (rec, number) IN \
             (SELECT rec, number FROM telemetry WHERE at < ?1 ORDER BY at LIMIT ?2)",
            params![telemetry, limit(rows)],
        )?;
        let memories =
            self.all("SELECT num, body FROM memories WHERE deleted IS NULL ORDER BY num", [], |row| {
                let memory: Memory = stored(serde_json::from_str(&row.take::<String>(1)?), "memory")?;
                Ok((row.take::<i64>(0)?, memory))
            })?;
        for (number, memory) in memories {
            let before = now.millis().saturating_sub(days(memory.settings.history_days));
            swept += self.sweep_memory(number, &memory.id, before, rows.saturating_sub(swept))?;
            if swept >= rows {
                break;
            }
        }
        Ok(swept)
    }

    /// Versions, ended records and traces of erased ones that are older than the memory keeps them.
    fn sweep_memory(&self, number: i64, memory: &MemoryId, before: i64, rows: usize) -> Result<usize> {
        let mut swept = self.run(
            "DELETE FROM record_versions WHERE (rec, version) IN \
             (SELECT rec, version FROM record_versions WHERE mem = ?1 AND until < ?2 ORDER BY until LIMIT ?3)",
            params![number, before, limit(rows)],
        )?;
        if swept > 0 {
            // An index that was saved while one of them was the newest holds its words.
            self.erases(memory)?;
        }
        let left = limit(rows.saturating_sub(swept));
        // Superseded, invalid, expired, rolled back: what nobody keeps on purpose.
        let ended = self.all(
            "SELECT num FROM records WHERE mem = ?1 AND state <> 0 AND state IN (2, 3, 6, 8) AND stated < ?2 \
             ORDER BY stated LIMIT ?3",
            params![number, before, left],
            |row| row.take::<i64>(0),
        )?;
        for record in &ended {
            self.erase(memory, *record, Some(Timestamp::clamped(before.saturating_add(days(1)))))?;
        }
        swept += ended.len();
        let left = limit(rows.saturating_sub(swept));
        swept += self.run(
            "DELETE FROM records WHERE num IN (SELECT num FROM records WHERE mem = ?1 AND state <> 0 AND gone = 1 \
             AND stated < ?2 AND NOT EXISTS (SELECT 1 FROM telemetry WHERE rec = records.num) LIMIT ?3)",
            params![number, before, left],
        )?;
        Ok(swept)
    }
}

fn days(count: u32) -> i64 {
    i64::from(count).saturating_mul(loci_model::time::DAY_MS)
}
