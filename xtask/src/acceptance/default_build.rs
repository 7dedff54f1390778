//! The build without the features that CI adds: what it says of what it lacks. CI compiles it and
//! runs the build with all features.

use crate::{checkout::Checkout, process};
use anyhow::Result;

/// Runs the tests of the two packages that have features, without any.
///
/// # Errors
/// Errors of the compiler, and tests that fail.
pub(super) fn run(checkout: &Checkout) -> Result<()> {
    process::run(&mut checkout.cargo(&[
        "test",
        "--locked",
        "--package",
        "loci",
        "--package",
        "loci-client",
        "--lib",
    ]))
}
