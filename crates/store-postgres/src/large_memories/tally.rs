//! Counts of passages: their number, the number of turns with each term, and the number of turns
//! with each name. They are written in the same transaction as the passages.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::Result;
use tokio_postgres::types::ToSql;

use super::row::{COLUMNS, PassageRow, Words};
use crate::tx::PgTx;

/// Changes of counts.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) passages: i64,
    pub(super) turns: i64,
    words: BTreeMap<i64, i64>,
    names: BTreeMap<String, i64>,
}

impl Tally {
    /// Adds a new passage (1) or a removed one (−1).
    pub(super) fn add(&mut self, row: &PassageRow, sign: i64) {
        self.passages += sign;
        if !row.is_active() {
            return;
        }
        self.turns += sign;
        for word in distinct(&row.words) {
            *self.words.entry(word).or_default() += sign;
        }
        if let Some(name) = row.words.name.as_ref().filter(|_| row.talks()) {
            *self.names.entry(name.clone()).or_default() += sign;
        }
    }

    /// Writes the counts, and deletes those that reach zero.
    pub(super) fn write(self, tx: &PgTx<'_>, memory: i64) {
        write_counts(tx, memory, ("term_counts", "word", "bigint"), self.words);
        write_counts(tx, memory, ("name_counts", "name", "text"), self.names);
    }
}

/// Adds to the counts of a table with one count for each `column`.
fn write_counts<T>(
    tx: &PgTx<'_>,
    memory: i64,
    (table, column, kind): (&str, &str, &str),
    counts: BTreeMap<T, i64>,
) where
    T: Clone + std::fmt::Debug + ToSql + Sync + Send + 'static,
{
    let (counted, turns): (Vec<T>, Vec<i64>) = counts.into_iter().filter(|(_, turns)| *turns != 0).unzip();
    if counted.is_empty() {
        return;
    }
    let add = format!(
        "INSERT INTO {table}(mem, {column}, turns) SELECT $1, t.{column}, t.turns FROM unnest($2::{kind}[], $3::bigint[]) \
         t({column}, turns) ON CONFLICT (mem, {column}) DO UPDATE SET turns = {table}.turns + excluded.turns"
    );
    tx.later(add, vec![Box::new(memory), Box::new(counted.clone()), Box::new(turns.clone())]);
    let forget = format!("DELETE FROM {table} WHERE mem = $1 AND {column} = ANY($2) AND turns <= 0");
    tx.later(forget, vec![Box::new(memory), Box::new(less(counted, &turns))]);
}

/// Returns the entries whose count decreases.
fn less<T>(all: Vec<T>, turns: &[i64]) -> Vec<T> {
    all.into_iter().zip(turns).filter(|(_, turns)| **turns < 0).map(|(one, _)| one).collect()
}

/// Returns the terms for which a turn is counted. Those of a name are separate from those of the
/// text.
fn distinct(words: &Words) -> BTreeSet<i64> {
    words.as_found().iter().copied().collect()
}

/// Removes the passages of records, and subtracts them from the counts. The caller has locked the
/// row of the memory in `great`.
pub(super) fn take_out(tx: &PgTx<'_>, memory: i64, keys: &[Vec<u8>], tally: &mut Tally) -> Result<()> {
    let sql = format!("DELETE FROM passages WHERE mem = $1 AND key = ANY($2) RETURNING {COLUMNS}");
    for row in tx.all(&sql, &[&memory, &keys], PassageRow::read)? {
        tally.add(&row, -1);
    }
    Ok(())
}

impl PgTx<'_> {
    /// Removes the passages of records in the transaction that erases them, so that nothing of
    /// their contents remains.
    pub(crate) fn forget_passages(&self, memory: i64, keys: &[Vec<u8>]) -> Result<()> {
        let lock = "SELECT 1 FROM great WHERE mem = $1 FOR UPDATE";
        if self.rows(lock, &[&memory])?.is_empty() {
            return Ok(());
        }
        let mut tally = Tally::default();
        take_out(self, memory, keys, &mut tally)?;
        self.later(
            "UPDATE great SET passages = passages + $2, turns = turns + $3 WHERE mem = $1",
            vec![Box::new(memory), Box::new(tally.passages), Box::new(tally.turns)],
        );
        tally.write(self, memory);
        Ok(())
    }
}
