//! The embedded store: one SQLite file in the data folder, with in-process indexes.
//!
//! It contains no rules of memory: it stores, orders and returns rows. Several processes may open
//! one folder at once; network file systems are rejected. SQL is in `tables/`, one accessor trait
//! per file.

mod backup;
mod bound_values;
mod columns;
mod condition;
mod errors;
mod folder;
mod index_files;
mod index_rows;
mod index_survey;
mod locks;
mod migrate;
mod open;
mod options;
mod replacement;
mod restore;
mod snapshot_writer;
mod statements;
mod store;
mod tables;
mod tx;
#[cfg(test)]
mod unreadable_rows_tests;
mod writer;

pub use folder::data_folder_of;
pub use options::SqliteOptions;
pub use restore::{BackupSecrets, check_restore, restore};
pub use store::SqliteStore;
