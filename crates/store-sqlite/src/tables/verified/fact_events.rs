//! The table of what happened to facts.

use std::collections::BTreeMap;

use loci_model::facts::fact::{FactEvent, FactEventKind, FactTally};
use loci_model::ports::store::FactEvents;
use loci_model::{MemoryId, RecordId, RepositoryId, Result, Timestamp};
use loci_store_kit::codes::{among_codes, code_of, id_of, key_of, short_of};
use loci_store_kit::fact_columns::FactEventColumns;
use loci_store_kit::fact_rows;
use loci_store_kit::fact_rules::{EVENT_COLUMNS, TIMED};
use rusqlite::{Row, params};

use crate::columns::Columns;
use crate::tx::{Column, SqlTx, limit};

impl SqlTx<'_> {
    /// Adds an event to the memory of that number; `kept`: however old it is. `or` is what becomes of one that is there.
    pub(in crate::tables) fn put_fact_event(
        &self,
        memory: i64,
        event: &FactEvent,
        kept: bool,
        or: &str,
    ) -> Result<()> {
        let row = FactEventColumns::of(event);
        self.run(
            &format!(
                "INSERT {or} INTO fact_events(mem, id, repository, key, kind, at, kept, verdict, cause, duration, principal, \
                 agent, session, reference, revision, method, details) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)"
            ),
            params![
                memory,
                row.id,
                row.repository,
                row.key,
                row.kind,
                row.at,
                kept,
                row.verdict,
                event.cause,
                row.duration,
                event.principal,
                event.agent,
                event.session,
                event.reference,
                row.revision,
                row.method,
                row.details
            ],
        )?;
        Ok(())
    }
}

/// Keys of facts, and of records that events are about.
const RECORDS: &str = "SELECT key FROM (\
     SELECT key FROM (SELECT key FROM facts WHERE mem = ?1 AND key > ?2 ORDER BY key LIMIT ?3) UNION \
     SELECT key FROM (SELECT DISTINCT key FROM fact_events WHERE mem = ?1 AND key > ?2 AND key IS NOT NULL ORDER BY key LIMIT ?3)) \
     ORDER BY key LIMIT ?3";

/// An event that is too old: memory, id, record, kind.
type Old = (i64, Vec<u8>, Option<Vec<u8>>, i64);

impl SqlTx<'_> {
    /// Removes events from before that time, but those that are kept. Of facts that are there it is noted how many
    /// retrievals they said.
    pub(in crate::tables) fn sweep_fact_events(&self, before: i64, rows: usize) -> Result<usize> {
        let old: Vec<Old> = self.all(
            "SELECT e.mem, e.id, e.key, e.kind FROM fact_events e CROSS JOIN memories m ON m.num = e.mem AND m.deleted IS NULL \
             WHERE e.kept = 0 AND e.at < ?1 ORDER BY e.at LIMIT ?2",
            params![before, limit(rows)],
            |row| Ok((row.take(0)?, row.take(1)?, row.take(2)?, row.take(3)?)),
        )?;
        let retrieved = code_of(FactEventKind::ALL, FactEventKind::Retrieved);
        let mut retrievals: BTreeMap<(i64, Vec<u8>), i64> = BTreeMap::new();
        let swept = old.len();
        for (memory, id, key, kind) in old {
            self.run("DELETE FROM fact_events WHERE mem = ?1 AND id = ?2", params![memory, id])?;
            if let Some(key) = key.filter(|_| kind == retrieved) {
                *retrievals.entry((memory, key)).or_default() += 1;
            }
        }
        for ((memory, key), count) in retrievals {
            self.run(
                "UPDATE fact_reads SET swept = swept + ?3 \
                 WHERE num = (SELECT num FROM records WHERE mem = ?1 AND key = ?2)",
                params![memory, key, count],
            )?;
        }
        Ok(swept)
    }
}

impl FactEvents for SqlTx<'_> {
    fn append(&mut self, events: &[FactEvent]) -> Result<()> {
        for event in events {
            let memory = self.need(&event.memory)?;
            self.put_fact_event(memory, event, event.kind.is_kept() && event.record.is_some(), "")?;
        }
        Ok(())
    }

    fn rewrite(&mut self, event: &FactEvent) -> Result<()> {
        let memory = self.need(&event.memory)?;
        let row = FactEventColumns::of(event);
        self.run(
            "UPDATE fact_events SET principal = ?3, details = ?4, agent = ?5, session = ?6, reference = ?7, cause = ?8 \
             WHERE mem = ?1 AND id = ?2",
            params![
                memory,
                row.id,
                event.principal,
                row.details,
                event.agent,
                event.session,
                event.reference,
                event.cause
            ],
        )?;
        Ok(())
    }

    fn get(&self, memory: &MemoryId, id: &str) -> Result<Option<FactEvent>> {
        let Some(number) = self.number(memory)? else { return Ok(None) };
        let sql = format!("SELECT {EVENT_COLUMNS} FROM fact_events e WHERE e.mem = ?1 AND e.id = ?2");
        self.one(&sql, params![number, short_of(id)], |row| read(memory, row))
    }

    fn of_record(&self, memory: &MemoryId, record: &RecordId, count: usize) -> Result<Vec<FactEvent>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT {EVENT_COLUMNS} FROM fact_events e WHERE e.mem = ?1 AND e.key = ?2 AND e.key IS NOT NULL \
             ORDER BY e.at DESC, e.id DESC LIMIT ?3"
        );
        self.all(&sql, params![number, key_of(record), limit(count)], |row| read(memory, row))
    }

    fn history(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<FactEvent>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let kept: Vec<_> = FactEventKind::ALL.iter().copied().filter(|kind| kind.is_kept()).collect();
        let of_kinds = among_codes("e.kind", FactEventKind::ALL, &kept);
        let sql = format!(
            "SELECT {EVENT_COLUMNS} FROM fact_events e WHERE e.mem = ?1 AND e.key = ?2 AND e.key IS NOT NULL{of_kinds} \
             ORDER BY e.at, e.id"
        );
        self.all(&sql, params![number, key_of(record)], |row| read(memory, row))
    }

    fn newest(
        &self,
        memory: &MemoryId,
        record: &RecordId,
        kinds: &[FactEventKind],
        since: Timestamp,
        but_of: Option<&str>,
    ) -> Result<Option<FactEvent>> {
        let Some(number) = self.number(memory)?.filter(|_| !kinds.is_empty()) else { return Ok(None) };
        let of_kinds = among_codes("e.kind", FactEventKind::ALL, kinds);
        let sql = format!(
            "SELECT {EVENT_COLUMNS} FROM fact_events e WHERE e.mem = ?1 AND e.key = ?2 AND e.key IS NOT NULL \
             AND e.at >= ?3{of_kinds} AND (?4 IS NULL OR e.cause IS DISTINCT FROM ?4) \
             ORDER BY e.at DESC, e.id DESC LIMIT 1"
        );
        self.one(&sql, params![number, key_of(record), since.millis(), but_of], |row| read(memory, row))
    }

    fn tallies(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        since: Timestamp,
    ) -> Result<Vec<FactTally>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        self.all(
            "SELECT kind, verdict, cause, count(*) FROM fact_events WHERE mem = ?1 AND repository = ?2 AND at >= ?3 \
             GROUP BY kind, verdict, cause ORDER BY kind, verdict, cause",
            params![number, short_of(repository.as_str()), since.millis()],
            |row| fact_rows::tally(&Columns(row)),
        )
    }

    fn records(&self, memory: &MemoryId, after: Option<&RecordId>, count: usize) -> Result<Vec<RecordId>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let keys: Vec<Vec<u8>> =
            self.all(RECORDS, params![number, after.map_or_else(Vec::new, key_of), limit(count)], |row| {
                row.take(0)
            })?;
        keys.iter().map(|key| id_of(key)).collect()
    }

    fn counts(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<(FactEventKind, u64)>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        self.all(
            "SELECT kind, count(*) FROM fact_events WHERE mem = ?1 AND key = ?2 AND key IS NOT NULL GROUP BY kind ORDER BY kind",
            params![number, key_of(record)],
            |row| fact_rows::kind_count(&Columns(row)),
        )
    }

    fn of_no_record(&self, memory: &MemoryId, after: Option<&str>, count: usize) -> Result<Vec<FactEvent>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT {EVENT_COLUMNS} FROM fact_events e WHERE e.mem = ?1 AND e.key IS NULL AND e.id > ?2 ORDER BY e.id LIMIT ?3"
        );
        self.all(&sql, params![number, after.map_or_else(Vec::new, short_of), limit(count)], |row| {
            read(memory, row)
        })
    }

    fn durations_ms(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        since: Timestamp,
        count: usize,
    ) -> Result<Vec<u32>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        self.all(
            &format!(
                "SELECT duration FROM fact_events WHERE mem = ?1 AND repository = ?2 AND at >= ?3 AND {TIMED} \
                 ORDER BY at DESC, id DESC LIMIT ?4"
            ),
            params![number, short_of(repository.as_str()), since.millis(), limit(count)],
            |row| row.take(0),
        )
    }
}

fn read(memory: &MemoryId, row: &Row<'_>) -> Result<FactEvent> {
    fact_rows::fact_event(memory, &Columns(row))
}
