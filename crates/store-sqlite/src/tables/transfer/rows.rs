//! The exported rows: the tables of each kind, their order, and the contents of a row. The numbers
//! of memories, sessions, groups and models in this file are not exported.

use std::collections::BTreeMap;

use loci_index::StoredVector;
use loci_model::transfer::{
    KeyPart, Moved, MovedEvent, MovedProgress, MovedRecord, MovedSession, MovedVector, TransferKey,
    TransferKind, TransferPlace, TransferRow,
};
use loci_model::{ActorId, MemoryId, Result, SessionId, StrategyId, Timestamp};
use loci_store_kit::fact_rules::{EVENT_COLUMNS as FACT_EVENT_COLUMNS, FACT_COLUMNS};
use loci_store_kit::tables::exchanges::{self, ExchangeRows as _};
use loci_store_kit::tables::jobs::{self, JobQueue as _};
use loci_store_kit::transfer::{PAGE_BYTES_MAX, key, moved_vector, page};
use loci_store_kit::{moved_rows, row_readers};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Row, params_from_iter};

use crate::columns::Columns;
use crate::errors::{Sql, damaged, stored};
use crate::tables::deliveries;
use crate::tables::events::rows::{COLUMNS as EVENT_COLUMNS, EventReader, PAYLOAD};
use crate::tables::records::rows::{COLUMNS as RECORD_COLUMNS, RECORDS, read as read_record};
use crate::tx::{Column, SqlTx, limit, unsigned};

/// The source of the rows of a kind. `?1` is the memory.
struct Shape {
    /// The columns for the reader of the kind.
    columns: String,
    /// The tables and the owner.
    from: String,
    /// The condition for rows after the key at `?2` and following.
    behind: &'static str,
    /// The order; each part is ascending.
    order: &'static [&'static str],
    /// The key of a row.
    key: &'static str,
}

impl Shape {
    fn new(
        columns: &str,
        from: &str,
        behind: &'static str,
        order: &'static [&'static str],
        key: &'static str,
    ) -> Self {
        Self { columns: columns.to_owned(), from: from.to_owned(), behind, order, key }
    }

    fn of(kind: TransferKind) -> Self {
        let new = Self::new;
        match kind {
            // Memories are read by their transfer state.
            TransferKind::Memory => {
                new("m.id", "memories m WHERE m.num = ?1", "m.id > ?2", &["m.id"], "m.id")
            }
            TransferKind::Groups => new(
                "g.normal, g.strategy, g.sequence",
                "groups g WHERE g.mem = ?1",
                "(g.normal, g.strategy) > (?2, ?3)",
                &["g.normal", "g.strategy"],
                "g.normal, g.strategy",
            ),
            TransferKind::Sessions => new(
                "s.num, s.actor, s.session, s.created, s.ends",
                "sessions s WHERE s.mem = ?1",
                "(s.actor, s.session) > (?2, ?3)",
                &["s.actor", "s.session"],
                "s.actor, s.session",
            ),
            TransferKind::Places => new(
                "p.time, p.place",
                "event_places p WHERE p.mem = ?1",
                "p.time > ?2",
                &["p.time"],
                "p.time",
            ),
            TransferKind::Turns => new(
                "s.actor, s.session, t.run, t.number, t.digest",
                "sessions s CROSS JOIN turns t ON t.sess = s.num WHERE s.mem = ?1",
                "s.actor >= ?2 AND (s.actor, s.session, t.run, t.number, t.digest) > (?2, ?3, ?4, ?5, ?6)",
                &["s.actor", "s.session", "t.run", "t.number", "t.digest"],
                "s.actor, s.session, t.run, t.number, t.digest",
            ),
            TransferKind::Events => new(
                "e.num, s.num, s.actor, s.session, e.deleted, octet_length(e.payload)",
                "events e CROSS JOIN sessions s ON s.num = e.sess WHERE e.num >= ?1 << 40 AND e.num < (?1 + 1) << 40",
                "e.num > (?1 << 40) + ?2",
                &["e.num"],
                "e.num & ((1 << 40) - 1)",
            ),
            TransferKind::Tokens => new(
                "t.digest, t.parameters, t.answer, t.expires",
                "tokens t WHERE t.mem = ?1",
                "t.digest > ?2",
                &["t.digest"],
                "t.digest",
            ),
            TransferKind::Keys => new("k.body", "access_keys k WHERE ?1 = 0", "k.id > ?2", &["k.id"], "k.id"),
            TransferKind::Records | TransferKind::Versions | TransferKind::Changes => Self::of_records(kind),
            TransferKind::Repositories
            | TransferKind::Facts
            | TransferKind::FactEvents
            | TransferKind::Tasks
            | TransferKind::Exposures
            | TransferKind::Commits
            | TransferKind::Prompts
            | TransferKind::TaskSessions
            | TransferKind::SessionItems
            | TransferKind::Ledger
            | TransferKind::Objects => Self::of_facts(kind),
            TransferKind::Jobs | TransferKind::Exchanges | TransferKind::Deliveries => Self::of_work(kind),
        }
    }

    fn of_facts(kind: TransferKind) -> Self {
        let (columns, from, behind, order, key): (_, _, _, &[&str], _) = match kind {
            TransferKind::Repositories => {
                ("r.body", "repositories r WHERE r.mem = ?1", "r.id > ?2", &["r.id"], "r.id")
            }
            TransferKind::Facts => (
                FACT_COLUMNS,
                "records r CROSS JOIN facts f ON f.num = r.num CROSS JOIN fact_reads n ON n.num = f.num WHERE r.mem = ?1",
                "r.key > ?2",
                &["r.key"],
                "r.key",
            ),
            TransferKind::Tasks => ("t.body", "tasks t WHERE t.mem = ?1", "t.id > ?2", &["t.id"], "t.id"),
            TransferKind::Exposures => {
                ("x.body", "exposures x WHERE x.mem = ?1", "x.id > ?2", &["x.id"], "x.id")
            }
            TransferKind::Prompts => {
                ("p.body", "prompts p WHERE p.mem = ?1", "p.version > ?2", &["p.version"], "p.version")
            }
            TransferKind::TaskSessions => {
                ("t.body", "task_sessions t WHERE t.mem = ?1", "t.task > ?2", &["t.task"], "t.task")
            }
            TransferKind::SessionItems => (
                "i.body",
                "session_items i WHERE i.mem = ?1",
                "(i.task, i.seq) > (?2, ?3)",
                &["i.task", "i.seq"],
                "i.task, i.seq",
            ),
            TransferKind::Ledger => (
                "l.body",
                "ledger l WHERE l.mem = ?1",
                "(l.shelf, l.key) > (?2, ?3)",
                &["l.shelf", "l.key"],
                "l.shelf, l.key",
            ),
            TransferKind::Objects => {
                ("o.body, o.content", "objects o WHERE o.mem = ?1", "o.key > ?2", &["o.key"], "o.key")
            }
            TransferKind::Commits => (
                "c.body",
                "commits c WHERE c.mem = ?1",
                "(c.actor, c.sha) > (?2, ?3)",
                &["c.actor", "c.sha"],
                "c.actor, c.sha",
            ),
            _ => (FACT_EVENT_COLUMNS, "fact_events e WHERE e.mem = ?1", "e.id > ?2", &["e.id"], "e.id"),
        };
        Self { columns: columns.to_owned(), from: from.to_owned(), behind, order, key }
    }

    fn of_records(kind: TransferKind) -> Self {
        if kind == TransferKind::Records {
            let (columns, from) = RECORDS.split_once(" FROM ").unwrap_or_default();
            return Self {
                columns: format!("{}, r.stated", columns.trim_start_matches("SELECT ")),
                from: format!("{} WHERE r.mem = ?1", from.replace(" JOIN ", " CROSS JOIN ")),
                behind: "r.key > ?2",
                order: &["r.key"],
                key: "r.key",
            };
        }
        let (columns, from, behind, order, key): (_, _, _, &[&str], _) = if kind == TransferKind::Versions {
            (
                "v.body, v.until",
                "records r CROSS JOIN record_versions v ON v.rec = r.num WHERE r.mem = ?1",
                "r.key >= ?2 AND (r.key, v.version) > (?2, ?3)",
                &["r.key", "v.version"],
                "r.key, v.version",
            )
        } else {
            (
                "r.key, t.number, t.at, t.version, t.source, t.target, t.reason, t.by",
                "records r CROSS JOIN telemetry t ON t.rec = r.num WHERE r.mem = ?1",
                "r.key >= ?2 AND (r.key, t.number) > (?2, ?3)",
                &["r.key", "t.number"],
                "r.key, t.number",
            )
        };
        Self { columns: columns.to_owned(), from: from.to_owned(), behind, order, key }
    }

    /// Returns the shape of work: jobs by id; exchanges and deliveries in order of arrival, which
    /// is significant.
    fn of_work(kind: TransferKind) -> Self {
        let (columns, from, letter) = match kind {
            TransferKind::Jobs => (jobs::COLUMNS, SqlTx::JOBS, "j"),
            TransferKind::Exchanges => (exchanges::COLUMNS, SqlTx::EXCHANGES, "x"),
            _ => (deliveries::COLUMNS, deliveries::FROM, "d"),
        };
        let from = from.replace(" AND m.deleted IS NULL", "").replace(" JOIN ", " CROSS JOIN ");
        let (behind, order, key): (_, &[&str], _) = match kind {
            TransferKind::Jobs => ("j.id > ?2", &["j.id"], "j.id"),
            TransferKind::Exchanges => {
                ("x.num > (SELECT num FROM exchanges WHERE mem = ?1 AND id = ?2)", &["x.num"], "x.id")
            }
            // One direction at a time, as in their index.
            _ => (
                "d.direction = ?2 AND d.num > \
                 coalesce((SELECT num FROM deliveries WHERE mem = ?1 AND direction = ?2 AND id = ?3), 0)",
                &["d.direction", "d.num"],
                "d.direction, d.id",
            ),
        };
        // The state without the mark of a parked row.
        let parked = format!("{letter}.state");
        let columns = format!("m.id, {}", columns.replace(&parked, &format!("{parked} % 10")));
        Self { columns, from: format!("{from} WHERE {letter}.mem = ?1"), behind, order, key }
    }

    /// Returns the query for a page after a key with `parts` parts. The last placeholder is the
    /// limit.
    fn page(&self, parts: usize) -> String {
        let Self { columns, from, behind, order, .. } = self;
        let behind = if parts == 0 { String::new() } else { format!(" AND {behind}") };
        format!("SELECT {columns} FROM {from}{behind} ORDER BY {} LIMIT ?{}", order.join(", "), parts + 2)
    }
}

fn value(part: &KeyPart) -> Value {
    match part {
        KeyPart::Number(number) => Value::Integer(*number),
        KeyPart::Text(text) => Value::Text(text.clone()),
        KeyPart::Bytes(bytes) => Value::Blob(bytes.clone()),
    }
}

fn key_part(value: ValueRef<'_>) -> Result<KeyPart> {
    match value {
        ValueRef::Integer(number) => Ok(KeyPart::Number(number)),
        ValueRef::Text(text) => Ok(KeyPart::Text(stored(String::from_utf8(text.to_vec()), "key")?)),
        ValueRef::Blob(bytes) => Ok(KeyPart::Bytes(bytes.to_vec())),
        ValueRef::Null | ValueRef::Real(_) => Err(damaged("key")),
    }
}

impl SqlTx<'_> {
    pub(super) fn count_rows(&self, number: i64, kind: TransferKind) -> Result<u64> {
        let sql = format!("SELECT count(*) FROM {}", Shape::of(kind).from);
        Ok(unsigned(self.one(&sql, [number], |row| row.take(0))?.unwrap_or(0)))
    }

    pub(super) fn last_row(&self, number: i64, kind: TransferKind) -> Result<Option<TransferKey>> {
        let Shape { from, order, key, .. } = Shape::of(kind);
        let order: Vec<String> = order.iter().map(|part| format!("{part} DESC")).collect();
        let sql = format!("SELECT {key} FROM {from} ORDER BY {} LIMIT 1", order.join(", "));
        self.one(&sql, [number], |row| {
            let parts = 0..row.as_ref().column_count();
            parts.map(|part| key_part(row.get_ref(part).sql()?)).collect::<Result<_>>().map(TransferKey)
        })
    }

    pub(super) fn dump_rows(
        &self,
        place: &TransferPlace,
        number: i64,
        kind: TransferKind,
        after: Option<&TransferKey>,
        count: usize,
    ) -> Result<Vec<TransferRow>> {
        page(kind, after, |after| self.rows_behind(place, number, kind, after, count))
    }

    fn rows_behind(
        &self,
        place: &TransferPlace,
        number: i64,
        kind: TransferKind,
        after: &[KeyPart],
        count: usize,
    ) -> Result<Vec<TransferRow>> {
        let sql = Shape::of(kind).page(after.len());
        let mut values = vec![Value::Integer(number)];
        values.extend(after.iter().map(value));
        values.push(Value::Integer(limit(count)));
        let models = if kind == TransferKind::Records { self.models()? } else { BTreeMap::new() };
        let (mut out, mut bytes) = (Vec::new(), 0_usize);
        self.each(&sql, params_from_iter(&values), |row| {
            let moved = match place {
                TransferPlace::Memory(memory) => self.row_of_memory(memory, kind, row, &models)?,
                TransferPlace::Server => moved_rows::of_server(kind, &Columns(row))?,
            }
            .shared();
            bytes = bytes.saturating_add(moved.bytes());
            out.push(TransferRow { key: key(&moved), moved });
            Ok(bytes < PAGE_BYTES_MAX)
        })?;
        Ok(out)
    }

    fn row_of_memory(
        &self,
        memory: &MemoryId,
        kind: TransferKind,
        row: &Row<'_>,
        models: &BTreeMap<i64, String>,
    ) -> Result<Moved> {
        match kind {
            TransferKind::Sessions => Ok(Moved::Session(Box::new(self.session_row(row)?))),
            TransferKind::Events => Ok(Moved::Event(Box::new(self.event_row(memory, row)?))),
            TransferKind::Records => Ok(Moved::Record(Box::new(self.record_row(memory, row, models)?))),
            TransferKind::Memory
            | TransferKind::Groups
            | TransferKind::Places
            | TransferKind::Turns
            | TransferKind::Versions
            | TransferKind::Changes
            | TransferKind::Repositories
            | TransferKind::Facts
            | TransferKind::FactEvents
            | TransferKind::Tasks
            | TransferKind::Exposures
            | TransferKind::Commits
            | TransferKind::Prompts
            | TransferKind::TaskSessions
            | TransferKind::SessionItems
            | TransferKind::Ledger
            | TransferKind::Objects
            | TransferKind::Tokens
            | TransferKind::Jobs
            | TransferKind::Exchanges
            | TransferKind::Deliveries
            | TransferKind::Keys => moved_rows::of_memory(memory, kind, &Columns(row)),
        }
    }

    fn session_row(&self, row: &Row<'_>) -> Result<MovedSession> {
        let number: i64 = row.take(0)?;
        let branches = "SELECT name, root FROM branches WHERE sess = ?1 ORDER BY name";
        let progress = "SELECT strategy, arrival FROM progress WHERE sess = ?1 ORDER BY strategy";
        Ok(MovedSession {
            actor: stored(ActorId::parse(row.take::<String>(1)?), "actor")?,
            session: stored(SessionId::parse(row.take::<String>(2)?), "session")?,
            created: row.take::<Option<i64>>(3)?.map(Timestamp::clamped),
            ends: Timestamp::clamped(row.take(4)?),
            branches: self.all(branches, [number], |row| row_readers::branch(&Columns(row), 0))?,
            progress: self.all(progress, [number], |row| {
                let strategy = stored(StrategyId::parse(row.take::<String>(0)?), "strategy")?;
                Ok(MovedProgress { strategy, arrival: unsigned(row.take(1)?) })
            })?,
        })
    }

    fn event_row(&self, memory: &MemoryId, row: &Row<'_>) -> Result<MovedEvent> {
        let (number, session): (i64, i64) = (row.take(0)?, row.take(1)?);
        let actor = stored(ActorId::parse(row.take::<String>(2)?), "actor")?;
        let name = stored(SessionId::parse(row.take::<String>(3)?), "session")?;
        let reader = EventReader::new(self, memory, &actor, &name, session)?;
        let sql = format!("SELECT {EVENT_COLUMNS}, {PAYLOAD} FROM events e WHERE e.num = ?1");
        let event =
            self.one(&sql, [number], |row| reader.read(row, true))?.ok_or_else(|| damaged("event"))?;
        Ok(MovedEvent { event, deleted: row.take(4)? })
    }

    fn record_row(
        &self,
        memory: &MemoryId,
        row: &Row<'_>,
        models: &BTreeMap<i64, String>,
    ) -> Result<MovedRecord> {
        let found = read_record(memory, row)?;
        let mut vectors: Vec<MovedVector> = Vec::new();
        for (part, model, scale, bytes) in self.vectors_of(found.number)? {
            let model = models.get(&model).ok_or_else(|| damaged("vector"))?;
            let values = bytes.into_iter().map(u8::cast_signed).collect();
            vectors.push(moved_vector(part, StoredVector { model: model.as_str().into(), scale, values }));
        }
        Ok(MovedRecord {
            record: found.record,
            stated: Timestamp::clamped(row.take(RECORD_COLUMNS)?),
            left_at: found.left_at,
            gone: found.gone,
            vectors,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::events::rows::ARRIVAL_BITS;

    /// The cost of a page depends on its size: no query sorts the rows after it. Exchanges are few.
    #[test]
    fn pages_come_in_order() {
        let mut connection = rusqlite::Connection::open_in_memory().unwrap();
        crate::migrate::migrate(&mut connection).unwrap();
        for kind in TransferKind::ALL.iter().filter(|kind| **kind != TransferKind::Exchanges) {
            let shape = Shape::of(*kind);
            let first = if *kind == TransferKind::Deliveries { 2 } else { 0 };
            for parts in [first, shape.order.len()] {
                let sql = format!("EXPLAIN QUERY PLAN {}", shape.page(parts));
                let mut statement = connection.prepare(&sql).unwrap();
                let values = vec![Value::Integer(1); parts + 2];
                let mut rows = statement.query(params_from_iter(values)).unwrap();
                while let Some(row) = rows.next().unwrap() {
                    let step: String = row.get(3).unwrap();
                    let scans = step.starts_with("SCAN") && *kind != TransferKind::Keys;
                    assert!(!step.contains("TEMP B-TREE") && !scans, "{kind:?}: {step}");
                }
            }
        }
        assert_eq!(ARRIVAL_BITS, 40, "as in the shape of events");
    }
}
