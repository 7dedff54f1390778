//! The paths of the checkout: its root, the target folder and the binary under test. It builds that
//! binary with the settings of the tests, so that nothing is compiled twice.

use crate::process;
use anyhow::{Context, Result, ensure};
use cargo_metadata::MetadataCommand;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;

/// All features of the binary and of the client. They only add to the default build, so CI builds
/// everything once, with all features.
pub(crate) const FEATURES: &str = "loci/onnx,loci-client/agentcore,loci-client/backend-server";

/// The compiler of the workspace's crates, which lints what it compiles, and the settings of its
/// lints.
const COMPILER: &str = "xtask/compiler.sh";
const LINT_SETTINGS: &str = "clippy.toml";
/// The argument of clippy's compiler for `-- -D warnings`.
const DENIED: &str = "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__";

/// The variable that marks the programs of the workspace as built. A step that finds it does not
/// wait for cargo's lock.
pub(crate) const BUILT: &str = "XTASK_BUILT";

/// Paths of this checkout.
#[derive(Debug)]
pub(crate) struct Checkout {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
    /// True if the programs of the workspace are up to date with their sources.
    pub(crate) is_built: bool,
    compiler: PathBuf,
}

impl Checkout {
    /// Finds the checkout in which this program was compiled.
    pub(crate) fn find() -> Result<Self> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let metadata =
            MetadataCommand::new().manifest_path(manifest).no_deps().exec().context("cargo metadata")?;
        let root = metadata.workspace_root.into_std_path_buf();
        let target = metadata.target_directory.into_std_path_buf();
        let compiler = compiler(&root, &target)?;
        Ok(Self { root, target, is_built: std::env::var_os(BUILT).is_some(), compiler })
    }

    /// Returns a cargo command in the root, without `CARGO_MANIFEST_DIR`. Cargo rebuilds `ring` and
    /// all crates above it if that variable differs from the previous build.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(arguments).current_dir(&self.root).env_remove("CARGO_MANIFEST_DIR");
        command
    }

    /// Returns a cargo command over the whole workspace with all features. Cargo unifies features
    /// differently for one package. The command lints what it compiles, and a warning is an error,
    /// because a separate lint run would read everything a second time.
    pub(crate) fn workspace(&self, arguments: &[&str]) -> Command {
        let mut command = self.cargo(arguments);
        command.args(["--locked", "--workspace", "--features", FEATURES]);
        command.env("RUSTC_WORKSPACE_WRAPPER", &self.compiler).env("CLIPPY_ARGS", DENIED);
        command
    }

    /// Builds these targets of the workspace in the test profile, unless they are built.
    pub(crate) fn build(&self, targets: &[&str]) -> Result<()> {
        if self.is_built {
            return Ok(());
        }
        process::run(self.workspace(&["build", "--quiet"]).args(targets))
    }

    /// Returns the folder below `target` for the files of foreign clients: environments, packages,
    /// downloads.
    pub(crate) fn compat_target(&self, name: &str) -> PathBuf {
        self.target.join("compat").join(name)
    }

    /// Builds the binaries of the workspace in the test profile, and returns the path of `loci`.
    pub(crate) fn loci(&self) -> Result<PathBuf> {
        self.build(&["--bins"])?;
        let path = self.target.join("debug").join(format!("loci{}", std::env::consts::EXE_SUFFIX));
        ensure!(path.is_file(), "cargo built no {}", path.display());
        Ok(path)
    }
}

/// Returns a copy of the compiler's script. Cargo does not read the compiler, but recompiles
/// everything if its path changes. Therefore the path contains the digest of the script and the
/// lint settings.
fn compiler(root: &Path, target: &Path) -> Result<PathBuf> {
    let script = std::fs::read(root.join(COMPILER)).context(COMPILER)?;
    let settings = std::fs::read(root.join(LINT_SETTINGS)).context(LINT_SETTINGS)?;
    let digest = hex::encode(Sha256::new().chain_update(&script).chain_update(settings).finalize());
    let path = target.join("compiler").join(digest).join("compiler.sh");
    if !path.is_file() {
        // The file gets its name only when it is complete, because another process may look for it.
        let folder = path.parent().context("a path without a folder")?;
        std::fs::create_dir_all(folder)?;
        let file = tempfile::NamedTempFile::new_in(folder)?;
        std::fs::copy(root.join(COMPILER), file.path())?;
        file.persist(&path)?;
    }
    Ok(path)
}
