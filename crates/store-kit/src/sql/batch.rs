//! Rows of one table that are written together.

use super::SqlValue;

/// Columns of rows for one table, besides the memory.
pub struct RowBatch<'a> {
    /// The table.
    pub table: &'static str,
    /// The name of each column, and its type, which only a database that takes lists asks for.
    pub columns: Vec<(&'static str, &'static str)>,
    /// The values of each column, row by row.
    pub lists: Vec<Vec<SqlValue<'a>>>,
    /// One that is there already is a failure; else it stays.
    pub is_new: bool,
}

impl<'a> RowBatch<'a> {
    /// A batch without columns.
    pub fn of(table: &'static str, is_new: bool) -> Self {
        Self { table, columns: Vec::new(), lists: Vec::new(), is_new }
    }

    /// A column: its name, its type, and its values row by row.
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

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.lists.first().map_or(0, Vec::len)
    }
}
