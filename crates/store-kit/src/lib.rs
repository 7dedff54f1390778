//! What the stores have in common: threads that hold a connection each, the indexes of a process
//! and how they catch up, records as the index takes them in, nouns read from rows, short forms of
//! what is stored often, and tables that lie in the same columns in both.
//!
//! No database: what differs between stores comes in through [`IndexSource`], [`fields::Fields`],
//! [`sql::SqlTransaction`] and the type of a connection.

pub mod body_rows;
pub mod change;
pub mod codes;
pub mod event_more;
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
pub mod reading;
pub mod record_rules;
pub mod session_rules;
pub mod sql;
pub mod tables;
pub mod task_rules;
pub mod transfer;
pub mod unreadable;

pub use change::{Change, Held, StoredRecord, analyse};
pub use index_cache::{IndexCache, IndexSource, MemoryRows, Slot, Standing};
pub use index_search::IndexSearch;
pub use pool::Pool;
