//! An engine for tests: a store in a place of its own, the engine over it with every product, a
//! simulator that runs it from a seed, moving of memories between stores, and a real PostgreSQL.
//! Never a dependency of the product.

pub mod moving;
pub mod place;
pub mod simulator;
pub mod world;

pub use place::TestPlace;

/// Places for mirrors on this machine.
pub use loci_git::LocalPlaces;
/// A real PostgreSQL with pgvector.
pub use loci_pgserver as postgres;
