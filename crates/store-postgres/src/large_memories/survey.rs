//! Information about a large memory, for people and checks: the digest of the stored passages, or
//! of those that a rebuild from the records would create.

use std::hash::{DefaultHasher, Hash, Hasher};

use loci_model::Result;
use loci_model::ports::search::IndexInfo;

use super::follow::fresh_rows;
use super::memory_state::{Followed, GreatMemoryState};
use super::row::{COLUMNS, PassageRow};
use crate::tx::{Column, PgTx, limit, unsigned};

/// The number of rows per read.
const SHARE: usize = 2_000;

/// Returns information about the stored passages or, with `rebuilt`, about those of a rebuild.
pub(crate) fn info(
    tx: &PgTx<'_>,
    (standing, followed): (&GreatMemoryState, &Followed),
    rebuilt: bool,
) -> Result<IndexInfo> {
    let memory = standing.number;
    let (mut passages, mut digest) = (0_u64, 0_u64);
    let mut take = |row: PassageRow| {
        let mut hash = DefaultHasher::new();
        row.hash(&mut hash);
        passages += 1;
        // The sum is independent of the order.
        digest = digest.wrapping_add(hash.finish());
    };
    if rebuilt {
        fresh_rows(tx, memory, &mut take)?;
    } else {
        held_rows(tx, memory, &mut take)?;
    }
    let sql = "SELECT count(*), coalesce(sum(('x' || substr(md5(key::text || part::text || model::text), 1, 8))::bit(32)::bigint), 0)::bigint \
               FROM vectors WHERE mem = $1";
    let (vectors, of_vectors) = tx
        .one(sql, &[&memory], |row| Ok((unsigned(row.take(0)?), unsigned(row.take(1)?))))?
        .unwrap_or_default();
    let bytes = "SELECT coalesce(sum(pg_column_size(p.*)), 0)::bigint FROM passages p WHERE p.mem = $1";
    let bytes = tx.one(bytes, &[&memory], |row| row.take::<i64>(0))?.unwrap_or(0);
    Ok(IndexInfo {
        passages,
        vectors,
        sequence: followed.sequence,
        bytes: unsigned(bytes),
        digest: digest.wrapping_add(of_vectors),
    })
}

fn held_rows(tx: &PgTx<'_>, memory: i64, mut each: impl FnMut(PassageRow)) -> Result<()> {
    let sql = format!(
        "SELECT {COLUMNS} FROM passages WHERE mem = $1 AND (key, part) > ($2, $3) ORDER BY key, part LIMIT $4"
    );
    let mut after = (Vec::new(), -1);
    loop {
        let rows = tx.all(&sql, &[&memory, &after.0, &after.1, &limit(SHARE)], PassageRow::read)?;
        let is_last = rows.len() < SHARE;
        for row in rows {
            after = (row.key.clone(), row.part);
            each(row);
        }
        if is_last {
            return Ok(());
        }
    }
}
