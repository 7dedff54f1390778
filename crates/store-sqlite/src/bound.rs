//! Values bound to a statement that is put together from parts: numbered, so that parts may come in any order.

use rusqlite::types::Value;

/// The values, in the order of their numbers.
#[derive(Clone, Default)]
pub(crate) struct Bound(Vec<Value>);

impl Bound {
    /// Keeps a value and returns its place in the statement, like `?3`.
    pub(crate) fn put(&mut self, value: impl Into<Value>) -> String {
        self.0.push(value.into());
        format!("?{}", self.0.len())
    }

    /// The values.
    pub(crate) fn values(&self) -> &[Value] {
        &self.0
    }
}
