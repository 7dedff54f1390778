//! The values of a statement that is composed of parts. Their placeholders are numbered, so that
//! parts may come in any order.

use tokio_postgres::types::ToSql;

use crate::tx::{OwnedValues, borrowed};

/// The values, in the order of their numbers.
#[derive(Default)]
pub(crate) struct PgBoundParameters(OwnedValues);

impl PgBoundParameters {
    /// Adds a value and returns its placeholder, such as `$3`.
    pub(crate) fn put(&mut self, value: impl ToSql + Sync + Send + 'static) -> String {
        self.0.push(Box::new(value));
        format!("${}", self.0.len())
    }

    /// Returns the values, for executing the statement.
    pub(crate) fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        borrowed(&self.0)
    }
}
