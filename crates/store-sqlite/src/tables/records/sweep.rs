//! Removes records by retention, and selects the memories for a sweep. The row of a memory stores
//! the next due time, so that the cost depends on the work. A stored time may be too early, and too
//! late by at most a day; a sweep corrects it.

use loci_model::memory::Memory;
use loci_model::record::RecordState;
use loci_model::{MemoryId, Result, Timestamp, limits};
use loci_store_kit::record_rules::{SweepEffect, sweeping};
use loci_store_kit::unreadable_rows::{page, readable};
use rusqlite::params;

use crate::errors::stored;
use crate::tx::{Column, SqlTx, limit};

/// The minimum time between two sweeps of a memory, in milliseconds: retention is counted in days.
const PAUSE_MS: i64 = loci_model::time::DAY_MS;

impl SqlTx<'_> {
    /// Records that a record has a state that sweeps remove.
    pub(super) fn note_state(&self, memory: i64, state: RecordState, at: Timestamp) -> Result<()> {
        match sweeping(state) {
            SweepEffect::Content => self.note_deleted(memory, at),
            SweepEffect::History => self.note_history(memory, at),
            SweepEffect::Nothing => Ok(()),
        }
    }

    /// Records that content was deleted: the next sweep determines when it is removed. An earlier
    /// due time is kept.
    fn note_deleted(&self, memory: i64, at: Timestamp) -> Result<()> {
        let sql = "UPDATE memories SET erase_due = ?2 WHERE num = ?1 AND erase_due IS NULL";
        self.run(sql, params![memory, at.millis()]).map(drop)
    }

    /// Records that a version, or a record that is no longer active, is history. An earlier due
    /// time is kept.
    pub(super) fn note_history(&self, memory: i64, at: Timestamp) -> Result<()> {
        let sql = "UPDATE memories SET history_due = ?2 WHERE num = ?1 AND history_due IS NULL";
        self.run(sql, params![memory, at.millis()]).map(drop)
    }

    /// Makes the memory due for the next sweep, because imported rows may be older than all
    /// existing ones.
    pub(super) fn note_imported(&self, memory: i64) -> Result<()> {
        let sql = "UPDATE memories SET erase_due = 0, history_due = 0 \
                   WHERE num = ?1 AND (erase_due IS NOT 0 OR history_due IS NOT 0)";
        self.run(sql, [memory]).map(drop)
    }

    pub(super) fn erasable_memories(&self, now: Timestamp, count: usize) -> Result<Vec<MemoryId>> {
        let sql = "SELECT id FROM memories WHERE erase_due IS NOT NULL AND deleted IS NULL AND erase_due <= ?1 \
                   ORDER BY erase_due, num LIMIT ?2";
        page(count, |count| {
            self.all(sql, params![now.millis(), limit(count)], |row| {
                readable("memory", stored(MemoryId::parse(row.take::<String>(0)?), "memory id"))
            })
        })
    }

    pub(super) fn sweep_records(&self, now: Timestamp, rows: usize) -> Result<usize> {
        let telemetry = now.millis().saturating_sub(days(limits::TELEMETRY_DAYS_DEFAULT));
        let mut swept = self.run(
            "DELETE FROM telemetry WHERE (rec, number) IN \
             (SELECT rec, number FROM telemetry WHERE at < ?1 ORDER BY at LIMIT ?2)",
            params![telemetry, limit(rows)],
        )?;
        swept += self.sweep_fact_events(telemetry, rows.saturating_sub(swept))?;
        let memories = self.all(
            "SELECT num, body FROM memories WHERE history_due IS NOT NULL AND deleted IS NULL AND history_due <= ?1 \
             ORDER BY history_due, num LIMIT ?2",
            params![now.millis(), limit(rows)],
            |row| {
                let memory = stored(serde_json::from_str::<Memory>(&row.take::<String>(1)?), "memory");
                Ok((row.take::<i64>(0)?, readable("memory", memory)?))
            },
        )?;
        let looked_at = memories.len();
        for (number, memory) in memories {
            let Some(memory) = memory else {
                // It is examined again after a change; until then it does not delay other memories.
                self.run("UPDATE memories SET history_due = NULL WHERE num = ?1", [number])?;
                continue;
            };
            let kept = days(memory.settings.history_days);
            swept += self.sweep_memory(
                number,
                &memory.id,
                now.millis().saturating_sub(kept),
                rows.saturating_sub(swept),
            )?;
            if swept >= rows {
                return Ok(swept);
            }
            self.note_next(number, kept, now)?;
        }
        // The requested number was reached: there may be more.
        Ok(if looked_at >= rows { rows } else { swept })
    }

    /// Removes versions, ended records and remains of erased ones that are older than the retention
    /// of the memory.
    fn sweep_memory(&self, number: i64, memory: &MemoryId, before: i64, rows: usize) -> Result<usize> {
        let mut swept = self.run(
            "DELETE FROM record_versions WHERE (rec, version) IN \
             (SELECT rec, version FROM record_versions WHERE mem = ?1 AND until < ?2 ORDER BY until LIMIT ?3)",
            params![number, before, limit(rows)],
        )?;
        if swept > 0 {
            // An index saved while one of them was the newest contains its words.
            self.erases(memory)?;
        }
        let left = limit(rows.saturating_sub(swept));
        let ended = self.all(
            &format!(
                "SELECT num FROM records WHERE mem = ?1 AND {ENDED} AND stated < ?2 ORDER BY stated LIMIT ?3"
            ),
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

    /// Stores the time of the next removal in the memory.
    fn note_next(&self, memory: i64, kept: i64, now: Timestamp) -> Result<()> {
        let first = |sql: &str| Ok(self.one(sql, [memory], |row| row.take::<Option<i64>>(0))?.flatten());
        let oldest = [
            first("SELECT min(until) FROM record_versions WHERE mem = ?1")?,
            first(&format!("SELECT min(stated) FROM records WHERE mem = ?1 AND {ENDED}"))?,
            first("SELECT min(stated) FROM records WHERE mem = ?1 AND state <> 0 AND gone = 1")?,
        ];
        let soonest = now.plus_millis(PAUSE_MS).millis();
        let due = oldest.into_iter().flatten().min().map(|oldest| oldest.saturating_add(kept).max(soonest));
        self.run("UPDATE memories SET history_due = ?2 WHERE num = ?1", params![memory, due]).map(drop)
    }
}

/// Selects superseded, invalid, expired and rolled-back records. `state <> 0` matches the condition
/// of the index.
const ENDED: &str = "state <> 0 AND state IN (2, 3, 6, 8)";

fn days(count: u32) -> i64 {
    i64::from(count).saturating_mul(loci_model::time::DAY_MS)
}
