//! Shapes of trees of documents: files, mirrors, consolidation runs, the memory tool, parked
//! objects.

pub mod consolidation;
pub mod file;
pub mod memory_tool;
pub mod mirror;
pub mod object;
pub mod table;
pub mod tree;
