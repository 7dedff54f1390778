//! Values bound to a statement that is put together from parts: numbered, so that parts may come in
//! any order.

use super::SqlValue;

/// The values, in the order of their numbers.
#[derive(Debug, Clone, Default)]
pub struct Bound<'a>(Vec<SqlValue<'a>>);

impl<'a> Bound<'a> {
    /// Keeps a value and returns its place in the statement, like `$3`.
    pub fn put(&mut self, value: impl Into<SqlValue<'a>>) -> String {
        self.0.push(value.into());
        format!("${}", self.0.len())
    }

    /// The values.
    pub fn values(&self) -> &[SqlValue<'a>] {
        &self.0
    }
}
