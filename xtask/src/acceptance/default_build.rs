//! Tests the build without the features that CI adds, including its error messages about the
//! missing features. CI compiles this build, but runs the build with all features.

use crate::{checkout::Checkout, process};
use anyhow::Result;

/// Runs the tests of the two packages that have features, without any feature.
///
/// # Errors
/// Errors if the packages do not compile or a test fails.
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
