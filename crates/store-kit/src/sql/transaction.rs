//! The interface of an SQLite or PostgreSQL transaction for the code that both stores share.

use loci_model::{Error, MemoryId, Result};

use super::{BoundParameters, RowBatch, SqlValue};
use crate::fields::Fields;

/// The parts of SQL that SQLite and PostgreSQL spell differently.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// The name of the function that returns the position of a text in another text, from 1.
    pub position: &'static str,
    /// The name of the function that returns the smallest of its arguments.
    pub least: &'static str,
    /// The name of the function that returns the greatest of its arguments.
    pub greatest: &'static str,
    /// The literal for false in the condition of a partial index.
    pub no: &'static str,
    /// The keyword for a join that makes the database read the left table first, if it has such a
    /// join.
    pub joined_first: &'static str,
    /// The column of the table `memories` to which the column `mem` of other tables refers.
    pub memory_number: &'static str,
    /// The end of a subquery that skips rows locked by other transactions; empty if the database
    /// has no row locks.
    pub skip_locked: &'static str,
    /// The name of the hidden row number, if rows of the database have one in addition to their
    /// key.
    pub row: Option<&'static str>,
    /// The text after a placeholder that converts its value from text to the type of JSON
    /// columns.
    pub as_json: &'static str,
    /// The SQL before and after the placeholder in a condition that a column equals one of the
    /// values of a list.
    pub list: (&'static str, &'static str),
}

impl Dialect {
    /// Returns an SQL ` JOIN` that adds the memory to each row of the table alias `of`, which is
    /// read first. The join excludes rows of deleted memories.
    pub fn alive(&self, of: &str) -> String {
        let Self { joined_first, memory_number, .. } = self;
        format!(" {joined_first} memories m ON m.{memory_number} = {of}.mem AND m.deleted IS NULL")
    }

    /// Returns a `DELETE` statement for the rows of a table that the condition `which` selects,
    /// with its order and limit. `key` is the column that identifies a row.
    pub fn removal(&self, table: &str, key: &str, which: &str) -> String {
        let Self { row, skip_locked, .. } = self;
        let key = row.unwrap_or(key);
        format!("DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE {which}{skip_locked})")
    }

    /// Returns the SQL condition that a column equals one of the texts bound to the placeholder
    /// `place`.
    pub fn one_of(&self, column: &str, place: &str) -> String {
        let (before, behind) = self.list;
        format!("{column} {before}{place}{behind}")
    }
}

/// An open transaction that runs SQL statements. The values of a statement are bound to `$1`,
/// `$2`, and so on.
pub trait SqlTransaction {
    /// A row in the result of a query.
    type Row<'r>: Fields;

    /// The spelling of SQL in this database.
    const DIALECT: Dialect;

    /// Returns the internal number of a memory; `None` if it does not exist or is deleted.
    ///
    /// # Errors
    /// Errors of the database, as in all other methods.
    fn number(&self, memory: &MemoryId) -> Result<Option<i64>>;

    /// Returns the internal number of a memory, even of a deleted one: the job that purges a
    /// memory runs after its deletion.
    ///
    /// # Errors
    /// See above.
    fn any_number(&self, memory: &MemoryId) -> Result<Option<i64>>;

    /// Returns true if other writes may run at the same time: the transaction must then lock the
    /// rows that it reads before a change.
    fn has_rivals(&self) -> bool;

    /// Runs a query and returns its first row; `None` if it has no rows.
    ///
    /// # Errors
    /// See above.
    fn one<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        read: impl FnOnce(&Self::Row<'_>) -> Result<T>,
    ) -> Result<Option<T>>;

    /// Runs a query and returns all rows.
    ///
    /// # Errors
    /// See above.
    fn all<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        read: impl FnMut(&Self::Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>>;

    /// Runs a statement that changes rows, and returns the number of changed rows.
    ///
    /// # Errors
    /// See above.
    fn run(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<usize>;

    /// Queues a statement that changes rows, when the caller does not need the number of rows. It
    /// runs before the next statement that returns a result.
    ///
    /// # Errors
    /// See above; an error may be reported later, by the commit at the latest.
    fn later(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<()>;

    /// Queues the writing of rows that belong to the memory with this internal number, like
    /// [`Self::later`].
    ///
    /// # Errors
    /// See above.
    fn insert(&self, memory: i64, batch: RowBatch<'_>) -> Result<()>;

    /// Runs several independent queries and returns the rows of all of them.
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

    /// Returns the internal number of a memory that must exist, before a write.
    ///
    /// # Errors
    /// Not found, if it does not exist; and see above.
    fn need(&self, memory: &MemoryId) -> Result<i64> {
        self.number(memory)?.ok_or_else(|| Error::not_found("the memory does not exist"))
    }

    /// Returns true if a query has at least one row.
    ///
    /// # Errors
    /// See above.
    fn has(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<bool> {
        Ok(self.one(sql, values, |_| Ok(()))?.is_some())
    }
}
