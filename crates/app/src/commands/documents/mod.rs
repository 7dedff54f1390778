//! Commands of trees of documents: files, mirrors, consolidation runs, places for files.

pub(crate) mod backend;
pub(crate) mod consolidate;
pub(crate) mod files;
mod history;
mod memory_tool;
pub(crate) mod mirror;
pub(super) mod session_documents;
