//! Tools for tests of the engine: an engine with every product on a store of its own, a simulator
//! that runs random operations from a seed, moves between stores, and a real PostgreSQL.
//! Production code must never depend on this crate.

pub mod simulator;
pub mod store_transfer;
pub mod test_engine;
pub mod test_location;

pub use test_location::TestLocation;

/// Directories on this machine in which mirrors of document trees may be.
pub use loci_git::LocalPlaces;
/// A real PostgreSQL server with pgvector, for tests.
pub use loci_pgserver as postgres;
