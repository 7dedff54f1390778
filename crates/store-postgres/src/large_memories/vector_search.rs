//! The list by vector. In a small scope all vectors are compared. In a large one the memory's graph
//! is searched until the scope admits enough passages. If the graph is missing or returns too few,
//! all vectors are compared.

use loci_model::Result;

use super::graph::{Graph, MissingGraph, lacking};
use super::scope::{Extent, Scope};
use super::{Limits, PassageKey, halves};
use crate::bound_values::PgBoundParameters;
use crate::digests::model_number;
use crate::tx::{Column, PgTx, limit};

/// The minimum size of the candidate list of a graph search; the next constant is the maximum
/// number of visited nodes.
const IN_VIEW_MIN: usize = 400;
const IN_VIEW_MAX: usize = 1_000;
const WALK_MAX: usize = 100_000;

/// The settings of a graph search. They enforce the order of the graph, without gathering and
/// sorting.
pub(super) const WALK: [&str; 4] = [
    "SET LOCAL hnsw.iterative_scan = strict_order",
    "SET LOCAL enable_hashjoin = off",
    "SET LOCAL enable_mergejoin = off",
    "SET LOCAL enable_sort = off",
];

/// The passages found, and a missing graph.
#[derive(Debug, Default)]
pub(super) struct Nearest {
    /// The passages, nearest first.
    pub(super) passages: Vec<PassageKey>,
    /// A graph that does not exist.
    pub(super) lacks: Option<MissingGraph>,
}

/// Returns the passages in scope with the nearest vectors. `size` is the number of passages in
/// scope.
pub(super) fn nearest(
    tx: &PgTx<'_>,
    scope: &Scope<'_>,
    (vector, model): (&[f32], &str),
    length: usize,
    (size, limits): (u64, Limits),
) -> Result<Nearest> {
    let has_direction =
        vector.iter().any(|value| *value != 0.0) && vector.iter().all(|value| value.is_finite());
    if length == 0 || !has_direction {
        return Ok(Nearest::default());
    }
    let asked = VectorQuestion { vector, model: model_number(model), length };
    let is_small = usize::try_from(size).is_ok_and(|size| size <= limits.exact_max);
    let graph = Graph { memory: scope.memory, model: asked.model, dimensions: vector.len() };
    if is_small || !graph.is_possible() {
        return Ok(Nearest { passages: compared(tx, scope, &asked)?, lacks: None });
    }
    if let Some(lacking) = lacking(tx, &graph)? {
        return Ok(Nearest { passages: compared(tx, scope, &asked)?, lacks: Some(lacking) });
    }
    let walked = walked(tx, scope, &asked)?;
    let passages = if walked.len() < length { compared(tx, scope, &asked)? } else { walked };
    Ok(Nearest { passages, lacks: None })
}

/// A question by vector.
pub(super) struct VectorQuestion<'a> {
    pub(super) vector: &'a [f32],
    pub(super) model: i64,
    pub(super) length: usize,
}

/// Compares all vectors in scope.
fn compared(tx: &PgTx<'_>, scope: &Scope<'_>, asked: &VectorQuestion<'_>) -> Result<Vec<PassageKey>> {
    let mut bound = PgBoundParameters::default();
    let condition = scope.condition(Extent::Full, &mut bound);
    let (memory, model) = (bound.put(scope.memory), bound.put(asked.model));
    let dimensions = asked.vector.len();
    // `OFFSET 0` ensures that vectors with other dimensions are excluded before any comparison.
    let sql = format!(
        "SELECT t.key, t.part FROM (SELECT v.key, v.part, v.vector FROM passages p JOIN vectors v ON v.mem = {memory} \
         AND v.key = p.key AND v.part = p.part WHERE {condition} AND v.model = {model} \
         AND vector_dims(v.vector) = {dimensions} OFFSET 0) t ORDER BY (t.vector <=> {}) + 0, t.key, t.part LIMIT {}",
        bound.put(halves(asked.vector)),
        bound.put(limit(asked.length))
    );
    keys(tx, &sql, &bound)
}

/// Searches the graph, nearest first, and skips passages outside the scope.
fn walked(tx: &PgTx<'_>, scope: &Scope<'_>, asked: &VectorQuestion<'_>) -> Result<Vec<PassageKey>> {
    let in_view = asked.length.clamp(IN_VIEW_MIN, IN_VIEW_MAX);
    let settings = [
        format!("SET LOCAL hnsw.ef_search = {in_view}"),
        format!("SET LOCAL hnsw.max_scan_tuples = {WALK_MAX}"),
    ];
    let mut bound = PgBoundParameters::default();
    let sql = walk(scope, asked, &mut bound);
    let values = bound.values();
    let mut statements: Vec<(&str, crate::connection::Values<'_>)> =
        WALK.iter().copied().chain(settings.iter().map(String::as_str)).map(|sql| (sql, &[][..])).collect();
    let before = statements.len();
    statements.push((&sql, &values));
    let after =
        ["SET LOCAL enable_hashjoin = on", "SET LOCAL enable_mergejoin = on", "SET LOCAL enable_sort = on"];
    statements.extend(after.map(|sql| (sql, &[][..])));
    let answers = tx.several(&statements)?;
    let found = answers.into_iter().nth(before).unwrap_or_default();
    found.iter().map(|row| Ok((row.take(0)?, row.take(1)?))).collect()
}

/// Returns the query for passages in the order of the graph.
pub(super) fn walk(scope: &Scope<'_>, asked: &VectorQuestion<'_>, bound: &mut PgBoundParameters) -> String {
    let condition = scope.condition(Extent::Full, bound);
    let (memory, model) = (bound.put(scope.memory), bound.put(asked.model));
    let dimensions = asked.vector.len();
    format!(
        "SELECT v.key, v.part FROM vectors v JOIN passages p ON p.key = v.key AND p.part = v.part WHERE {condition} \
         AND v.mem = {memory} AND v.model = {model} AND vector_dims(v.vector) = {dimensions} \
         ORDER BY v.vector::halfvec({dimensions}) <=> {}::halfvec({dimensions}) LIMIT {}",
        bound.put(halves(asked.vector)),
        bound.put(limit(asked.length))
    )
}

fn keys(tx: &PgTx<'_>, sql: &str, bound: &PgBoundParameters) -> Result<Vec<PassageKey>> {
    tx.all(sql, &bound.values(), |row| Ok((row.take(0)?, row.take(1)?)))
}
