//! Rows of one table that are written together.

use super::SqlValue;

/// The columns of rows for one table, without the memory.
pub struct RowBatch<'a> {
    /// The table.
    pub table: &'static str,
    /// The name of each column, and its type, which only databases with list parameters need.
    pub columns: Vec<(&'static str, &'static str)>,
    /// The values of each column, by row.
    pub lists: Vec<Vec<SqlValue<'a>>>,
    /// True if an existing row is an error; otherwise it is kept.
    pub is_new: bool,
}

impl<'a> RowBatch<'a> {
    /// Returns a batch without columns.
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

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.lists.first().map_or(0, Vec::len)
    }
}
