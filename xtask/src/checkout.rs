//! Where things are: the root of the checkout, the target folder, the binary under test. It builds that binary the way
//! the tests built everything else, so that nothing is compiled twice.

use crate::process;
use anyhow::{Context, Result, ensure};
use cargo_metadata::MetadataCommand;
use std::path::{Path, PathBuf};
use std::process::Command;

/// All features of the binary and of the client. They add to the default build: whatever CI runs is
/// built with them, once.
pub(crate) const FEATURES: &str = "loci/onnx,loci-client/agentcore,loci-client/backend-server";

/// The compiler of clippy, which lints what it compiles.
pub(crate) const CLIPPY_DRIVER: &str = "clippy-driver";
/// The argument of clippy's compiler for `-- -D warnings`.
const DENIED: &str = "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__";

/// Paths of this checkout.
#[derive(Debug)]
pub(crate) struct Checkout {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
}

impl Checkout {
    /// The checkout this program was compiled in.
    pub(crate) fn find() -> Result<Self> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let metadata =
            MetadataCommand::new().manifest_path(manifest).no_deps().exec().context("cargo metadata")?;
        Ok(Self {
            root: metadata.workspace_root.into_std_path_buf(),
            target: metadata.target_directory.into_std_path_buf(),
        })
    }

    /// A cargo command in the root, without the variable of a task: `ring` and all above it are built
    /// again where that variable differs from the build before.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(arguments).current_dir(&self.root).env_remove("CARGO_MANIFEST_DIR");
        command
    }

    /// A cargo command over the whole workspace with all features, which are unified differently
    /// for one package. It lints what it compiles, for the compiler is clippy's, and a warning is
    /// an error: linting by itself would read everything a second time.
    pub(crate) fn workspace(&self, arguments: &[&str]) -> Command {
        let mut command = self.cargo(arguments);
        command.args(["--locked", "--workspace", "--features", FEATURES]);
        command.env("RUSTC_WORKSPACE_WRAPPER", CLIPPY_DRIVER).env("CLIPPY_ARGS", DENIED);
        command
    }

    /// The folder below `target` for what foreign clients need: environments, packages, downloads.
    pub(crate) fn compat_target(&self, name: &str) -> PathBuf {
        self.target.join("compat").join(name)
    }

    /// Builds the binaries of the workspace in the profile of the tests, and says where `loci` is.
    pub(crate) fn loci(&self) -> Result<PathBuf> {
        process::run(&mut self.workspace(&["build", "--quiet", "--bins"]))?;
        let path = self.target.join("debug").join(format!("loci{}", std::env::consts::EXE_SUFFIX));
        ensure!(path.is_file(), "cargo built no {}", path.display());
        Ok(path)
    }
}
