//! The exported rows: the tables of each kind, their order, and the contents of a row.

use std::collections::BTreeMap;
use std::sync::Arc;

use loci_model::event::Branch;
use loci_model::transfer::{
    KeyPart, Moved, MovedEvent, MovedProgress, MovedRecord, MovedSession, MovedVector, TransferKey,
    TransferKind, TransferPlace, TransferRow,
};
use loci_model::{ActorId, MemoryId, Result, SessionId, StrategyId, Timestamp};
use loci_store_kit::codes::damaged;
use loci_store_kit::fact_rules::{EVENT_COLUMNS as FACT_EVENT_COLUMNS, FACT_COLUMNS};
use loci_store_kit::moved_rows;
use loci_store_kit::row_readers::{self, EventOf};
use loci_store_kit::tables::{exchanges, jobs};
use loci_store_kit::transfer::{PAGE_BYTES_MAX, key, moved_vector, page};
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use crate::columns::Columns;
use crate::digests::Key16;
use crate::errors::stored;
use crate::half_vectors::Halves;
use crate::tables::deliveries;
use crate::tables::events::rows::{
    COLUMN_COUNT, COLUMNS as EVENT_COLUMNS, FROM, PAYLOAD, read as read_event,
};
use crate::tables::records::rows::{RECORDS, placed};
use crate::tx::{Column, OwnedValues, PgTx, borrowed, limit, uint, unsigned};

/// The source of the rows of a kind. `$1` is the memory.
struct Shape {
    /// The columns for the reader of the kind.
    columns: String,
    /// The tables and the owner.
    from: String,
    /// The condition for rows after the key at `$2` and following.
    behind: &'static str,
    /// The order; each part is ascending.
    order: &'static [&'static str],
    /// The key of a row.
    key: &'static str,
    /// The potentially long column.
    long: Option<&'static str>,
}

impl Shape {
    /// Returns a shape without long columns.
    fn short(
        columns: &str,
        from: &str,
        behind: &'static str,
        order: &'static [&'static str],
        key: &'static str,
    ) -> Self {
        Self { columns: columns.to_owned(), from: from.to_owned(), behind, order, key, long: None }
    }

    fn of(kind: TransferKind) -> Self {
        let new = Self::short;
        match kind {
            // Memories are read by their transfer state.
            TransferKind::Memory => {
                new("m.id", "memories m WHERE m.mem = $1", "m.id > $2", &["m.id"], "m.id")
            }
            TransferKind::Groups => new(
                "g.normal, g.strategy, g.sequence",
                "groups g WHERE g.mem = $1",
                "(g.normal, g.strategy) > ($2, $3)",
                &["g.normal", "g.strategy"],
                "g.normal, g.strategy",
            ),
            TransferKind::Sessions => new(
                "s.sess, s.actor, s.session, s.created, s.ends",
                "sessions s WHERE s.mem = $1",
                "s.actor >= $2 AND (s.actor, s.session) > ($2, $3)",
                &["s.actor", "s.session"],
                "s.actor, s.session",
            ),
            TransferKind::Places => new(
                "p.time, p.place",
                "event_places p WHERE p.mem = $1",
                "p.time > $2",
                &["p.time"],
                "p.time",
            ),
            TransferKind::Turns => new(
                "s.actor, s.session, t.run, t.number, t.digest",
                "sessions s JOIN turns t ON t.mem = s.mem AND t.sess = s.sess WHERE s.mem = $1",
                "s.actor >= $2 AND (s.actor, s.session, t.run, t.number, t.digest) > ($2, $3, $4, $5, $6)",
                &["s.actor", "s.session", "t.run", "t.number", "t.digest"],
                "s.actor, s.session, t.run, t.number, t.digest",
            ),
            TransferKind::Tokens => new(
                "t.digest, t.parameters, t.answer, t.expires",
                "tokens t WHERE t.mem = $1",
                "t.digest > $2",
                &["t.digest"],
                "t.digest",
            ),
            TransferKind::Keys => {
                new("k.body", "access_keys k WHERE $1::bigint = 0", "k.id > $2", &["k.id"], "k.id")
            }
            TransferKind::Jobs => {
                let columns = jobs::COLUMNS.replace("j.state", "(j.state % 10)::smallint");
                let columns = format!("j.memory, {columns}");
                new(&columns, "jobs j WHERE j.mem = $1", "j.id > $2", &["j.id"], "j.id")
            }
            TransferKind::Changes
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
            | TransferKind::Objects => Self::beside_records(kind),
            TransferKind::Events
            | TransferKind::Records
            | TransferKind::Versions
            | TransferKind::Exchanges
            | TransferKind::Deliveries => Self::of_long(kind),
        }
    }

    /// Returns the shape of tables that depend on records.
    fn beside_records(kind: TransferKind) -> Self {
        let (columns, from, behind, order, key): (_, _, _, &[&str], _) = match kind {
            TransferKind::Changes => (
                "t.key, t.number, t.at, t.version, t.source, t.target, t.reason, t.by",
                "telemetry t WHERE t.mem = $1",
                "(t.key, t.number) > ($2, $3)",
                &["t.key", "t.number"],
                "t.key, t.number",
            ),
            TransferKind::Repositories => {
                ("r.body", "repositories r WHERE r.mem = $1", "r.id > $2", &["r.id"], "r.id")
            }
            TransferKind::Facts => (
                FACT_COLUMNS,
                "facts f JOIN fact_reads n ON n.mem = f.mem AND n.key = f.key WHERE f.mem = $1",
                "f.key > $2",
                &["f.key"],
                "f.key",
            ),
            TransferKind::Tasks => ("t.body", "tasks t WHERE t.mem = $1", "t.id > $2", &["t.id"], "t.id"),
            TransferKind::Exposures => {
                ("x.body", "exposures x WHERE x.mem = $1", "x.id > $2", &["x.id"], "x.id")
            }
            TransferKind::Prompts => {
                ("p.body", "prompts p WHERE p.mem = $1", "p.version > $2", &["p.version"], "p.version")
            }
            TransferKind::TaskSessions => {
                ("t.body", "task_sessions t WHERE t.mem = $1", "t.task > $2", &["t.task"], "t.task")
            }
            TransferKind::SessionItems => (
                "i.body",
                "session_items i WHERE i.mem = $1",
                "(i.task, i.seq) > ($2, $3)",
                &["i.task", "i.seq"],
                "i.task, i.seq",
            ),
            TransferKind::Ledger => (
                "l.body",
                "ledger l WHERE l.mem = $1",
                "(l.shelf, l.key) > ($2, $3)",
                &["l.shelf", "l.key"],
                "l.shelf, l.key",
            ),
            TransferKind::Objects => {
                ("o.body, o.content", "objects o WHERE o.mem = $1", "o.key > $2", &["o.key"], "o.key")
            }
            TransferKind::Commits => (
                "c.body",
                "commits c WHERE c.mem = $1",
                "(c.actor, c.sha) > ($2, $3)",
                &["c.actor", "c.sha"],
                "c.actor, c.sha",
            ),
            _ => (FACT_EVENT_COLUMNS, "fact_events e WHERE e.mem = $1", "e.id > $2", &["e.id"], "e.id"),
        };
        let long = match kind {
            TransferKind::Facts => Some("f.body"),
            TransferKind::Tasks => Some("t.body"),
            TransferKind::Exposures => Some("x.body"),
            TransferKind::Commits => Some("c.body"),
            TransferKind::Prompts => Some("p.body"),
            TransferKind::TaskSessions => Some("t.body"),
            TransferKind::SessionItems => Some("i.body"),
            TransferKind::Ledger => Some("l.body"),
            TransferKind::Objects => Some("o.content"),
            _ => None,
        };
        Self { columns: columns.to_owned(), from: from.to_owned(), behind, order, key, long }
    }

    /// Returns the shape of kinds with long rows.
    fn of_long(kind: TransferKind) -> Self {
        let (columns, from, behind, order, key, long): (_, _, _, &[&str], _, _) = match kind {
            TransferKind::Events => (
                format!("{EVENT_COLUMNS}, {PAYLOAD}, s.actor, s.session, e.deleted"),
                format!("{FROM} JOIN sessions s ON s.mem = e.mem AND s.sess = e.sess WHERE e.mem = $1"),
                "e.arrival > $2",
                &["e.arrival"],
                "e.arrival",
                "e.payload",
            ),
            TransferKind::Records => {
                let (columns, _) = RECORDS.split_once(" FROM ").unwrap_or_default();
                (
                    columns.trim_start_matches("SELECT ").to_owned(),
                    "records r WHERE r.mem = $1".to_owned(),
                    "r.key > $2",
                    &["r.key"],
                    "r.key",
                    "r.body",
                )
            }
            TransferKind::Versions => (
                "v.body, v.until".to_owned(),
                "record_versions v WHERE v.mem = $1".to_owned(),
                "(v.key, v.version) > ($2, $3::bigint)",
                &["v.key", "v.version"],
                "v.key, v.version",
                "v.body",
            ),
            TransferKind::Exchanges => (
                format!("x.memory, {}", exchanges::COLUMNS),
                "exchanges x WHERE x.mem = $1".to_owned(),
                "x.place > (SELECT place FROM exchanges WHERE mem = $1 AND id = $2)",
                &["x.place"],
                "x.id",
                "x.input",
            ),
            // One direction at a time, as in their index.
            _ => (
                deliveries::COLUMNS.replace("d.state", "(d.state % 10)::smallint"),
                "deliveries d WHERE d.mem = $1".to_owned(),
                "d.direction = $2::bigint AND d.place > coalesce((SELECT place FROM deliveries \
                 WHERE mem = $1 AND direction = $2::bigint AND id = $3), 0)",
                &["d.direction", "d.place"],
                "d.direction, d.id",
                "d.body",
            ),
        };
        Self { columns, from, behind, order, key, long: Some(long) }
    }

    /// Returns the query for these columns of a page after a key with `parts` parts. The last
    /// placeholder is the limit.
    fn page(&self, columns: &str, parts: usize) -> String {
        let Self { from, behind, order, .. } = self;
        let behind = if parts == 0 { String::new() } else { format!(" AND {behind}") };
        format!("SELECT {columns} FROM {from}{behind} ORDER BY {} LIMIT ${}", order.join(", "), parts + 2)
    }
}

fn value(part: &KeyPart) -> Box<dyn ToSql + Sync + Send> {
    match part {
        KeyPart::Number(number) => Box::new(*number),
        KeyPart::Text(text) => Box::new(text.clone()),
        KeyPart::Bytes(bytes) => Box::new(bytes.clone()),
    }
}

fn key_part(row: &Row, place: usize) -> Result<KeyPart> {
    let kind = row.columns().get(place).map(tokio_postgres::Column::type_);
    Ok(match kind {
        Some(&Type::INT8) => KeyPart::Number(row.take(place)?),
        Some(&Type::INT4) => KeyPart::Number(row.take::<i32>(place)?.into()),
        Some(&Type::INT2) => KeyPart::Number(row.take::<i16>(place)?.into()),
        Some(&Type::BYTEA) => KeyPart::Bytes(row.take(place)?),
        Some(_) | None => KeyPart::Text(row.take(place)?),
    })
}

/// Rows of other tables that the rows of a page need.
#[derive(Default)]
struct DependentRows {
    models: BTreeMap<i64, Arc<str>>,
    vectors: BTreeMap<Vec<u8>, Vec<MovedVector>>,
    branches: BTreeMap<Key16, Vec<Branch>>,
    progress: BTreeMap<Key16, Vec<MovedProgress>>,
}

impl PgTx<'_> {
    pub(super) fn count_rows(&self, number: i64, kind: TransferKind) -> Result<u64> {
        let sql = format!("SELECT count(*) FROM {}", Shape::of(kind).from);
        Ok(unsigned(self.one(&sql, &[&number], |row| row.take(0))?.unwrap_or(0)))
    }

    pub(super) fn last_row(&self, number: i64, kind: TransferKind) -> Result<Option<TransferKey>> {
        let Shape { from, order, key, .. } = Shape::of(kind);
        let order: Vec<String> = order.iter().map(|part| format!("{part} DESC")).collect();
        let sql = format!("SELECT {key} FROM {from} ORDER BY {} LIMIT 1", order.join(", "));
        self.one(&sql, &[&number], |row| {
            (0..row.len()).map(|place| key_part(row, place)).collect::<Result<_>>().map(TransferKey)
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
        let shape = Shape::of(kind);
        let count = self.fitting(&shape, number, after, count)?;
        let rows = self.page(&shape, &shape.columns, number, after, count)?;
        let beside = self.beside(kind, number, &rows)?;
        rows.iter()
            .map(|row| {
                let moved = match place {
                    TransferPlace::Memory(memory) => row_of_memory(memory, kind, row, &beside)?,
                    TransferPlace::Server => moved_rows::of_server(kind, &Columns(row))?,
                }
                .shared();
                Ok(TransferRow { key: key(&moved), moved })
            })
            .collect()
    }

    fn page(
        &self,
        shape: &Shape,
        columns: &str,
        number: i64,
        after: &[KeyPart],
        count: usize,
    ) -> Result<Vec<Row>> {
        let mut values: OwnedValues = vec![Box::new(number)];
        values.extend(after.iter().map(value));
        values.push(Box::new(limit(count)));
        self.rows(&shape.page(columns, after.len()), &borrowed(&values))
    }

    /// Returns the number of rows that fit into a page; at least one.
    fn fitting(&self, shape: &Shape, number: i64, after: &[KeyPart], count: usize) -> Result<usize> {
        let Some(long) = shape.long else { return Ok(count) };
        let sizes = self.page(shape, &format!("octet_length({long})"), number, after, count)?;
        let (mut fitting, mut bytes) = (0, 0_usize);
        for row in &sizes {
            bytes = bytes.saturating_add(usize::try_from(row.take::<i32>(0)?).unwrap_or(0));
            fitting += 1;
            if bytes >= PAGE_BYTES_MAX {
                break;
            }
        }
        Ok(fitting.max(1))
    }

    fn beside(&self, kind: TransferKind, number: i64, rows: &[Row]) -> Result<DependentRows> {
        let mut beside = DependentRows::default();
        if rows.is_empty() {
            return Ok(beside);
        }
        if kind == TransferKind::Records {
            beside.models = self.models()?.into_iter().map(|(model, id)| (model, Arc::from(id))).collect();
            let keys = rows.iter().map(|row| row.take(0)).collect::<Result<Vec<Vec<u8>>>>()?;
            let sql = "SELECT key, part, model, vector FROM vectors WHERE mem = $1 AND key = ANY($2) ORDER BY key, part";
            for row in &self.rows(sql, &[&number, &keys])? {
                let model = beside.models.get(&row.take(2)?).ok_or_else(|| damaged("vector"))?;
                let stored = row.take::<Halves>(3)?.stored(Arc::clone(model));
                let vector = moved_vector(uint(row.take::<i32>(1)?), stored);
                beside.vectors.entry(row.take(0)?).or_default().push(vector);
            }
        }
        if kind == TransferKind::Sessions {
            let sessions = rows.iter().map(|row| row.take(0)).collect::<Result<Vec<Key16>>>()?;
            let of = "WHERE mem = $1 AND sess = ANY($2) ORDER BY sess,";
            let branches = format!("SELECT sess, name, root FROM branches {of} name");
            let progress = format!("SELECT sess, strategy, arrival FROM progress {of} strategy");
            let values: crate::connection::Values<'_> = &[&number, &sessions];
            let (branches, progress) = self.two((&branches, values), (&progress, values))?;
            for row in &branches {
                let branch = row_readers::branch(&Columns(row), 1)?;
                beside.branches.entry(row.take(0)?).or_default().push(branch);
            }
            for row in &progress {
                let strategy = stored(StrategyId::parse(row.take::<String>(1)?), "strategy")?;
                let arrival = unsigned(row.take(2)?);
                beside.progress.entry(row.take(0)?).or_default().push(MovedProgress { strategy, arrival });
            }
        }
        Ok(beside)
    }
}

fn row_of_memory(memory: &MemoryId, kind: TransferKind, row: &Row, beside: &DependentRows) -> Result<Moved> {
    match kind {
        TransferKind::Sessions => Ok(Moved::Session(Box::new(session(row, beside)?))),
        TransferKind::Events => Ok(Moved::Event(Box::new(event(memory, row)?))),
        TransferKind::Records => Ok(Moved::Record(Box::new(record(row, beside)?))),
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

fn session(row: &Row, beside: &DependentRows) -> Result<MovedSession> {
    let key: Key16 = row.take(0)?;
    Ok(MovedSession {
        actor: stored(ActorId::parse(row.take::<String>(1)?), "actor")?,
        session: stored(SessionId::parse(row.take::<String>(2)?), "session")?,
        created: row.take::<Option<i64>>(3)?.map(Timestamp::clamped),
        ends: Timestamp::clamped(row.take(4)?),
        branches: beside.branches.get(&key).cloned().unwrap_or_default(),
        progress: beside.progress.get(&key).cloned().unwrap_or_default(),
    })
}

fn event(memory: &MemoryId, row: &Row) -> Result<MovedEvent> {
    let actor = stored(ActorId::parse(row.take::<String>(COLUMN_COUNT)?), "actor")?;
    let session = stored(SessionId::parse(row.take::<String>(COLUMN_COUNT + 1)?), "session")?;
    let event = read_event(EventOf { memory, actor: &actor, session: &session }, row, true)?;
    Ok(MovedEvent { event, deleted: row.take(COLUMN_COUNT + 2)? })
}

fn record(row: &Row, beside: &DependentRows) -> Result<MovedRecord> {
    let found = placed(row)?;
    Ok(MovedRecord {
        stated: found.stated,
        left_at: found.stored.left_at,
        gone: found.stored.gone,
        record: found.stored.record,
        vectors: beside.vectors.get(row.take::<&[u8]>(0)?).cloned().unwrap_or_default(),
    })
}
