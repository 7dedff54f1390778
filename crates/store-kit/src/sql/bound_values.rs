//! Values that are bound to the placeholders of an SQL statement. The placeholders are numbered,
//! so that the parts of the statement may be composed in any order.

use super::SqlValue;

/// The bound values of a statement, in the order of their placeholders.
#[derive(Debug, Clone, Default)]
pub struct BoundParameters<'a>(Vec<SqlValue<'a>>);

impl<'a> BoundParameters<'a> {
    /// Adds a value and returns its placeholder for the statement, such as `$3`.
    pub fn put(&mut self, value: impl Into<SqlValue<'a>>) -> String {
        self.0.push(value.into());
        format!("${}", self.0.len())
    }

    /// Returns the bound values in the order of their placeholders.
    pub fn values(&self) -> &[SqlValue<'a>] {
        &self.0
    }
}
