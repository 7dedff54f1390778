//! Statements that are valid in both databases, and the interface with which a store runs them.
//! `tables` implements each table with the same columns in both stores once, over this interface.
//! Tables that differ in more than spelling are implemented in their store.

mod batch;
mod bound_values;
mod transaction;
mod values;

pub use batch::RowBatch;
pub use bound_values::BoundParameters;
pub use transaction::{Dialect, SqlTransaction};
pub use values::SqlValue;
