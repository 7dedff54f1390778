//! Nouns of trees of documents: their entries, reads, mirrors, consolidation runs, parked objects.

pub mod consolidation_run;
pub mod document_reads;
pub mod mirror;
pub mod parked_object;
pub mod tree_entry;
