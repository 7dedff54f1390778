//! What tests of the client need: a whole Loci server in the test's own process, and the conformance suite that every store of an agent
//! passes. Beside `loci-testkit`, which the engine's tests wait for and which knows no wire. Never a dependency of the product.

pub mod conformance;
mod test_loci;

pub use test_loci::TestLoci;
