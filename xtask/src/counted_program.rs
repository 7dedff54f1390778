//! `loci-bench` as callgrind counts it: a copy without its debug information, which callgrind would read
//! anew for every process, for longer than most of them run. Names of functions stay.

use crate::{checkout::Checkout, process};
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The copy in a folder, of what is built now.
///
/// # Errors
/// An error where it cannot be built, or `strip` cannot be run.
pub(crate) fn copy(checkout: &Checkout, folder: &Path) -> Result<PathBuf> {
    let built = checkout.loci()?.with_file_name("loci-bench");
    let copy = folder.join("loci-bench");
    process::run(Command::new("strip").arg("--strip-debug").arg("-o").arg(&copy).arg(built))?;
    Ok(copy)
}
