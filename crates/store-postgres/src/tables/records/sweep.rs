//! Removes records by retention, and selects the memories for a sweep. The counters of a memory
//! store the next due time, so that the cost depends on the work. A stored time may be too early,
//! and too late by at most a day; a sweep corrects it.

use std::collections::BTreeMap;

use loci_model::memory::Memory;
use loci_model::record::RecordState;
use loci_model::{MemoryId, Result, Timestamp, limits};
use loci_store_kit::record_rules::{SweepEffect, sweeping};
use loci_store_kit::unreadable_rows::{page, readable};

use super::rows::{RECORDS, placed};
use crate::errors::stored;
use crate::tx::{Column, PgTx, limit};

/// The minimum time between two sweeps of a memory, in milliseconds: retention is counted in days.
const PAUSE_MS: i64 = loci_model::time::DAY_MS;
/// Selects superseded, invalid, expired and rolled-back records. `state <> 0` matches the condition
/// of the index.
const ENDED: &str = "r.state <> 0 AND r.state IN (2, 3, 6, 8)";

impl PgTx<'_> {
    /// Records that a record has a state that sweeps remove.
    pub(super) fn note_state(&self, memory: &MemoryId, state: RecordState, at: Timestamp) -> Result<()> {
        match sweeping(state) {
            SweepEffect::Content => self.count(memory, |counters| {
                // The next sweep determines when it is removed. An earlier due time is kept.
                counters.erase_due.get_or_insert(at.millis());
            }),
            SweepEffect::History => self.note_history(memory, at),
            SweepEffect::Nothing => Ok(()),
        }
    }

    /// Records that a version, or a record that is no longer active, is history.
    pub(super) fn note_history(&self, memory: &MemoryId, at: Timestamp) -> Result<()> {
        self.count(memory, |counters| {
            counters.history_due.get_or_insert(at.millis());
        })
    }

    /// Makes the memory due for the next sweep, because imported rows may be older than all
    /// existing ones.
    pub(super) fn note_imported(&self, memory: &MemoryId) -> Result<()> {
        self.count(memory, |counters| {
            counters.erase_due = Some(0);
            counters.history_due = Some(0);
        })
    }

    pub(super) fn erasable_memories(&self, now: Timestamp, count: usize) -> Result<Vec<MemoryId>> {
        let sql = "SELECT m.id FROM counters c JOIN memories m ON m.mem = c.mem AND m.deleted IS NULL \
                   WHERE c.erase_due IS NOT NULL AND c.erase_due <= $1 ORDER BY c.erase_due, m.id LIMIT $2";
        page(count, |count| {
            self.all(sql, &[&now.millis(), &limit(count)], |row| {
                readable("memory", stored(MemoryId::parse(row.take::<String>(0)?), "memory id"))
            })
        })
    }

    pub(super) fn sweep_records(&self, now: Timestamp, rows: usize) -> Result<usize> {
        let telemetry = now.millis().saturating_sub(days(limits::TELEMETRY_DAYS_DEFAULT));
        let mut swept = self.run(
            "DELETE FROM telemetry WHERE (mem, key, number) IN (SELECT mem, key, number FROM telemetry \
             WHERE at < $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING 1",
            &[&telemetry, &limit(rows)],
        )?;
        swept += self.sweep_fact_events(telemetry, rows.saturating_sub(swept))?;
        let memories = self.all(
            "SELECT m.body FROM counters c JOIN memories m ON m.mem = c.mem AND m.deleted IS NULL \
             WHERE c.history_due IS NOT NULL AND c.history_due <= $1 ORDER BY c.history_due, m.id LIMIT $2",
            &[&now.millis(), &limit(rows)],
            |row| readable("memory", stored(serde_json::from_str::<Memory>(row.take::<&str>(0)?), "memory")),
        )?;
        let looked_at = memories.len();
        let memories = memories.into_iter().flatten();
        // In the order of ids, so that concurrent sweeps lock memories in the same order.
        let memories: BTreeMap<MemoryId, u32> =
            memories.map(|memory| (memory.id, memory.settings.history_days)).collect();
        for (memory, history_days) in memories {
            let kept = days(history_days);
            let before = now.millis().saturating_sub(kept);
            swept += self.sweep_memory(&memory, before, rows.saturating_sub(swept))?;
            if swept >= rows {
                return Ok(swept);
            }
            self.note_next(&memory, kept, now)?;
        }
        // The requested number was reached: there may be more.
        Ok(if looked_at >= rows { rows } else { swept })
    }

    /// Removes versions, ended records and remains of erased ones that are older than the retention
    /// of the memory.
    fn sweep_memory(&self, memory: &MemoryId, before: i64, rows: usize) -> Result<usize> {
        let Some(number) = self.number(memory)? else { return Ok(0) };
        let mut swept = self.run(
            "DELETE FROM record_versions WHERE mem = $1 AND (key, version) IN \
             (SELECT key, version FROM record_versions WHERE mem = $1 AND until < $2 ORDER BY until LIMIT $3) RETURNING 1",
            &[&number, &before, &limit(rows)],
        )?;
        if swept > 0 {
            self.erases(memory)?;
        }
        let ended = format!(
            "{RECORDS} WHERE r.mem = $1 AND {ENDED} AND r.stated < $2 ORDER BY r.stated, r.key LIMIT $3"
        );
        let ended = self.all(&ended, &[&number, &before, &limit(rows.saturating_sub(swept))], placed)?;
        swept += ended.len();
        self.erase_all(ended, Some(Timestamp::clamped(before.saturating_add(days(1)))))?;
        swept += self.run(
            "DELETE FROM records WHERE mem = $1 AND key IN (SELECT r.key FROM records r WHERE r.mem = $1 AND r.state <> 0 \
             AND r.gone AND r.stated < $2 AND NOT EXISTS \
             (SELECT 1 FROM telemetry t WHERE t.mem = r.mem AND t.key = r.key) LIMIT $3) RETURNING 1",
            &[&number, &before, &limit(rows.saturating_sub(swept))],
        )?;
        Ok(swept)
    }

    /// Stores the time of the next removal in the memory.
    fn note_next(&self, memory: &MemoryId, kept: i64, now: Timestamp) -> Result<()> {
        let Some(number) = self.number(memory)? else { return Ok(()) };
        let sql = format!(
            "SELECT least((SELECT min(until) FROM record_versions WHERE mem = $1), \
             (SELECT min(r.stated) FROM records r WHERE r.mem = $1 AND {ENDED}), \
             (SELECT min(r.stated) FROM records r WHERE r.mem = $1 AND r.state <> 0 AND r.gone))"
        );
        let oldest = self.one(&sql, &[&number], |row| row.take::<Option<i64>>(0))?.flatten();
        let soonest = now.plus_millis(PAUSE_MS).millis();
        let due = oldest.map(|oldest| oldest.saturating_add(kept).max(soonest));
        self.count(memory, |counters| counters.history_due = due)
    }
}

fn days(count: u32) -> i64 {
    i64::from(count).saturating_mul(loci_model::time::DAY_MS)
}
