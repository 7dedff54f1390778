//! The stores that are ready: [`FileStore`] on files that people read, too.
//!
//! A new store is a file here that implements the port. What stores of one kind have in common lies beside them: places with
//! placeholders, messages grouped into events, who may write.

mod file_layout;
mod file_search;
mod file_store;
pub mod topology;

pub use file_store::{FileStore, FileStoreOptions};
