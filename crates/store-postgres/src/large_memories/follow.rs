//! Updates of a large memory's passages in the database. Changed records are read, analysed and
//! written in batches, each in a transaction of its own. Any server may update a memory, one at a
//! time. Passages of an older text analysis are removed first, also in batches. Passages of a newer
//! analysis are left to the servers that have it.

use loci_index::IndexRecord;
use loci_model::{Error, MemoryId, Result};
use loci_store_kit::change::Changed;
use loci_store_kit::codes::key_of;
use loci_store_kit::{IndexChange, analyse};

use super::averages;
use super::memory_state::analysis;
use super::row::PassageRow;
use super::tally::{Tally, take_out};
use crate::connection::Connection;
use crate::digests::memory_number;
use crate::tables::records::rows::{RECORDS, read};
use crate::transaction_retry;
use crate::tx::{Column, PgTx, limit, signed, unsigned};

/// The number of records per batch.
const SHARE: usize = 1_000;
/// The number of rows of another analysis that are removed at once.
const EMPTIED: usize = 10_000;
/// The value of `great.sequence` during this removal.
const EMPTYING: i64 = -1;

/// The progress of updating a memory's passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// All changes are applied. The value is the time of the database in milliseconds if the
    /// averages must now be measured again; searches do not wait for that.
    Done(Option<i64>),
    /// More changes remain to be applied.
    More,
    /// The passages are of a newer text analysis, so nothing was written.
    NotMine,
}

/// Processes a batch of changes.
pub(crate) fn follow(connection: &mut Connection, memory: &MemoryId, threads: usize) -> Result<Progress> {
    let outcome = transaction_retry::change(connection, |tx| share(tx, memory, threads))?;
    let Progress::Done(Some(_)) = outcome else { return Ok(outcome) };
    let number = memory_number(memory);
    match averages::measure_small(connection, number) {
        Ok(true) => Ok(Progress::Done(None)),
        Ok(false) => Ok(outcome),
        // Outdated averages are accurate enough.
        Err(error) => {
            tracing::debug!(%error, "the averages of a great memory could not be measured");
            Ok(outcome)
        }
    }
}

pub(super) fn share(tx: &PgTx<'_>, memory: &MemoryId, threads: usize) -> Result<Progress> {
    let number = memory_number(memory);
    let held = locked(tx, number)?;
    let sql = "SELECT c.sequence FROM counters c JOIN memories m ON m.mem = c.mem WHERE c.mem = $1 AND m.id = $2 \
               AND m.deleted IS NULL";
    let sequence = tx.one(sql, &[&number, &memory.as_str()], |row| row.take::<i64>(0))?;
    let sequence = sequence.ok_or_else(|| Error::not_found("the memory does not exist"))?;
    if held.cut_by > analysis() {
        return Ok(Progress::NotMine);
    }
    if held.cut_by < analysis() {
        return Ok(begin_again(tx, number));
    }
    let after = held.sequence;
    if after < 0 {
        return empty(tx, number);
    }
    if after >= sequence {
        return Ok(held.done(None));
    }
    // Skip records with unchanged content: only their vectors changed, which passages do not
    // contain.
    let changed = format!(
        "{RECORDS} WHERE r.mem = $1 AND r.sequence > $2 AND NOT EXISTS (SELECT 1 FROM passages p WHERE p.mem = $1 \
         AND p.key = r.key AND p.content = r.content) ORDER BY r.sequence LIMIT $3"
    );
    let rows = tx.rows(&changed, &[&number, &after, &limit(SHARE)])?;
    let is_last = rows.len() < SHARE;
    let last = rows.last().map(|row| row.take::<i64>(1)).transpose()?;
    let mut records = Vec::with_capacity(rows.len());
    for row in &rows {
        let content = unsigned(row.take(2)?);
        records.push((Vec::new(), Changed::Record { stored: Box::new(read(row)?), content }));
    }
    let mut tally = Tally::default();
    put(tx, number, analyse(records, threads), &mut tally)?;
    let reached = if is_last { sequence } else { last.unwrap_or(sequence) };
    tx.later(
        "UPDATE great SET sequence = $2, passages = passages + $3, turns = turns + $4 WHERE mem = $1",
        vec![Box::new(number), Box::new(reached), Box::new(tally.passages), Box::new(tally.turns)],
    );
    let more = tally.turns;
    tally.write(tx, number);
    Ok(if is_last { held.done(Some(more)) } else { Progress::More })
}

/// The row of a memory in `large_memories`.
struct GreatMemoryRow {
    sequence: i64,
    cut_by: i32,
    turns: i64,
    measured: i64,
    now_ms: i64,
}

impl GreatMemoryRow {
    /// Returns the progress after all changes. `more` is the number of turns added just now.
    fn done(&self, more: Option<i64>) -> Progress {
        let turns = self.turns.saturating_add(more.unwrap_or(0));
        let is_worth = averages::is_worth(turns, self.measured, more.is_some());
        Progress::Done(is_worth.then_some(self.now_ms))
    }
}

/// Locks the row of the memory in `large_memories`, and creates it if it does not exist.
fn locked(tx: &PgTx<'_>, memory: i64) -> Result<GreatMemoryRow> {
    tx.later(
        "INSERT INTO great(mem, sequence, analysis, passages, turns, measured, sessions, terms, pairs, windows, paths, \
         path_terms) VALUES ($1, 0, $2, 0, 0, 0, 0, 0, 0, 0, 0, 0) ON CONFLICT (mem) DO NOTHING",
        vec![Box::new(memory), Box::new(analysis())],
    );
    let lock = "SELECT sequence, analysis, turns, measured, (extract(epoch FROM clock_timestamp()) * 1000)::bigint \
                FROM great WHERE mem = $1 FOR UPDATE";
    let held = tx.one(lock, &[&memory], |row| {
        Ok(GreatMemoryRow {
            sequence: row.take(0)?,
            cut_by: row.take(1)?,
            turns: row.take(2)?,
            measured: row.take(3)?,
            now_ms: row.take(4)?,
        })
    })?;
    held.ok_or_else(|| Error::bug("a row that was made is not there"))
}

impl PgTx<'_> {
    /// Blocks updates of a memory's passages until the end of this transaction. A later update
    /// checks again if the memory exists.
    pub(crate) fn stop_following(&self, memory: i64) -> Result<()> {
        // This also blocks an update that is about to create the row: both cannot insert it.
        locked(self, memory).map(drop)
    }
}

/// Restarts with a new version of the analysis: all records must be read again. Servers with the
/// older version stop updating.
fn begin_again(tx: &PgTx<'_>, memory: i64) -> Progress {
    let sql = "UPDATE great SET sequence = $2, analysis = $3 WHERE mem = $1";
    tx.later(sql, vec![Box::new(memory), Box::new(EMPTYING), Box::new(analysis())]);
    Progress::More
}

/// Removes a batch of passages of another analysis.
fn empty(tx: &PgTx<'_>, memory: i64) -> Result<Progress> {
    let mut left = limit(EMPTIED);
    for (table, key) in
        [("passages", "mem, key, part"), ("term_counts", "mem, word"), ("name_counts", "mem, name")]
    {
        let sql = format!(
            "WITH gone AS (DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE mem = $1 LIMIT $2) \
             AND mem = $1 RETURNING 1) SELECT count(*) FROM gone"
        );
        left -= tx.one(&sql, &[&memory, &left], |row| row.take::<i64>(0))?.unwrap_or(0);
        if left <= 0 {
            return Ok(Progress::More);
        }
    }
    let sql = "UPDATE great SET sequence = 0, passages = 0, turns = 0, measured = 0 WHERE mem = $1";
    tx.later(sql, vec![Box::new(memory)]);
    Ok(Progress::More)
}

/// Replaces the passages of records.
fn put(tx: &PgTx<'_>, memory: i64, changes: Vec<IndexChange>, tally: &mut Tally) -> Result<()> {
    let mut keys = Vec::with_capacity(changes.len());
    let mut rows: Vec<PassageRow> = Vec::new();
    for change in changes {
        match change {
            IndexChange::Apply(record) => {
                let record: IndexRecord = *record;
                keys.push(key_of(&record.record));
                rows.extend(PassageRow::of_record(memory, &record));
            }
            IndexChange::Attach(..) => {}
            IndexChange::Remove(record, _) => keys.push(key_of(&record)),
        }
    }
    if keys.is_empty() {
        return Ok(());
    }
    take_out(tx, memory, &keys, tally)?;
    for row in rows {
        tally.add(&row, 1);
        row.put(tx, memory);
    }
    Ok(())
}

/// Passes each row that a rebuild of the memory would create to `each`, for checks.
pub(super) fn fresh_rows(tx: &PgTx<'_>, memory: i64, mut each: impl FnMut(PassageRow)) -> Result<()> {
    let sql = format!("{RECORDS} WHERE r.mem = $1 AND r.sequence > $2 ORDER BY r.sequence LIMIT $3");
    let mut after = 0;
    loop {
        let rows = tx.rows(&sql, &[&memory, &signed(after), &limit(SHARE)])?;
        let mut records = Vec::with_capacity(rows.len());
        for row in &rows {
            after = unsigned(row.take(1)?);
            let content = unsigned(row.take(2)?);
            records.push((Vec::new(), Changed::Record { stored: Box::new(read(row)?), content }));
        }
        for change in analyse(records, 1) {
            if let IndexChange::Apply(record) = change {
                PassageRow::of_record(memory, &record).into_iter().for_each(&mut each);
            }
        }
        if rows.len() < SHARE {
            return Ok(());
        }
    }
}
