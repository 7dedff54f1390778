//! Values bound to a statement that is composed of parts. They are numbered, so that parts may come
//! in any order.

use rusqlite::types::Value;

/// The values, in the order of their numbers.
#[derive(Clone, Default)]
pub(crate) struct SqliteBoundParameters(Vec<Value>);

impl SqliteBoundParameters {
    /// Adds a value and returns its placeholder, such as `?3`.
    pub(crate) fn put(&mut self, value: impl Into<Value>) -> String {
        self.0.push(value.into());
        format!("?{}", self.0.len())
    }

    /// Returns the values.
    pub(crate) fn values(&self) -> &[Value] {
        &self.0
    }
}
