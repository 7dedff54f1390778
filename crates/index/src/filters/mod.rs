//! Indexes for filters: parts of a memory, attributes of records, metadata, and ranges of numbers.

pub(super) mod facets;
mod holders;
pub(super) mod metadata_index;
mod number_column;
pub(super) mod parts;
mod slices;
