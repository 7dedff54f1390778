//! The copy of `loci-bench` that callgrind counts, without debug information. Callgrind would read
//! that information again for every process, which takes longer than most of them run. The names of
//! functions remain.

use crate::{checkout::Checkout, process};
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Creates the copy of the current build in a folder.
///
/// # Errors
/// Errors if the program cannot be built, or if `strip` cannot be run.
pub(crate) fn copy(checkout: &Checkout, folder: &Path) -> Result<PathBuf> {
    let built = checkout.loci()?.with_file_name("loci-bench");
    let copy = folder.join("loci-bench");
    process::run(Command::new("strip").arg("--strip-debug").arg("-o").arg(&copy).arg(built))?;
    Ok(copy)
}
