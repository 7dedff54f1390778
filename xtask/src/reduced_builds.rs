//! Builds of the program without some of its products, or without any: the wire alone. Each product
//! is optional, so each is built alone, together with the products that it needs.

use crate::checkout::Checkout;
use crate::process;
use anyhow::{Result, ensure};
use std::path::PathBuf;

/// The products of each build, as a feature of the program. The empty text is the wire alone.
const PRODUCTS: [&str; 5] = ["", "verified", "coding", "documents", "operations"];

/// Checks the program and the client as users build them, and every reduced build.
///
/// # Errors
/// Errors if a build does not compile.
pub(crate) fn check(checkout: &Checkout) -> Result<()> {
    process::run(&mut checkout.cargo(&["check", "--locked", "--package", "loci"]))?;
    // As an embedding program builds it: without the server's framework and without the engine's
    // JSON.
    process::run(&mut checkout.cargo(&["check", "--locked", "--package", "loci-client"]))?;
    for product in PRODUCTS {
        println!("products: {}", if product.is_empty() { "none" } else { product });
        process::run(&mut checkout.cargo(&[
            "check",
            "--locked",
            "--package",
            "loci",
            "--no-default-features",
            "--features",
            product,
        ]))?;
    }
    Ok(())
}

/// Builds the wire alone in a separate target folder, so that the normal binary stays, and returns
/// its path.
///
/// # Errors
/// Errors if the build does not compile.
pub(crate) fn wire_alone(checkout: &Checkout) -> Result<PathBuf> {
    let target = checkout.target.join("wire-alone");
    let arguments = ["build", "--quiet", "--locked", "--package", "loci", "--no-default-features"];
    process::run(checkout.cargo(&arguments).arg("--target-dir").arg(&target))?;
    let path = target.join("debug").join(format!("loci{}", std::env::consts::EXE_SUFFIX));
    ensure!(path.is_file(), "cargo built no {}", path.display());
    Ok(path)
}
