//! A transaction of either database, as used by the tables of both stores.

use loci_model::{Error, MemoryId, Result};

use super::{BoundParameters, RowBatch, SqlValue};
use crate::fields::Fields;

/// SQL with different spellings in the databases.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// The function that returns the position of a text in another, from 1.
    pub position: &'static str,
    /// The function for the least of some values.
    pub least: &'static str,
    /// The function for the greatest of some values.
    pub greatest: &'static str,
    /// The literal for false in the conditions of partial indexes.
    pub no: &'static str,
    /// A join whose left side is read first.
    pub joined_first: &'static str,
    /// The column of `memories` to which the memory number of rows refers.
    pub memory_number: &'static str,
    /// The suffix of a subquery that skips rows locked by others.
    pub skip_locked: &'static str,
    /// The row number, if rows have one in addition to their key.
    pub row: Option<&'static str>,
    /// The suffix that converts a JSON text.
    pub as_json: &'static str,
    /// The right side of a condition on a list of values: `$` and its number go in the middle.
    pub list: (&'static str, &'static str),
}

impl Dialect {
    /// Returns a ` JOIN` with the memory of each row of `of`, which is read first. It excludes
    /// deleted memories.
    pub fn alive(&self, of: &str) -> String {
        let Self { joined_first, memory_number, .. } = self;
        format!(" {joined_first} memories m ON m.{memory_number} = {of}.mem AND m.deleted IS NULL")
    }

    /// Returns a statement that removes the rows of a table that `which` selects, with its order
    /// and limit; `key` identifies a row.
    pub fn removal(&self, table: &str, key: &str, which: &str) -> String {
        let Self { row, skip_locked, .. } = self;
        let key = row.unwrap_or(key);
        format!("DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE {which}{skip_locked})")
    }

    /// Returns the condition that a column equals one of the texts at a placeholder.
    pub fn one_of(&self, column: &str, place: &str) -> String {
        let (before, behind) = self.list;
        format!("{column} {before}{place}{behind}")
    }
}

/// An open transaction that runs statements with values from `$1` on.
pub trait SqlTransaction {
    /// A row of a result.
    type Row<'r>: Fields;

    /// The SQL dialect of the database.
    const DIALECT: Dialect;

    /// Returns the number of a memory that is not deleted.
    ///
    /// # Errors
    /// Errors of the database, as in all other methods.
    fn number(&self, memory: &MemoryId) -> Result<Option<i64>>;

    /// Returns the number of a memory, even if deleted: its purge is one of its jobs.
    ///
    /// # Errors
    /// See above.
    fn any_number(&self, memory: &MemoryId) -> Result<Option<i64>>;

    /// True for a write concurrent with others, which may have to lock the rows it reads.
    fn has_rivals(&self) -> bool;

    /// Returns the first row.
    ///
    /// # Errors
    /// See above.
    fn one<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        read: impl FnOnce(&Self::Row<'_>) -> Result<T>,
    ) -> Result<Option<T>>;

    /// Returns all rows.
    ///
    /// # Errors
    /// See above.
    fn all<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        read: impl FnMut(&Self::Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>>;

    /// Changes rows, and returns their number.
    ///
    /// # Errors
    /// See above.
    fn run(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<usize>;

    /// Changes rows before the next statement with a response, without returning their number.
    ///
    /// # Errors
    /// See above; an error may be reported later, by the commit at the latest.
    fn later(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<()>;

    /// Writes rows of the memory with that number, like [`Self::later`].
    ///
    /// # Errors
    /// See above.
    fn insert(&self, memory: i64, batch: RowBatch<'_>) -> Result<()>;

    /// Returns all rows of several independent queries.
    ///
    /// # Errors
    /// See above.
    fn all_of<T>(
        &self,
        questions: &[(String, BoundParameters<'_>)],
        mut read: impl FnMut(&Self::Row<'_>) -> Result<T>,
    ) -> Result<Vec<Vec<T>>> {
        questions.iter().map(|(sql, bound)| self.all(sql, bound.values(), &mut read)).collect()
    }

    /// Returns the number of a memory for a write.
    ///
    /// # Errors
    /// Not found, if it does not exist; and see above.
    fn need(&self, memory: &MemoryId) -> Result<i64> {
        self.number(memory)?.ok_or_else(|| Error::not_found("the memory does not exist"))
    }

    /// True if the query returns a row.
    ///
    /// # Errors
    /// See above.
    fn has(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<bool> {
        Ok(self.one(sql, values, |_| Ok(()))?.is_some())
    }
}
