//! Rows of one table that are written with one statement.

use super::SqlValue;

/// Rows for one table, stored by column. The column with the memory's number is not part of the
/// batch.
pub struct RowBatch<'a> {
    /// The name of the table.
    pub table: &'static str,
    /// The name and the SQL type of each column. Only a database with list parameters needs the
    /// type.
    pub columns: Vec<(&'static str, &'static str)>,
    /// One list of values for each column, with one value for each row.
    pub lists: Vec<Vec<SqlValue<'a>>>,
    /// True if a row whose key exists is an error; false if the existing row is kept.
    pub is_new: bool,
}

impl<'a> RowBatch<'a> {
    /// Creates a batch for a table, without columns and rows.
    pub fn of(table: &'static str, is_new: bool) -> Self {
        Self { table, columns: Vec::new(), lists: Vec::new(), is_new }
    }

    /// Adds a column: its name, its type, and its values by row.
    #[must_use]
    pub fn with<V: Into<SqlValue<'a>>>(
        mut self,
        name: &'static str,
        kind: &'static str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.columns.push((name, kind));
        self.lists.push(values.into_iter().map(Into::into).collect());
        self
    }

    /// Returns the number of rows in the batch.
    pub fn rows(&self) -> usize {
        self.lists.first().map_or(0, Vec::len)
    }
}
