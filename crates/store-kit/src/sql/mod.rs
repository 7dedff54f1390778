//! Statements that both databases read alike, and how a store runs them. A table that lies in the
//! same columns in both is written once over this, in `tables`; what differs in more than spelling
//! stays in its store.

mod batch;
mod bound;
mod transaction;
mod values;

pub use batch::RowBatch;
pub use bound::Bound;
pub use transaction::{Dialect, SqlTransaction};
pub use values::SqlValue;
