//! A transaction of either database, as the tables of both stores use it.

use loci_model::{Error, MemoryId, Result};

use super::{Bound, RowBatch, SqlValue};
use crate::fields::Fields;

/// Words that each database spells in its own way.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// The function that says where a text holds another, from 1.
    pub position: &'static str,
    /// The least and the greatest of some values.
    pub least: &'static str,
    /// See above.
    pub greatest: &'static str,
    /// No, as a partial index says it.
    pub no: &'static str,
    /// A join whose left side is read first.
    pub joined_first: &'static str,
    /// The column of `memories` that rows name their memory by.
    pub memory_number: &'static str,
    /// At the end of a subquery: rows that others hold are left out.
    pub skip_locked: &'static str,
    /// The number that a row is found by, where rows have one beside their key.
    pub row: Option<&'static str>,
    /// Behind a text that is a JSON document: it is read as one.
    pub as_json: &'static str,
    /// Values of a list, as a condition's right side: `$` and its number go in the middle.
    pub list: (&'static str, &'static str),
}

impl Dialect {
    /// ` JOIN` of the memory of each row of `of`, which is read first: those of deleted ones are
    /// left out.
    pub fn alive(&self, of: &str) -> String {
        let Self { joined_first, memory_number, .. } = self;
        format!(" {joined_first} memories m ON m.{memory_number} = {of}.mem AND m.deleted IS NULL")
    }

    /// Removes the rows of a table that `which` selects, with its order and limit; `key` is what a
    /// row is found by.
    pub fn removal(&self, table: &str, key: &str, which: &str) -> String {
        let Self { row, skip_locked, .. } = self;
        let key = row.unwrap_or(key);
        format!("DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE {which}{skip_locked})")
    }

    /// The condition that a column is one of the texts at a place.
    pub fn one_of(&self, column: &str, place: &str) -> String {
        let (before, behind) = self.list;
        format!("{column} {before}{place}{behind}")
    }
}

/// An open transaction that runs statements with values at `$1` and on.
pub trait SqlTransaction {
    /// A row of an answer.
    type Row<'r>: Fields;

    /// Words that the database spells in its own way.
    const DIALECT: Dialect;

    /// The number of a memory that is not deleted.
    ///
    /// # Errors
    /// Those of the database, as in all the others.
    fn number(&self, memory: &MemoryId) -> Result<Option<i64>>;

    /// The number of a memory, deleted ones included: a purge is a job of one.
    ///
    /// # Errors
    /// See above.
    fn any_number(&self, memory: &MemoryId) -> Result<Option<i64>>;

    /// Returns true in a write beside which others write: what it reads may have to be locked.
    fn has_rivals(&self) -> bool;

    /// The first row.
    ///
    /// # Errors
    /// See above.
    fn one<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        read: impl FnOnce(&Self::Row<'_>) -> Result<T>,
    ) -> Result<Option<T>>;

    /// All rows.
    ///
    /// # Errors
    /// See above.
    fn all<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        read: impl FnMut(&Self::Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>>;

    /// Changes rows; how many.
    ///
    /// # Errors
    /// See above.
    fn run(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<usize>;

    /// Changes rows before the next statement that is waited for; nobody asks how many.
    ///
    /// # Errors
    /// See above; one may be met later, and by the commit at the latest.
    fn later(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<()>;

    /// Writes rows of the memory of that number, as [`Self::later`] does.
    ///
    /// # Errors
    /// See above.
    fn insert(&self, memory: i64, batch: RowBatch<'_>) -> Result<()>;

    /// All rows of several questions, which need not wait for each other.
    ///
    /// # Errors
    /// See above.
    fn all_of<T>(
        &self,
        questions: &[(String, Bound<'_>)],
        mut read: impl FnMut(&Self::Row<'_>) -> Result<T>,
    ) -> Result<Vec<Vec<T>>> {
        questions.iter().map(|(sql, bound)| self.all(sql, bound.values(), &mut read)).collect()
    }

    /// The number of a memory that a write needs.
    ///
    /// # Errors
    /// Not found, where it is not there; and see above.
    fn need(&self, memory: &MemoryId) -> Result<i64> {
        self.number(memory)?.ok_or_else(|| Error::not_found("the memory does not exist"))
    }

    /// Returns true where there is a row.
    ///
    /// # Errors
    /// See above.
    fn has(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<bool> {
        Ok(self.one(sql, values, |_| Ok(()))?.is_some())
    }
}
