//! SQL statements that SQLite and PostgreSQL both accept, and the interface with which a store
//! runs them. The module `tables` uses this interface to implement each table with the same
//! columns in both databases once.

mod batch;
mod bound_values;
mod transaction;
mod values;

pub use batch::RowBatch;
pub use bound_values::BoundParameters;
pub use transaction::{Dialect, SqlTransaction};
pub use values::SqlValue;
