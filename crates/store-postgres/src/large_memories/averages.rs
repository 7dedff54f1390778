//! Sums of the lengths of turns, pairs, windows and sessions. Those of a whole memory are measured
//! again after a change by a twentieth, because an average changes less. This takes seconds for a
//! large memory, and no question waits for it. Those of a part are measured on request, over a
//! limited sample of turns.

use std::time::Duration;

use loci_model::{MemoryId, Result};

use super::memory_state::{ActiveTurnSums, analysis};
use super::scope::{Extent, Scope};
use crate::bound_values::PgBoundParameters;
use crate::connection::Connection;
use crate::digests::memory_number;
use crate::transaction_retry;
use crate::tx::{Column, PgTx};

/// The number of turns below which a memory is measured after every change.
const SMALL: i64 = 5_000;
/// The divisor for the share of changed turns after which a larger memory is measured again.
const SHARE: i64 = 20;
/// The maximum time to measure a whole memory, in milliseconds. A store that is closed waits for
/// it.
const PATIENCE_MS: u32 = 120_000;
/// The number of turns in the sample for an average of a part.
const SAMPLE: i64 = 20_000;

/// Returns the query for sums over turns that `part` selects from `passages p`, in the order of
/// conversations.
fn sums(part: &str, memory: &str, most: &str) -> String {
    format!(
        "SELECT count(*), (count(*) FILTER (WHERE t.first))::bigint, coalesce(sum(t.own), 0)::bigint, \
         coalesce(sum(t.own + t.before), 0)::bigint, coalesce(sum(t.own + t.before + t.second + t.after), 0)::bigint FROM \
         (SELECT s.own, coalesce(lag(s.own) OVER w, 0) AS before, coalesce(lag(s.own, 2) OVER w, 0) AS second, \
         coalesce(lead(s.own) OVER w, 0) AS after, row_number() OVER w = 1 AS first FROM \
         (SELECT p.chain, CASE WHEN p.chain IS NULL THEN p.key END AS alone, p.place, p.key, p.part, \
         p.terms - CASE WHEN coalesce(n.turns, 0) >= 2 THEN p.name_terms ELSE 0 END AS own \
         FROM passages p LEFT JOIN name_counts n ON n.mem = {memory} AND n.name = p.name \
         WHERE {part} AND p.state = 0 ORDER BY p.chain, p.place, p.key, p.part LIMIT {most}) s \
         WINDOW w AS (PARTITION BY s.chain, s.alone ORDER BY s.place, s.key, s.part)) t"
    )
}

/// Returns the query for the number of paths of the turns that `part` selects, and of their terms.
fn paths(part: &str) -> String {
    format!(
        "SELECT count(*), coalesce(sum(t.path_terms), 0)::bigint FROM (SELECT p.path, max(p.path_terms) AS path_terms \
         FROM passages p WHERE {part} AND p.state = 0 AND p.path IS NOT NULL GROUP BY p.path) t"
    )
}

/// Measures a part of a memory.
pub(super) fn measure(tx: &PgTx<'_>, scope: &Scope<'_>, extent: Extent) -> Result<ActiveTurnSums> {
    let mut bound = PgBoundParameters::default();
    let part = scope.condition(extent, &mut bound);
    let (memory, most) = (bound.put(scope.memory), bound.put(SAMPLE));
    let mut of_paths = PgBoundParameters::default();
    let paths = paths(&scope.condition(extent, &mut of_paths));
    both(tx, (&sums(&part, &memory, &most), &bound), (&paths, &of_paths))
}

fn both(
    tx: &PgTx<'_>,
    sums: (&str, &PgBoundParameters),
    paths: (&str, &PgBoundParameters),
) -> Result<ActiveTurnSums> {
    let (sums, paths) = tx.two((sums.0, &sums.1.values()), (paths.0, &paths.1.values()))?;
    let number = |rows: &[tokio_postgres::Row], at| rows.first().map_or(Ok(0), |row| row.take::<i64>(at));
    Ok(ActiveTurnSums {
        turns: number(&sums, 0)?,
        sessions: number(&sums, 1)?,
        terms: number(&sums, 2)?,
        pairs: number(&sums, 3)?,
        windows: number(&sums, 4)?,
        paths: number(&paths, 0)?,
        path_terms: number(&paths, 1)?,
    })
}

/// True if a memory has changed so much since the last measurement that it must be repeated.
/// `is_changed`: it was changed just now.
pub(super) fn is_worth(turns: i64, measured: i64, is_changed: bool) -> bool {
    let changed = turns.saturating_sub(measured).abs();
    if turns < SMALL { is_changed || changed > 0 } else { changed > measured / SHARE }
}

/// Measures a memory with few turns. Returns false if it has more, or was deleted.
pub(super) fn measure_small(connection: &mut Connection, memory: i64) -> Result<bool> {
    let sql = "SELECT turns FROM great WHERE mem = $1";
    let turns = transaction_retry::ask(connection, |tx| tx.one(sql, &[&memory], |row| row.take::<i64>(0)))?;
    if turns.is_none_or(|turns| turns >= SMALL) {
        return Ok(false);
    }
    measure_whole(connection, memory, None).map(|()| true)
}

/// Measures a whole memory on a separate connection with a longer timeout. It locks nothing:
/// concurrent changes are included next time.
pub(crate) fn measure_all(mut connection: Connection, memory: &MemoryId) -> Result<()> {
    let connection = &mut connection;
    connection.wait_for(2 * Duration::from_millis(u64::from(PATIENCE_MS)));
    measure_whole(connection, memory_number(memory), Some(PATIENCE_MS))
}

fn measure_whole(connection: &mut Connection, memory: i64, patience_ms: Option<u32>) -> Result<()> {
    let mut bound = PgBoundParameters::default();
    let (number, most) = (bound.put(memory), bound.put(i64::MAX));
    let part = format!("p.mem = {number}");
    let sums = sums(&part, &number, &most);
    let mut of_paths = PgBoundParameters::default();
    let paths = paths(&format!("p.mem = {}", of_paths.put(memory)));
    let found = transaction_retry::read(connection, |tx| {
        if let Some(patience_ms) = patience_ms {
            tx.rows(&format!("SET LOCAL statement_timeout = {patience_ms}"), &[])?;
        }
        both(tx, (&sums, &bound), (&paths, &of_paths))
    })?;
    transaction_retry::change(connection, |tx| {
        tx.later(
            "UPDATE great SET measured = $2, sessions = $3, terms = $4, pairs = $5, windows = $6, paths = $7, \
             path_terms = $8 WHERE mem = $1 AND analysis = $9 AND sequence >= 0",
            vec![
                Box::new(memory),
                Box::new(found.turns),
                Box::new(found.sessions),
                Box::new(found.terms),
                Box::new(found.pairs),
                Box::new(found.windows),
                Box::new(found.paths),
                Box::new(found.path_terms),
                Box::new(analysis()),
            ],
        );
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_worth_measuring() {
        let check = |turns, measured, expect| {
            assert_eq!(is_worth(turns, measured, false), expect, "{turns} {measured}");
        };
        assert!(is_worth(10, 10, true), "a turn may have been edited");
        assert!(!is_worth(SMALL, SMALL, true));
        check(10, 10, false);
        check(0, 10, true);
        check(SMALL, 0, true);
        check(100_000, 100_000, false);
        check(105_000, 100_000, false);
        check(105_001, 100_000, true);
        check(94_000, 100_000, true);
    }
}
