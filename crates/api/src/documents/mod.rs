//! Types of the documents product: files, trees, mirrors, consolidation runs, the memory tool, and
//! parked objects.

pub mod consolidation;
pub mod file;
pub mod memory_tool;
pub mod mirror;
pub mod object;
pub mod table;
pub mod tree;
