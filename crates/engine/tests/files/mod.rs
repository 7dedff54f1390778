//! A memory as files: documents and their preconditions, synchronization of trees with records,
//! history, listings. Names contain the numbers of the bugs that the design review found.

mod blind_writers;
mod buckets;
mod consolidations;
mod documents;
mod histories;
mod listings;
mod lost_updates;
mod memory_tool;
mod mirrors;
mod mirrors_apart;
mod mirrors_cut_off;
mod mirrors_forgotten;
mod mirrors_git;
mod mirrors_kept;
mod mirrors_laid;
mod mirrors_restored;
mod mirrors_timeline;
mod trees;
mod world;
