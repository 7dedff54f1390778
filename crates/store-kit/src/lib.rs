//! Code that the SQLite and the PostgreSQL store share: thread pools with connections, search
//! indexes in memory and their updates, readers of rows, short forms of frequent values, and the
//! tables that have the same columns in both databases.
//!
//! Independent of a database: [`IndexSource`], [`fields::Fields`], [`sql::SqlTransaction`] and the
//! connection type abstract the differences between stores.

pub mod body_rows;
pub mod change;
pub mod codes;
pub mod event_members;
pub mod fact_columns;
pub mod fact_rows;
pub mod fact_rules;
pub mod fields;
pub mod index_cache;
pub mod index_search;
pub mod job_kinds;
pub mod moved_rows;
pub mod passages;
pub mod pool;
pub mod record_rules;
pub mod row_readers;
pub mod session_rules;
pub mod sql;
pub mod tables;
pub mod task_rules;
pub mod transfer;
pub mod unreadable_rows;

pub use change::{IndexChange, IndexedContent, StoredRecord, analyse};
pub use index_cache::{IndexCache, IndexSource, IndexedMemoryState, MemoryRows, Slot};
pub use index_search::IndexSearch;
pub use pool::Pool;
