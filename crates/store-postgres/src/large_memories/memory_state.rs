//! The state of a large memory: the sequence of its records, and the sequence up to which its
//! passages in the database are updated.

use loci_model::{Error, MemoryId, Result};

use crate::digests::memory_number;
use crate::tx::{Column, PgTx, unsigned};

/// The state of a large memory and of its passages in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GreatMemoryState {
    /// The number of the memory.
    pub(super) number: i64,
    /// The sequence of the memory's last record change.
    pub(crate) sequence: u64,
    /// The state of the passages. `None` if there are none, or only those of an older text
    /// analysis.
    pub(crate) followed: Option<Followed>,
    /// True if the passages are of a newer text analysis. This server must then not read or write
    /// them.
    pub(crate) is_newer: bool,
}

/// The state of a memory's passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Followed {
    /// The sequence up to which the passages include record changes.
    pub(crate) sequence: u64,
    /// The number of passages of the memory.
    pub(crate) passages: u64,
    /// The number of passages of active records.
    pub(super) turns: u64,
    /// The sums over active turns when they were last measured.
    pub(super) measured: ActiveTurnSums,
}

/// Sums over active turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ActiveTurnSums {
    pub(super) turns: i64,
    pub(super) sessions: i64,
    pub(super) terms: i64,
    pub(super) pairs: i64,
    pub(super) windows: i64,
    pub(super) paths: i64,
    pub(super) path_terms: i64,
}

impl GreatMemoryState {
    /// Returns the maximum number of changes that the passages do not include yet.
    pub(crate) fn behind(&self) -> u64 {
        self.sequence.saturating_sub(self.followed.map_or(0, |followed| followed.sequence))
    }
}

/// Returns the state of a memory; `NotFound` if it was deleted.
pub(crate) fn standing(tx: &PgTx<'_>, memory: &MemoryId) -> Result<GreatMemoryState> {
    let number = memory_number(memory);
    let sql = "SELECT c.sequence, g.sequence, g.passages, g.turns, g.measured, g.sessions, g.terms, g.pairs, g.windows, \
               g.paths, g.path_terms, g.analysis FROM counters c JOIN memories m ON m.mem = c.mem \
               LEFT JOIN great g ON g.mem = c.mem WHERE c.mem = $1 AND m.id = $2 AND m.deleted IS NULL";
    let found = tx.one(sql, &[&number, &memory.as_str()], |row| {
        let cut_by = row.take::<Option<i32>>(11)?;
        let is_own = cut_by == Some(analysis());
        let followed = match row.take::<Option<i64>>(1)?.filter(|sequence| is_own && *sequence >= 0) {
            None => None,
            Some(sequence) => Some(Followed {
                sequence: unsigned(sequence),
                passages: unsigned(row.take(2)?),
                turns: unsigned(row.take(3)?),
                measured: ActiveTurnSums {
                    turns: row.take(4)?,
                    sessions: row.take(5)?,
                    terms: row.take(6)?,
                    pairs: row.take(7)?,
                    windows: row.take(8)?,
                    paths: row.take(9)?,
                    path_terms: row.take(10)?,
                },
            }),
        };
        let is_newer = cut_by.is_some_and(|cut_by| cut_by > analysis());
        Ok(GreatMemoryState { number, sequence: unsigned(row.take(0)?), followed, is_newer })
    })?;
    found.ok_or_else(|| Error::not_found("the memory does not exist"))
}

/// Returns the version of the text analysis.
pub(super) fn analysis() -> i32 {
    crate::tx::int(loci_text::ANALYSER_VERSION)
}

/// True if a memory has at least `count` passages.
pub(crate) fn passages_at_least(tx: &PgTx<'_>, memory: &MemoryId, count: u64) -> Result<bool> {
    let sql = "SELECT coalesce(sum(parts), 0)::bigint FROM (SELECT parts FROM records WHERE mem = $1 AND parts > 0 LIMIT $2) r";
    let count = crate::tx::signed(count);
    let found = tx.one(sql, &[&memory_number(memory), &count], |row| row.take::<i64>(0))?;
    Ok(found.unwrap_or(0) >= count)
}
