//! The tests of the clients in other languages (`clients/`), against recorded answers and against
//! the binary. It builds the binary and contains no test.

use crate::checkout::Checkout;
use crate::{process, tools};
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

/// Tests the Python client, and compares the generated files of every language with the API of the
/// binary.
///
/// # Errors
/// Errors if the binary does not build or a test fails.
pub(crate) fn python(checkout: &Checkout) -> Result<()> {
    let loci = checkout.loci()?;
    let mut command = Command::new(tools::python()?);
    command.args(["-m", "unittest", "discover", "--start-directory", "tests", "--top-level-directory", "."]);
    command.current_dir(checkout.root.join("clients").join("python"));
    process::run(command.env("LOCI_BIN", loci).env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// Tests the TypeScript client, with the compiler that its lock names.
///
/// # Errors
/// Errors if the binary or the client does not build, or if a test fails.
pub(crate) fn typescript(checkout: &Checkout) -> Result<()> {
    let loci = checkout.loci()?;
    install(checkout)?;
    process::run(npm(checkout, &["test"]).env("LOCI_BIN", loci))
}

/// Returns the folder of the TypeScript client's modules as JavaScript, and builds them if
/// necessary.
///
/// # Errors
/// Errors if the client does not build.
pub(crate) fn built_typescript(checkout: &Checkout) -> Result<PathBuf> {
    if !checkout.is_built {
        install(checkout)?;
        process::run(&mut npm(checkout, &["run", "build"]))?;
    }
    Ok(typescript_folder(checkout).join("dist"))
}

fn install(checkout: &Checkout) -> Result<()> {
    let arguments = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    process::run(&mut npm(checkout, &arguments))
}

fn npm(checkout: &Checkout, arguments: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(arguments).current_dir(typescript_folder(checkout));
    command
}

fn typescript_folder(checkout: &Checkout) -> PathBuf {
    checkout.root.join("clients").join("typescript")
}
