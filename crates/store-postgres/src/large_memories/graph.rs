//! The vector graph of a large memory for one model: a partial HNSW index on the partition with its
//! vectors. Small memories have none, and a search never visits vectors of another memory. It is
//! created in the background when a question first misses it.

use loci_model::{Error, Result};

use crate::connection::{Connection, ConnectionStep};
use crate::transaction_retry;
use crate::tx::{Column, PgTx};

/// The maximum number of dimensions of pgvector's index on `halfvec`.
const DIMENSIONS_MAX: usize = 4_000;

/// A graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Graph {
    pub(super) memory: i64,
    pub(super) model: i64,
    pub(super) dimensions: usize,
}

impl Graph {
    /// False if the vectors have too many dimensions for a graph.
    pub(super) fn is_possible(&self) -> bool {
        self.dimensions <= DIMENSIONS_MAX
    }

    fn name(&self) -> String {
        format!("graph_{:x}_{:x}_{}", self.memory, self.model, self.dimensions)
    }
}

/// A graph that a question missed, with the time of the database in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MissingGraph {
    pub(crate) graph: Graph,
    pub(crate) now_ms: i64,
}

/// Selects the validity of an index, if it exists.
const STATE: &str = "SELECT i.indisvalid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid JOIN pg_namespace n \
                     ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relname = $1";

/// Returns `None` if the graph exists and is valid.
pub(super) fn lacking(tx: &PgTx<'_>, graph: &Graph) -> Result<Option<MissingGraph>> {
    let sql = format!("SELECT ({STATE}), (extract(epoch FROM clock_timestamp()) * 1000)::bigint");
    let found =
        tx.one(&sql, &[&graph.name()], |row| Ok((row.take::<Option<bool>>(0)?, row.take::<i64>(1)?)))?;
    Ok(match found {
        Some((Some(true), _)) => None,
        Some((Some(false) | None, now_ms)) => Some(MissingGraph { graph: *graph, now_ms }),
        None => Some(MissingGraph { graph: *graph, now_ms: 0 }),
    })
}

/// Creates a graph, unless another server is creating it, and removes those of memories that are no
/// longer large. It takes minutes for a million vectors; writes continue meanwhile. Returns false
/// if the graph does not exist afterwards: another server creates it, or the model has no vectors.
pub(crate) fn make(connection: &mut Connection, graph: &Graph) -> Result<bool> {
    connection.wait_long();
    run(connection, "SET statement_timeout = 0; SET lock_timeout = 0; SET maintenance_work_mem = '512MB'")?;
    let sql = "SELECT pg_try_advisory_lock($1)";
    let is_mine =
        transaction_retry::ask(connection, |tx| tx.one(sql, &[&graph.memory], |row| row.take::<bool>(0)));
    let outcome = match is_mine {
        Ok(Some(true)) => made(connection, graph).and_then(|made| sweep(connection).map(|()| made)),
        Ok(Some(false) | None) => Ok(false),
        Err(error) => Err(error),
    };
    // Dropping the connection resets the settings and releases the lock.
    connection.forget();
    outcome
}

pub(super) fn made(connection: &mut Connection, graph: &Graph) -> Result<bool> {
    let name = graph.name();
    let state = transaction_retry::ask(connection, |tx| tx.one(STATE, &[&name], |row| row.take::<bool>(0)))?;
    match state {
        Some(true) => return Ok(true),
        // An earlier creation did not finish.
        Some(false) => run(connection, &format!("DROP INDEX CONCURRENTLY IF EXISTS {name}"))?,
        None => {}
    }
    let sql = "SELECT tableoid::regclass::text FROM vectors WHERE mem = $1 AND model = $2 LIMIT 1";
    let values: crate::connection::Values<'_> = &[&graph.memory, &graph.model];
    let Some(table) =
        transaction_retry::ask(connection, |tx| tx.one(sql, values, |row| row.take::<String>(0)))?
    else {
        return Ok(false);
    };
    let Graph { memory, model, dimensions } = graph;
    tracing::info!(%name, "a graph of vectors is made");
    // Exclude vectors with other dimensions, which would make the index creation fail.
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

/// Removes graphs of memories that are no longer large.
fn sweep(connection: &mut Connection) -> Result<()> {
    let sql = "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
               WHERE n.nspname = current_schema() AND c.relkind = 'i' AND c.relname LIKE 'graph\\_%' ORDER BY 1";
    let all = transaction_retry::ask(connection, |tx| tx.all(sql, &[], |row| row.take::<String>(0)))?;
    let great: Vec<i64> =
        transaction_retry::ask(connection, |tx| tx.all("SELECT mem FROM great", &[], |row| row.take(0)))?;
    let wanted: Vec<String> = great.iter().map(|memory| format!("graph_{memory:x}_")).collect();
    for name in all.iter().filter(|name| !wanted.iter().any(|start| name.starts_with(start))) {
        run(connection, &format!("DROP INDEX CONCURRENTLY IF EXISTS {name}"))?;
    }
    Ok(())
}

fn run(connection: &mut Connection, sql: &str) -> Result<()> {
    connection.run(&[ConnectionStep::Plain(sql)]).map(drop).map_err(|failed| -> Error { failed.error })
}
