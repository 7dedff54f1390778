//! A store on a Loci server: its options, its events, its records, its tools.

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
