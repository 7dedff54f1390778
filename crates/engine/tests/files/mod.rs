//! A memory as files: documents and their preconditions, synchronization of trees with records,
//! history, listings. Names contain the numbers of the bugs that the design review found.

mod blind_writers;
mod buckets;
mod consolidations;
mod documents;
mod fixture;
mod histories;
mod interrupted_mirrors;
mod listings;
mod lost_updates;
mod memory_tool;
mod mirror_erasure;
mod mirror_layouts;
mod mirror_restore;
mod mirror_separation;
mod mirrors;
mod mirrors_git;
mod mirrors_timeline;
mod preserved_files;
mod trees;
