//! Sections of document trees: consolidation, the memory tool, mirrors, buckets.

pub mod consolidation;
pub mod memory_tool;
pub mod mirror;
pub mod s3;
