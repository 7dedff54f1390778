//! The table of what happened to facts.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::facts::fact::{FactEvent, FactEventKind, FactTally};
use loci_model::ports::store::FactEvents;
use loci_model::{MemoryId, RecordId, RepositoryId, Result, Timestamp};
use loci_store_kit::codes::{among_codes, code_of, id_of, key_of, short_of};
use loci_store_kit::fact_columns::FactEventColumns;
use loci_store_kit::fact_rows;
use loci_store_kit::fact_rules::{EVENT_COLUMNS, TIMED};
use tokio_postgres::Row;

use crate::columns::Columns;
use crate::errors::stored;
use crate::tables::events::rows::plain;
use crate::tables::transfer::batches::{Batch, list};
use crate::tx::{Column, PgTx, code, limit};

/// Keys of facts, and of records that events are about.
const RECORDS: &str = "SELECT key FROM (\
     (SELECT key FROM facts WHERE mem = $1 AND key > $2 ORDER BY key LIMIT $3) UNION \
     (SELECT DISTINCT key FROM fact_events WHERE mem = $1 AND key > $2 AND key IS NOT NULL ORDER BY key LIMIT $3)) AS k \
     ORDER BY key LIMIT $3";

/// Events as rows; `kept` says which are kept however old they are.
fn batch(events: &[&FactEvent], kept: Vec<bool>) -> Batch {
    let text = |text: &Option<String>| text.as_deref().map(plain);
    let rows = list(events, |event| FactEventColumns::of(event));
    Batch::of("fact_events")
        .with("id", "bytea", list(&rows, |row| row.id.clone()))
        .with("repository", "bytea", list(&rows, |row| row.repository.clone()))
        .with("key", "bytea", list(&rows, |row| row.key.clone()))
        .with("kind", "smallint", list(&rows, |row| code(row.kind)))
        .with("at", "bigint", list(&rows, |row| row.at))
        .with("kept", "boolean", kept)
        .with("verdict", "smallint", list(&rows, |row| row.verdict.map(code)))
        .with("cause", "text", list(events, |event| text(&event.cause)))
        .with("duration", "bigint", list(&rows, |row| row.duration))
        .with("principal", "text", list(events, |event| plain(&event.principal)))
        .with("agent", "text", list(events, |event| text(&event.agent)))
        .with("session", "text", list(events, |event| text(&event.session)))
        .with("reference", "text", list(events, |event| text(&event.reference)))
        .with("revision", "bytea", list(&rows, |row| row.revision.map(<[u8]>::to_vec)))
        .with("method", "smallint", list(&rows, |row| row.method.map(code)))
        .with("details", "text", list(&rows, |row| row.details.map(str::to_owned)))
}

impl PgTx<'_> {
    /// Takes in events from another store; those that are there already stay. One of a fact that is not there any more is not
    /// kept longer than others.
    pub(in crate::tables) fn load_fact_events(&self, memory: i64, events: &[&FactEvent]) -> Result<()> {
        let keys: Vec<Vec<u8>> =
            events.iter().filter_map(|event| event.record.as_ref().map(key_of)).collect();
        let sql = "SELECT key FROM facts WHERE mem = $1 AND key = ANY($2)";
        let there: BTreeSet<Vec<u8>> =
            self.all(sql, &[&memory, &keys], |row| row.take(0))?.into_iter().collect();
        let is_there = |record: &RecordId| there.contains(&key_of(record));
        let kept = list(events, |event| event.kind.is_kept() && event.record.as_ref().is_some_and(is_there));
        self.insert_batch(memory, batch(events, kept));
        Ok(())
    }

    /// Removes events from before that time, but those that are kept. Of facts that are there it is noted how many
    /// retrievals they said, under the locks of their memories.
    pub(in crate::tables) fn sweep_fact_events(&self, before: i64, rows: usize) -> Result<usize> {
        let old = self.all(
            "SELECT m.id, e.id FROM fact_events e JOIN memories m ON m.mem = e.mem AND m.deleted IS NULL \
             WHERE NOT e.kept AND e.at < $1 ORDER BY e.at LIMIT $2",
            &[&before, &limit(rows)],
            |row| Ok((stored(MemoryId::parse(row.take::<String>(0)?), "memory id")?, row.take(1)?)),
        )?;
        // In the order of their ids: two sweeps that lock memories do it in one order.
        let mut of_memories: BTreeMap<MemoryId, Vec<Vec<u8>>> = BTreeMap::new();
        for (memory, id) in old {
            of_memories.entry(memory).or_default().push(id);
        }
        let mut swept = 0;
        for (memory, ids) in of_memories {
            let Some(number) = self.number(&memory)? else { continue };
            swept += self.remove_fact_events(number, &ids)?;
        }
        Ok(swept)
    }

    fn remove_fact_events(&self, memory: i64, ids: &[Vec<u8>]) -> Result<usize> {
        let gone = self.all(
            "DELETE FROM fact_events WHERE mem = $1 AND id = ANY($2) RETURNING key, kind",
            &[&memory, &ids],
            |row| Ok((row.take::<Option<Vec<u8>>>(0)?, row.take::<i16>(1)?)),
        )?;
        let retrieved = code(code_of(FactEventKind::ALL, FactEventKind::Retrieved));
        let mut retrievals: BTreeMap<&[u8], i64> = BTreeMap::new();
        for (key, _) in gone.iter().filter(|(_, kind)| *kind == retrieved) {
            if let Some(key) = key {
                *retrievals.entry(key).or_default() += 1;
            }
        }
        if !retrievals.is_empty() {
            let keys: Vec<Vec<u8>> = retrievals.keys().map(|key| key.to_vec()).collect();
            let counts: Vec<i64> = retrievals.into_values().collect();
            self.later(
                "UPDATE fact_reads AS n SET swept = n.swept + t.count FROM unnest($2::bytea[], $3::bigint[]) AS t(key, count) \
                 WHERE n.mem = $1 AND n.key = t.key",
                vec![Box::new(memory), Box::new(keys), Box::new(counts)],
            );
        }
        Ok(gone.len())
    }
}

impl FactEvents for PgTx<'_> {
    fn append(&mut self, events: &[FactEvent]) -> Result<()> {
        let mut of_memories: BTreeMap<&MemoryId, Vec<&FactEvent>> = BTreeMap::new();
        for event in events {
            of_memories.entry(&event.memory).or_default().push(event);
        }
        for (memory, events) in of_memories {
            let memory = self.need(memory)?;
            let kept = list(&events, |event| event.kind.is_kept() && event.record.is_some());
            self.insert_batch(memory, batch(&events, kept).of_new());
        }
        Ok(())
    }

    fn rewrite(&mut self, event: &FactEvent) -> Result<()> {
        let memory = self.need(&event.memory)?;
        let text = |text: &Option<String>| text.as_deref().map(plain);
        self.later(
            "UPDATE fact_events SET principal = $3, details = $4, agent = $5, session = $6, reference = $7, cause = $8 \
             WHERE mem = $1 AND id = $2",
            vec![
                Box::new(memory),
                Box::new(short_of(&event.id)),
                Box::new(plain(&event.principal)),
                Box::new(event.details.as_ref().map(|details| details.as_str().to_owned())),
                Box::new(text(&event.agent)),
                Box::new(text(&event.session)),
                Box::new(text(&event.reference)),
                Box::new(text(&event.cause)),
            ],
        );
        Ok(())
    }

    fn get(&self, memory: &MemoryId, id: &str) -> Result<Option<FactEvent>> {
        let Some(number) = self.number(memory)? else { return Ok(None) };
        let sql = format!("SELECT {EVENT_COLUMNS} FROM fact_events e WHERE e.mem = $1 AND e.id = $2");
        self.one(&sql, &[&number, &short_of(id)], |row| read(memory, row))
    }

    fn of_record(&self, memory: &MemoryId, record: &RecordId, count: usize) -> Result<Vec<FactEvent>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT {EVENT_COLUMNS} FROM fact_events e WHERE e.mem = $1 AND e.key = $2 AND e.key IS NOT NULL \
             ORDER BY e.at DESC, e.id DESC LIMIT $3"
        );
        self.all(&sql, &[&number, &key_of(record), &limit(count)], |row| read(memory, row))
    }

    fn history(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<FactEvent>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let kept: Vec<_> = FactEventKind::ALL.iter().copied().filter(|kind| kind.is_kept()).collect();
        let of_kinds = among_codes("e.kind", FactEventKind::ALL, &kept);
        let sql = format!(
            "SELECT {EVENT_COLUMNS} FROM fact_events e WHERE e.mem = $1 AND e.key = $2 AND e.key IS NOT NULL{of_kinds} \
             ORDER BY e.at, e.id"
        );
        self.all(&sql, &[&number, &key_of(record)], |row| read(memory, row))
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
             AND e.at >= $3{of_kinds} AND ($4::text IS NULL OR e.cause IS DISTINCT FROM $4) \
             ORDER BY e.at DESC, e.id DESC LIMIT 1"
        );
        self.one(&sql, &[&number, &key_of(record), &since.millis(), &but_of.map(plain)], |row| {
            read(memory, row)
        })
    }

    fn tallies(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        since: Timestamp,
    ) -> Result<Vec<FactTally>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        self.all(
            "SELECT kind, verdict, cause, count(*) FROM fact_events WHERE mem = $1 AND repository = $2 AND at >= $3 \
             GROUP BY kind, verdict, cause ORDER BY kind, verdict NULLS FIRST, cause NULLS FIRST",
            &[&number, &short_of(repository.as_str()), &since.millis()],
            |row| fact_rows::tally(&Columns(row)),
        )
    }

    fn records(&self, memory: &MemoryId, after: Option<&RecordId>, count: usize) -> Result<Vec<RecordId>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let after = after.map_or_else(Vec::new, key_of);
        let keys: Vec<Vec<u8>> = self.all(RECORDS, &[&number, &after, &limit(count)], |row| row.take(0))?;
        keys.iter().map(|key| id_of(key)).collect()
    }

    fn counts(&self, memory: &MemoryId, record: &RecordId) -> Result<Vec<(FactEventKind, u64)>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        self.all(
            "SELECT kind, count(*) FROM fact_events WHERE mem = $1 AND key = $2 AND key IS NOT NULL GROUP BY kind ORDER BY kind",
            &[&number, &key_of(record)],
            |row| fact_rows::kind_count(&Columns(row)),
        )
    }

    fn of_no_record(&self, memory: &MemoryId, after: Option<&str>, count: usize) -> Result<Vec<FactEvent>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT {EVENT_COLUMNS} FROM fact_events e WHERE e.mem = $1 AND e.key IS NULL AND e.id > $2 ORDER BY e.id LIMIT $3"
        );
        let after = after.map_or_else(Vec::new, short_of);
        self.all(&sql, &[&number, &after, &limit(count)], |row| read(memory, row))
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
                "SELECT duration FROM fact_events WHERE mem = $1 AND repository = $2 AND at >= $3 AND {TIMED} \
                 ORDER BY at DESC, id DESC LIMIT $4"
            ),
            &[&number, &short_of(repository.as_str()), &since.millis(), &limit(count)],
            |row| Ok(u32::try_from(row.take::<i64>(0)?).unwrap_or(u32::MAX)),
        )
    }
}

fn read(memory: &MemoryId, row: &Row) -> Result<FactEvent> {
    fact_rows::fact_event(memory, &Columns(row))
}
