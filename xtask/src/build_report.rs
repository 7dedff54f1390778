//! `cargo xtask build-report`: compares the number of foreign packages, the time of a clean release
//! build and the size of the binary with the budget. The reasons for the budget are in
//! docs/decisions. Time and size are measured only with `--clean`, on an idle machine.

use crate::{checkout::Checkout, process};
use anyhow::{Result, bail};
use std::collections::BTreeSet;
use std::time::Instant;

const PACKAGES_MAX: u64 = 256;
const BUILD_SECONDS_MAX: u64 = 6 * 60;
/// The maximum size of the binary in MiB. The embedding model takes about 23 MB of it.
const BINARY_MIB_MAX: u64 = 64;

/// The measurements to make.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Arguments {
    /// Time a clean release build in a temporary folder (minutes).
    #[arg(long)]
    clean: bool,
}

struct Figure {
    name: &'static str,
    value: u64,
    max: u64,
}

/// Prints the table of figures.
///
/// # Errors
/// Errors if a figure is over its budget.
pub(crate) fn run(checkout: &Checkout, arguments: &Arguments) -> Result<()> {
    let mut figures =
        vec![Figure { name: "foreign packages", value: packages(checkout)?, max: PACKAGES_MAX }];
    let folder = tempfile::tempdir()?;
    let target = if arguments.clean { folder.path().to_owned() } else { checkout.target.clone() };
    let binary = target.join("release").join("loci");
    if arguments.clean {
        // The build time does not include downloads.
        process::run(&mut checkout.cargo(&["fetch", "--locked"]))?;
        let began = Instant::now();
        let mut build = checkout.cargo(&["build", "--quiet", "--locked", "--release", "--package", "loci"]);
        process::run(build.env("CARGO_TARGET_DIR", &target))?;
        let value = began.elapsed().as_secs();
        figures.push(Figure { name: "clean release build, s", value, max: BUILD_SECONDS_MAX });
    }
    if arguments.clean {
        let file = std::fs::metadata(&binary)?;
        figures.push(Figure { name: "binary, MiB", value: file.len() >> 20, max: BINARY_MIB_MAX });
    }
    println!("{:<26} {:>8} {:>8}", "figure", "now", "budget");
    for figure in &figures {
        println!("{:<26} {:>8} {:>8}", figure.name, figure.value, figure.max);
    }
    let over: Vec<_> = figures.iter().filter(|f| f.value > f.max).map(|f| f.name).collect();
    if !over.is_empty() {
        bail!(
            "over budget: {}; do without a dependency or decide a new budget in docs/decisions",
            over.join(", ")
        );
    }
    Ok(())
}

/// Returns the number of foreign packages compiled for the binary, including those of build
/// scripts. Our own packages are not counted: they are no risk, and their number is a design
/// choice.
fn packages(checkout: &Checkout) -> Result<u64> {
    let arguments = ["tree", "--locked", "-e", "normal,build", "-p", "loci", "--prefix", "none"];
    let tree = process::output(&mut checkout.cargo(&arguments))?;
    Ok(distinct(&tree))
}

fn distinct(tree: &str) -> u64 {
    let is_ours = |line: &str| line.starts_with("loci");
    let packages = tree.lines().filter(|line| !line.is_empty() && !is_ours(line));
    packages.map(|line| line.trim_end_matches(" (*)")).collect::<BTreeSet<_>>().len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_counts_once_and_its_versions_apart() {
        assert_eq!(distinct("a v1\nb v1\na v1 (*)\na v2\nloci v1\nloci-api v1\n\n"), 3);
    }
}
