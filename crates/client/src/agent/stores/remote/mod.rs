//! A store in a memory on a Loci server: its options, events, records and tools.

mod additions;
pub(super) mod errors;
mod events;
mod feedback;
mod memory;
pub(super) mod options;
mod records;
mod rights;
pub(super) mod store;
mod tools;
