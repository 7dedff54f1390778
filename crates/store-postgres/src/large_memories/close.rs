//! Records similar to a text, for consolidation, and the similarity of two passages.

use std::collections::BTreeSet;
use std::sync::Arc;

use loci_index::StoredVector;
use loci_model::ports::search::{Neighbour, NeighbourRequest};
use loci_model::record::scope::{RecordScope, StrategyChoice};
use loci_model::{NamespaceFilter, NamespaceMatch, RecordId, Result};
use loci_store_kit::codes::key_of;
use loci_text::analyse_turn;

use super::answer::{PLANNED, size};
use super::graph::MissingGraph;
use super::load::load;
use super::memory_state::{Followed, GreatMemoryState};
use super::scope::{Extent, Scope};
use super::vector_search::nearest;
use super::words::{self, TermRow, Terms, known_among};
use super::{Limits, cosine};
use crate::bound_values::PgBoundParameters;
use crate::digests::memory_number;
use crate::half_vectors::Halves;
use crate::tx::{Column, PgTx, int};

/// The maximum number of passages in a scope that is loaded completely.
const WHOLE_MAX: u64 = 500;
/// The maximum number of candidates, those with the most common terms.
const SHARING_MAX: usize = 1_000;
/// The number of nearest passages by vector per requested record: a record may have several
/// passages.
const NEAREST_PER_NEIGHBOUR: usize = 4;
const NEAREST_MIN: usize = 64;

/// Returns records of one strategy and namespace that are similar to a text, and the missing graphs
/// that would have made the search faster.
pub(crate) fn neighbours(
    tx: &PgTx<'_>,
    (standing, followed): (&GreatMemoryState, &Followed),
    request: &NeighbourRequest,
    limits: Limits,
) -> Result<(Vec<Neighbour>, Vec<MissingGraph>)> {
    tx.rows(PLANNED, &[])?;
    let memory = standing.number;
    let strategy = request.strategy.clone().map_or(StrategyChoice::None, StrategyChoice::Of);
    // The index that computes the result applies the rest of the request's scope.
    let narrowed = RecordScope {
        namespaces: vec![NamespaceFilter::new(&request.namespace, NamespaceMatch::Exact)],
        strategy: Some(strategy),
        ..request.scope.clone()
    };
    let scope = Scope::new(tx, memory, &narrowed)?;
    let size = size(tx, &scope, followed)?;
    let mut graphs = Vec::new();
    let keys = if size <= WHOLE_MAX {
        all(tx, &scope)?
    } else {
        let mut keys: BTreeSet<Vec<u8>> = sharing(tx, &scope, request, limits)?;
        if let Some((vector, model)) = &request.vector {
            let wanted = request.limit.saturating_mul(NEAREST_PER_NEIGHBOUR).max(NEAREST_MIN);
            let found = nearest(tx, &scope, (vector, model), wanted, (size, limits))?;
            keys.extend(found.passages.into_iter().map(|(key, _)| key));
            graphs.extend(found.lacks);
        }
        keys.into_iter().collect()
    };
    let models: Vec<&str> = request.vector.iter().map(|(_, model)| model.as_str()).collect();
    let name = analyse_turn(&request.text).prefix.map(|prefix| prefix.name);
    let names: Vec<String> = name.into_iter().collect();
    let part = load(tx, memory, &keys, &models, (&names, limits.threads))?;
    Ok((part.neighbours(request), graphs))
}

/// Returns all records in scope.
fn all(tx: &PgTx<'_>, scope: &Scope<'_>) -> Result<Vec<Vec<u8>>> {
    let mut bound = PgBoundParameters::default();
    let condition = scope.condition(Extent::Full, &mut bound);
    let sql = format!("SELECT DISTINCT p.key FROM passages p WHERE {condition}");
    tx.all(&sql, &bound.values(), |row| row.take(0))
}

/// Returns records that may reach the similarity by common terms. A record with enough common terms
/// contains one of the rarer terms: a set that lacks all but the `least − 1` most frequent ones
/// cannot contain `least`.
fn sharing(
    tx: &PgTx<'_>,
    scope: &Scope<'_>,
    request: &NeighbourRequest,
    limits: Limits,
) -> Result<BTreeSet<Vec<u8>>> {
    let mut analysis = analyse_turn(&request.text);
    if let Some(prefix) = analysis.prefix.take()
        && !known_among(tx, scope.memory, vec![prefix.name])?.is_empty()
    {
        analysis.terms.drain(..prefix.terms.min(analysis.terms.len()));
    }
    let texts: BTreeSet<String> = analysis.terms.into_iter().collect();
    let texts: Vec<String> = texts.into_iter().collect();
    let terms = Terms::new(tx, scope.memory, &texts)?;
    // As the index counts it: the union contains at least the requested terms.
    let least = (request.jaccard_min * texts.len() as f32 - 0.5).ceil().max(1.0) as usize;
    let taken = terms.rarest_of(texts.len().saturating_sub(least.saturating_sub(1)));
    let found = words::rows(tx, scope, Extent::Full, &terms, (taken, limits.rows_max.saturating_mul(2)))?;
    let shared = |row: &TermRow| row.counts.iter().filter(|count| **count > 0).count();
    let mut close: Vec<(f32, TermRow)> = Vec::new();
    for row in found.rows {
        let shared = shared(&row);
        if shared >= least {
            let union = texts.len() + row.length as usize - shared.min(row.length as usize);
            close.push((shared as f32 / union.max(1) as f32, row));
        }
    }
    close.sort_by(|(x, a), (y, b)| y.total_cmp(x).then_with(|| a.passage.cmp(&b.passage)));
    Ok(close.into_iter().take(SHARING_MAX).map(|(_, row)| row.passage.0).collect())
}

/// Returns the cosine of the vectors of two passages, each given by record and part.
pub(crate) fn alike(
    tx: &PgTx<'_>,
    memory: &loci_model::MemoryId,
    first: (&RecordId, u32),
    second: (&RecordId, u32),
) -> Result<Option<f32>> {
    let number = memory_number(memory);
    let sql = "SELECT v.model, v.vector FROM vectors v JOIN records r ON r.mem = v.mem AND r.key = v.key AND NOT r.gone \
               WHERE v.mem = $1 AND v.key = $2 AND v.part = $3";
    let (left, right) = ((key_of(first.0), int(first.1)), (key_of(second.0), int(second.1)));
    let (left, right) = tx.two((sql, &[&number, &left.0, &left.1]), (sql, &[&number, &right.0, &right.1]))?;
    let vector = |rows: &[tokio_postgres::Row]| -> Result<Option<(i64, StoredVector)>> {
        let Some(row) = rows.first() else { return Ok(None) };
        Ok(Some((row.take(0)?, row.take::<Halves>(1)?.stored(Arc::from("")))))
    };
    Ok(match (vector(&left)?, vector(&right)?) {
        (Some((model, left)), Some((other, right)))
            if model == other && left.values.len() == right.values.len() =>
        {
            Some(cosine(&left, &right))
        }
        _ => None,
    })
}
