//! Values bound to a statement that is composed of parts. They are numbered, so that parts may come
//! in any order.

use super::SqlValue;

/// The values, in the order of their numbers.
#[derive(Debug, Clone, Default)]
pub struct BoundParameters<'a>(Vec<SqlValue<'a>>);

impl<'a> BoundParameters<'a> {
    /// Adds a value and returns its placeholder, such as `$3`.
    pub fn put(&mut self, value: impl Into<SqlValue<'a>>) -> String {
        self.0.push(value.into());
        format!("${}", self.0.len())
    }

    /// Returns the values.
    pub fn values(&self) -> &[SqlValue<'a>] {
        &self.0
    }
}
