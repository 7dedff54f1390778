//! The table of fact events: what happened to each fact, such as verifications and uses.

use std::collections::BTreeMap;

use loci_model::facts::fact::{FactEvent, FactEventKind, FactTally};
use loci_model::ports::store::FactEvents;
use loci_model::{MemoryId, RecordId, RepositoryId, Result, Timestamp};

use crate::codes::{among_codes, id_of, key_of, short_of};
use crate::fact_columns::FactEventColumns;
use crate::fact_rows;
use crate::fact_rules::{EVENT_COLUMNS, TIMED};
use crate::fields::Fields;
use crate::sql::{RowBatch, SqlTransaction};
use crate::tables::Tables;
use crate::values;

/// An SQL query for the keys of records that are facts or have fact events, in order.
const RECORDS: &str = "SELECT key FROM (\
     SELECT key FROM (SELECT key FROM facts WHERE mem = $1 AND key > $2 ORDER BY key LIMIT $3) AS f UNION \
     SELECT key FROM (SELECT DISTINCT key FROM fact_events WHERE mem = $1 AND key > $2 AND key IS NOT NULL \
     ORDER BY key LIMIT $3) AS e) AS k ORDER BY key LIMIT $3";

/// Adds fact events to the memory with this internal number. `is_kept` returns true for events
/// that retention must not remove. `is_new` states that no event with one of these ids exists.
fn put(
    tx: &impl SqlTransaction,
    memory: i64,
    events: &[&FactEvent],
    is_kept: impl Fn(&FactEvent) -> bool,
    is_new: bool,
) -> Result<()> {
    let rows: Vec<_> = events.iter().map(|event| FactEventColumns::of(event)).collect();
    let batch = RowBatch::of("fact_events", is_new)
        .with("id", "bytea", rows.iter().map(|row| &row.id))
        .with("repository", "bytea", rows.iter().map(|row| &row.repository))
        .with("key", "bytea", rows.iter().map(|row| row.key.as_ref()))
        .with("kind", "smallint", rows.iter().map(|row| row.kind))
        .with("at", "bigint", rows.iter().map(|row| row.at))
        .with("kept", "boolean", events.iter().map(|event| is_kept(event)))
        .with("verdict", "smallint", rows.iter().map(|row| row.verdict))
        .with("cause", "text", events.iter().map(|event| event.cause.as_ref()))
        .with("duration", "bigint", rows.iter().map(|row| row.duration))
        .with("principal", "text", events.iter().map(|event| &event.principal))
        .with("agent", "text", events.iter().map(|event| event.agent.as_ref()))
        .with("session", "text", events.iter().map(|event| event.session.as_ref()))
        .with("reference", "text", events.iter().map(|event| event.reference.as_ref()))
        .with("revision", "bytea", rows.iter().map(|row| row.revision))
        .with("method", "smallint", rows.iter().map(|row| row.method))
        .with("details", "text", rows.iter().map(|row| row.details));
    tx.insert(memory, batch)
}

/// Imports fact events from another store; existing ones are kept. Retention may remove an
/// imported event whose fact no longer exists.
///
/// # Errors
/// Errors of the database.
pub fn load(
    tx: &impl SqlTransaction,
    memory: i64,
    events: &[&FactEvent],
    is_fact: impl Fn(&RecordId) -> bool,
) -> Result<()> {
    let is_kept = |event: &FactEvent| event.kind.is_kept() && event.record.as_ref().is_some_and(&is_fact);
    put(tx, memory, events, is_kept, false)
}

impl<T: SqlTransaction> FactEvents for Tables<T> {
    fn append(&mut self, events: &[FactEvent]) -> Result<()> {
        let mut of_memories: BTreeMap<&MemoryId, Vec<&FactEvent>> = BTreeMap::new();
        for event in events {
            of_memories.entry(&event.memory).or_default().push(event);
        }
        for (memory, events) in of_memories {
            let is_kept = |event: &FactEvent| event.kind.is_kept() && event.record.is_some();
            put(&self.0, self.need(memory)?, &events, is_kept, true)?;
        }
        Ok(())
    }

    fn rewrite(&mut self, event: &FactEvent) -> Result<()> {
        self.later(
            "UPDATE fact_events SET principal = $3, details = $4, agent = $5, session = $6, reference = $7, cause = $8 \
             WHERE mem = $1 AND id = $2",
            values![
                self.need(&event.memory)?,
                short_of(&event.id),
                &event.principal,
                event.details.as_ref().map(|details| details.as_str()),
                event.agent.as_ref(),
                event.session.as_ref(),
                event.reference.as_ref(),
                event.cause.as_ref()
            ],
        )
    }

    fn get(&self, memory: &MemoryId, id: &str) -> Result<Option<FactEvent>> {
        let Some(number) = self.number(memory)? else { return Ok(None) };
        let sql = format!("SELECT {EVENT_COLUMNS} FROM fact_events e WHERE e.mem = $1 AND e.id = $2");
        self.one(&sql, values![number, short_of(id)], |row| fact_rows::fact_event(memory, row))
    }

    fn of_record(&self, memory: &MemoryId, record: &RecordId, count: usize) -> Result<Vec<FactEvent>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT {EVENT_COLUMNS} FROM fact_events e WHERE e.mem = $1 AND e.key = $2 AND e.key IS NOT NULL \
             ORDER BY e.at DESC, e.id DESC LIMIT $3"
        );
        let values = values![number, key_of(record), count];
        self.all(&sql, values, |row| fact_rows::fact_event(memory, row))
    }

    fn history(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<FactEvent>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let kept: Vec<_> = FactEventKind::ALL.iter().copied().filter(|kind| kind.is_kept()).collect();
        let of_kinds = among_codes("e.kind", FactEventKind::ALL, &kept);
        let sql = format!(
            "SELECT {EVENT_COLUMNS} FROM fact_events e WHERE e.mem = $1 AND e.key = $2 AND e.key IS NOT NULL{of_kinds} \
             ORDER BY e.at, e.id"
        );
        self.all(&sql, values![number, key_of(record)], |row| fact_rows::fact_event(memory, row))
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
            "SELECT {EVENT_COLUMNS} FROM fact_events e WHERE e.mem = $1 AND e.key = $2 AND e.key IS NOT NULL \
             AND e.at >= $3{of_kinds} AND (CAST($4 AS text) IS NULL OR e.cause IS DISTINCT FROM $4) \
             ORDER BY e.at DESC, e.id DESC LIMIT 1"
        );
        let values = values![number, key_of(record), since, but_of];
        self.one(&sql, values, |row| fact_rows::fact_event(memory, row))
    }

    fn tallies(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        since: Timestamp,
    ) -> Result<Vec<FactTally>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        self.all(
            "SELECT kind, verdict, cause, count(*) FROM fact_events WHERE mem = $1 AND repository = $2 AND at >= $3 \
             GROUP BY kind, verdict, cause ORDER BY kind, verdict NULLS FIRST, cause NULLS FIRST",
            values![memory, short_of(repository.as_str()), since],
            |row| fact_rows::tally(row),
        )
    }

    fn records(&self, memory: &MemoryId, after: Option<&RecordId>, count: usize) -> Result<Vec<RecordId>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let after = after.map_or_else(Vec::new, key_of);
        self.all(RECORDS, values![memory, after, count], |row| id_of(row.bytes(0)?))
    }

    fn counts(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<(FactEventKind, u64)>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        self.all(
            "SELECT kind, count(*) FROM fact_events WHERE mem = $1 AND key = $2 AND key IS NOT NULL GROUP BY kind ORDER BY kind",
            values![memory, key_of(record)],
            |row| fact_rows::kind_count(row),
        )
    }

    fn of_no_record(&self, memory: &MemoryId, after: Option<&str>, count: usize) -> Result<Vec<FactEvent>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT {EVENT_COLUMNS} FROM fact_events e WHERE e.mem = $1 AND e.key IS NULL AND e.id > $2 ORDER BY e.id LIMIT $3"
        );
        let values = values![number, after.map_or_else(Vec::new, short_of), count];
        self.all(&sql, values, |row| fact_rows::fact_event(memory, row))
    }

    fn durations_ms(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        since: Timestamp,
        count: usize,
    ) -> Result<Vec<u32>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT duration FROM fact_events WHERE mem = $1 AND repository = $2 AND at >= $3 AND {TIMED} \
             ORDER BY at DESC, id DESC LIMIT $4"
        );
        self.all(&sql, values![memory, short_of(repository.as_str()), since, count], |row| {
            Ok(u32::try_from(row.number(0)?).unwrap_or(u32::MAX))
        })
    }
}
