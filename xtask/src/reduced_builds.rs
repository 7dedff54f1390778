//! Builds of the program without some of its products, or without any: the wire alone. Each product
//! may be left out, so each is built alone; what it needs comes with it.

use crate::checkout::Checkout;
use crate::process;
use anyhow::{Result, ensure};
use std::path::PathBuf;

/// The products of each build, as a feature of the program; the empty text is the wire alone.
const PRODUCTS: [&str; 5] = ["", "verified", "coding", "documents", "operations"];

/// The program and the client as users build them, and every reduced build, checked.
///
/// # Errors
/// Errors of the compiler.
pub(crate) fn check(checkout: &Checkout) -> Result<()> {
    process::run(&mut checkout.cargo(&["check", "--locked", "--package", "loci"]))?;
    // As a program embeds it: without the server's framework and without the engine's JSON.
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

/// Builds the wire alone, beside the program that everything else uses, and returns its path.
///
/// # Errors
/// Errors of the compiler.
pub(crate) fn wire_alone(checkout: &Checkout) -> Result<PathBuf> {
    let target = checkout.target.join("wire-alone");
    let arguments = ["build", "--quiet", "--locked", "--package", "loci", "--no-default-features"];
    process::run(checkout.cargo(&arguments).arg("--target-dir").arg(&target))?;
    let path = target.join("debug").join(format!("loci{}", std::env::consts::EXE_SUFFIX));
    ensure!(path.is_file(), "cargo built no {}", path.display());
    Ok(path)
}
