//! Support for tests of the client: a whole Loci server in the test's own process, and the
//! conformance suite of all agent stores. It is separate from `loci-testkit`, which the engine's
//! tests use and which depends on no API. Never a dependency of the product.

pub mod conformance;
mod test_loci;

pub use test_loci::TestLoci;
