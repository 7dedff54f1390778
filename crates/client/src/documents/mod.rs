//! Calls of trees of documents: files, mirrors, consolidation runs.

mod consolidations;
mod files;
mod mirrors;
