//! The tools of the tests. It checks the tools of a fresh machine (git, Python 3.11, Node 20) and
//! installs the rest. A tool that is missing and cannot be installed is an error that names the
//! remedy, never a skipped test.

use crate::{checkout::Checkout, process};
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

const PYTHON_MIN: (u32, u32) = (3, 11);
const NODE_MIN: u32 = 20;
/// The compiler of clippy, for `xtask/compiler.sh`.
const CLIPPY_DRIVER: &str = "clippy-driver";

/// Checks every tool, and installs missing tools if possible.
///
/// # Errors
/// Errors with the name of the first tool that is missing or too old.
pub(crate) fn check(checkout: &Checkout) -> Result<()> {
    ensure!(
        process::succeeds(Command::new("git").arg("--version")),
        "git is missing: install it (apt-get install git)"
    );
    let python = python()?;
    let node = process::output(Command::new("node").arg("--version"))
        .context("Node is missing: install Node 20 or newer")?;
    let (major, _) = version(&node).with_context(|| format!("unreadable version of node: {node}"))?;
    ensure!(major >= NODE_MIN, "Node {} is too old: install Node {NODE_MIN} or newer", node.trim());
    ensure!(process::succeeds(Command::new("npm").arg("--version")), "npm is missing: it comes with Node");
    valgrind()?;
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        component_of_toolchain(checkout, subcommand, component)?;
    }
    let has_driver = process::succeeds(Command::new(CLIPPY_DRIVER).arg("--version"));
    ensure!(has_driver, "{CLIPPY_DRIVER} is not in PATH: it lies beside rustc, or is rustup's");
    let rust = process::output(&mut checkout.cargo(&["--version"]))?;
    println!("{}, {}, node {}", rust.trim(), version_line(&python)?, node.trim());
    Ok(())
}

/// Installs valgrind, which counts the instructions of `bench smoke` and `scanners`.
fn valgrind() -> Result<()> {
    let present = || process::succeeds(Command::new("valgrind").arg("--version"));
    if present() {
        return Ok(());
    }
    let apt = |arguments: &[&str]| process::run(Command::new("apt-get").args(arguments));
    // The package lists of a fresh machine are empty or old.
    apt(&["install", "--yes", "--no-install-recommends", "valgrind"])
        .or_else(|_| {
            apt(&["update"])?;
            apt(&["install", "--yes", "--no-install-recommends", "valgrind"])
        })
        .context("valgrind is missing: install it (apt-get install valgrind)")?;
    ensure!(present(), "valgrind is installed but does not start");
    Ok(())
}

fn component_of_toolchain(checkout: &Checkout, subcommand: &str, component: &str) -> Result<()> {
    let present = |checkout: &Checkout| process::succeeds(&mut checkout.cargo(&[subcommand, "--version"]));
    if present(checkout) {
        return Ok(());
    }
    process::run(Command::new("rustup").args(["component", "add", component]))
        .with_context(|| format!("{component} is missing: run `rustup component add {component}`"))?;
    ensure!(present(checkout), "{component} is installed but `cargo {subcommand}` does not start");
    Ok(())
}

/// Returns the Python interpreter to use.
///
/// # Errors
/// Errors if no interpreter is new enough.
pub(crate) fn python() -> Result<PathBuf> {
    for name in ["python3", "python3.14", "python3.13", "python3.12", "python3.11"] {
        let Ok(text) = version_line(Path::new(name)) else { continue };
        if version(&text).is_some_and(|v| v >= PYTHON_MIN) {
            return Ok(name.into());
        }
    }
    bail!("Python {}.{} or newer is missing: install python3 and pip", PYTHON_MIN.0, PYTHON_MIN.1)
}

fn version_line(python: &Path) -> Result<String> {
    let output = Command::new(python).arg("--version").output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Returns major and minor of the first version in a line like `Python 3.11.7` or `v20.20.2`.
fn version(text: &str) -> Option<(u32, u32)> {
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let mut parts = digits.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        let check = |text: &str, expect: Option<(u32, u32)>| assert_eq!(version(text), expect, "{text}");
        check("Python 3.11.7", Some((3, 11)));
        check("v20.20.2\n", Some((20, 20)));
        check("Python 3.9.1", Some((3, 9)));
        check("none", None);
        check("", None);
        assert!((3, 9) < PYTHON_MIN && (3, 11) >= PYTHON_MIN && (4, 0) >= PYTHON_MIN);
    }
}
