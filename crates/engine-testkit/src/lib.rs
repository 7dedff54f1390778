//! An engine for tests: a store in its own place, the engine on it with every product, a simulator
//! that runs it from a seed, moves of memories between stores, and a real PostgreSQL. The product
//! must never depend on it.

pub mod simulator;
pub mod store_transfer;
pub mod test_engine;
pub mod test_location;

pub use test_location::TestLocation;

/// Places for mirrors on this machine.
pub use loci_git::LocalPlaces;
/// A real PostgreSQL with pgvector.
pub use loci_pgserver as postgres;
