//! The graph of a great memory's vectors of one model: a partial HNSW index on the partition that holds them. Small memories
//! pay for none, and a walk meets no vector of another memory. Made beside everything else, by whoever first misses it.

use loci_model::{Error, Result};

use crate::connection::{Connection, Step};
use crate::tx::{Column, PgTx};
use crate::writing;

/// Dimensions that pgvector's index of `halfvec` takes.
const DIMENSIONS_MAX: usize = 4_000;

/// A graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Graph {
    pub(super) memory: i64,
    pub(super) model: i64,
    pub(super) dimensions: usize,
}

impl Graph {
    /// False where vectors are too long for one.
    pub(super) fn is_possible(&self) -> bool {
        self.dimensions <= DIMENSIONS_MAX
    }

    fn name(&self) -> String {
        format!("graph_{:x}_{:x}_{}", self.memory, self.model, self.dimensions)
    }
}

/// A graph that a question missed, and when: the database's time in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lacking {
    pub(crate) graph: Graph,
    pub(crate) now_ms: i64,
}

/// Whether an index is there, and may be used.
const STATE: &str = "SELECT i.indisvalid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid JOIN pg_namespace n \
                     ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relname = $1";

/// Nothing where the graph is there and whole.
pub(super) fn lacking(tx: &PgTx<'_>, graph: &Graph) -> Result<Option<Lacking>> {
    let sql = format!("SELECT ({STATE}), (extract(epoch FROM clock_timestamp()) * 1000)::bigint");
    let found =
        tx.one(&sql, &[&graph.name()], |row| Ok((row.take::<Option<bool>>(0)?, row.take::<i64>(1)?)))?;
    Ok(match found {
        Some((Some(true), _)) => None,
        Some((Some(false) | None, now_ms)) => Some(Lacking { graph: *graph, now_ms }),
        None => Some(Lacking { graph: *graph, now_ms: 0 }),
    })
}

/// Makes a graph, unless somebody else does at this moment, and removes those of memories that are gone. Takes minutes for a
/// million vectors; writes go on meanwhile. False where the graph is not there after it: another makes it, or the model has
/// no vectors.
pub(crate) fn make(connection: &mut Connection, graph: &Graph) -> Result<bool> {
    connection.wait_long();
    run(connection, "SET statement_timeout = 0; SET lock_timeout = 0; SET maintenance_work_mem = '512MB'")?;
    let sql = "SELECT pg_try_advisory_lock($1)";
    let is_mine = writing::ask(connection, |tx| tx.one(sql, &[&graph.memory], |row| row.take::<bool>(0)));
    let outcome = match is_mine {
        Ok(Some(true)) => made(connection, graph).and_then(|made| sweep(connection).map(|()| made)),
        Ok(Some(false) | None) => Ok(false),
        Err(error) => Err(error),
    };
    // The settings and the lock go with the connection.
    connection.forget();
    outcome
}

pub(super) fn made(connection: &mut Connection, graph: &Graph) -> Result<bool> {
    let name = graph.name();
    let state = writing::ask(connection, |tx| tx.one(STATE, &[&name], |row| row.take::<bool>(0)))?;
    match state {
        Some(true) => return Ok(true),
        // Whoever made it did not come to its end.
        Some(false) => run(connection, &format!("DROP INDEX CONCURRENTLY IF EXISTS {name}"))?,
        None => {}
    }
    let sql = "SELECT tableoid::regclass::text FROM vectors WHERE mem = $1 AND model = $2 LIMIT 1";
    let values: crate::connection::Values<'_> = &[&graph.memory, &graph.model];
    let Some(table) = writing::ask(connection, |tx| tx.one(sql, values, |row| row.take::<String>(0)))? else {
        return Ok(false);
    };
    let Graph { memory, model, dimensions } = graph;
    tracing::info!(%name, "a graph of vectors is made");
    // Vectors of another length are no business of this graph, and must not fail at it.
    run(
        connection,
        &format!(
            "CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON {table} USING hnsw \
             ((vector::halfvec({dimensions})) halfvec_cosine_ops) WHERE mem = {memory} AND model = {model} \
             AND vector_dims(vector) = {dimensions}"
        ),
    )?;
    Ok(true)
}

/// Removes graphs of memories that are not great any more.
fn sweep(connection: &mut Connection) -> Result<()> {
    let sql = "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
               WHERE n.nspname = current_schema() AND c.relkind = 'i' AND c.relname LIKE 'graph\\_%' ORDER BY 1";
    let all = writing::ask(connection, |tx| tx.all(sql, &[], |row| row.take::<String>(0)))?;
    let great: Vec<i64> =
        writing::ask(connection, |tx| tx.all("SELECT mem FROM great", &[], |row| row.take(0)))?;
    let wanted: Vec<String> = great.iter().map(|memory| format!("graph_{memory:x}_")).collect();
    for name in all.iter().filter(|name| !wanted.iter().any(|start| name.starts_with(start))) {
        run(connection, &format!("DROP INDEX CONCURRENTLY IF EXISTS {name}"))?;
    }
    Ok(())
}

fn run(connection: &mut Connection, sql: &str) -> Result<()> {
    connection.run(&[Step::Plain(sql)]).map(drop).map_err(|failed| -> Error { failed.error })
}
