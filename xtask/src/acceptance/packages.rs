//! Installs the foreign clients from their locks into the target folder: Python environments and
//! npm packages. A lock that has not changed since the last installation is not installed again. It
//! never changes a lock.

use crate::{checkout::Checkout, process, tools};
use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Python environment with exactly the packages of a lock.
#[derive(Debug)]
pub(crate) struct PythonEnvironment {
    pub(crate) python: PathBuf,
}

/// Installs `compat/<name>/requirements.lock`.
pub(crate) fn python(checkout: &Checkout, name: &str) -> Result<PythonEnvironment> {
    let lock = checkout.root.join("compat").join(name).join("requirements.lock");
    let folder = checkout.compat_target(name).join("venv");
    install(checkout, &lock, &folder, &["--require-hashes", "--no-deps"])
}

/// Installs the packages that the file `pins` lists, and their dependencies, into `folder`.
pub(crate) fn pinned(checkout: &Checkout, pins: &Path, folder: &Path) -> Result<PythonEnvironment> {
    install(checkout, pins, folder, &[])
}

/// Unpacks the one binary package that `lock` pins into `folder`, without an environment. It serves
/// packages whose content is not Python. The result is the same with every version of Python.
pub(crate) fn unpacked(lock: &Path, folder: &Path) -> Result<()> {
    once(lock, folder, || {
        let mut command = Command::new(tools::python()?);
        command.args(["-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]);
        command.args(["--require-hashes", "--no-deps", "--no-compile", "--only-binary", ":all:"]);
        command.args(["--python-version", "3.11", "--implementation", "cp", "--abi", "cp311"]);
        process::run(command.arg("--target").arg(folder).arg("--requirement").arg(lock))
    })
}

fn install(checkout: &Checkout, lock: &Path, folder: &Path, options: &[&str]) -> Result<PythonEnvironment> {
    let python = folder.join("bin").join("python");
    once(lock, folder, || {
        create_environment(folder)?;
        let mut command = Command::new(installer(checkout)?);
        command.args(["pip", "install", "--quiet"]).args(options).arg("--requirement").arg(lock);
        command.arg("--python").arg(&python).arg("--cache-dir").arg(checkout.compat_target("packages"));
        process::run(&mut command)
    })?;
    Ok(PythonEnvironment { python })
}

/// Returns the program that fills environments (`uv`). It needs one second where pip needs 15 s.
///
/// # Errors
/// Errors if it cannot be installed.
pub(crate) fn installer(checkout: &Checkout) -> Result<PathBuf> {
    let folder = checkout.compat_target("uv");
    unpacked(&checkout.root.join("compat").join("uv").join("requirements.lock"), &folder)?;
    Ok(folder.join("bin").join("uv"))
}

/// Creates an empty environment, without pip. On Debian, an environment with its own pip needs a
/// further package.
fn create_environment(folder: &Path) -> Result<()> {
    process::run(Command::new(tools::python()?).args(["-m", "venv", "--clear", "--without-pip"]).arg(folder))
        .context("Python's venv module is missing: install it (apt-get install python3-venv)")
}

/// Returns the unpacked source distribution that `compat/<name>/sdist.lock` pins. It is downloaded
/// with its hash checked, in the environment of `compat/<environment>`, which has the packages that
/// its build needs.
pub(super) fn source_distribution(
    checkout: &Checkout,
    name: &str,
    package: &str,
    environment: &str,
) -> Result<PathBuf> {
    let lock = checkout.root.join("compat").join(name).join("sdist.lock");
    let folder = checkout.compat_target(name).join("sdist");
    let environment = checkout.compat_target(environment).join("venv");
    once(&lock, &folder, || {
        let python = environment.join("bin").join("python");
        let mut command = Command::new(tools::python()?);
        command.args(["-m", "pip", "--python"]).arg(&python);
        command.args(["--disable-pip-version-check", "--no-input"]);
        command.args(["download", "--quiet", "--no-deps", "--no-binary", ":all:", "--no-build-isolation"]);
        command.args(["--require-hashes", "--dest"]).arg(&folder).arg("--requirement").arg(&lock);
        process::run(&mut command)?;
        let archive = folder.join(format!("{package}.tar.gz"));
        process::run(Command::new(&python).args(["-m", "tarfile", "-e"]).arg(archive).arg(&folder))?;
        // The installed package is under test, not the copy next to the tests.
        let unpacked = folder.join(package);
        std::fs::rename(unpacked.join("src"), unpacked.join("src_unused"))
            .context("the package has no src folder")
    })?;
    Ok(folder.join(package))
}

/// Returns a folder with the npm packages of `compat/<name>/package-lock.json` and the suite's own
/// files.
pub(super) fn npm(checkout: &Checkout, name: &str) -> Result<PathBuf> {
    let source = checkout.root.join("compat").join(name);
    let folder = checkout.compat_target(name);
    once(&source.join("package-lock.json"), &folder, || {
        for file in ["package.json", "package-lock.json"] {
            std::fs::copy(source.join(file), folder.join(file))
                .with_context(|| format!("compat/{name}/{file}"))?;
        }
        let mut command = Command::new("npm");
        command.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]);
        process::run(command.current_dir(&folder))
    })?;
    // Node resolves packages from the folder of a module, so the files run next to `node_modules`.
    for entry in std::fs::read_dir(&source)? {
        let path = entry?.path();
        let is_own = path.extension().is_some_and(|e| e == "mjs" || e == "yml");
        if let Some(file) = path.file_name().filter(|_| is_own) {
            std::fs::copy(&path, folder.join(file))?;
        }
    }
    Ok(folder)
}

/// Runs `install` in a fresh `folder`, unless it already ran there for the same lock. Another
/// process that needs the same folder waits until the installation ends.
fn once(lock: &Path, folder: &Path, install: impl FnOnce() -> Result<()>) -> Result<()> {
    if let Some(parent) = folder.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let turn = File::create(folder.with_extension("turn"))?;
    turn.lock().with_context(|| format!("waiting for a turn at {}", folder.display()))?;
    let text = std::fs::read(lock).with_context(|| format!("reading {}", lock.display()))?;
    let wanted = hex::encode(Sha256::digest(&text));
    let stamp = folder.join("installed-from");
    if std::fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(());
    }
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("clearing {}", folder.display()))?;
    }
    std::fs::create_dir_all(folder)?;
    install()?;
    std::fs::write(stamp, wanted)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_installed_once_until_it_changes() -> Result<()> {
        let temporary = tempfile::tempdir()?;
        let (lock, folder) = (temporary.path().join("lock"), temporary.path().join("environment"));
        let mut installs = 0;
        for text in ["a", "a", "b"] {
            std::fs::write(&lock, text)?;
            once(&lock, &folder, || {
                installs += 1;
                Ok(())
            })?;
        }
        assert_eq!(installs, 2);
        std::fs::write(&lock, "c")?;
        assert!(once(&lock, &folder, || anyhow::bail!("no network")).is_err());
        once(&lock, &folder, || {
            installs += 1;
            Ok(())
        })?;
        assert_eq!(installs, 3, "a failed installation is repeated");
        Ok(())
    }
}
