//! The sample repository: a small shop in Rust. Its second commit moves a constant into a file of
//! its own.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Files of a commit, by path.
type Files = &'static [(&'static str, &'static str)];

/// Commits: the subject, the time, and the files that are written.
const COMMITS: [(&str, &str, Files); 2] = [
    (
        "Add a cart and orders",
        "2026-01-05T09:00:00Z",
        &[
            ("README.md", include_str!("../../../sample/first/README.md")),
            ("Cargo.toml", include_str!("../../../sample/first/Cargo.toml")),
            ("src/lib.rs", include_str!("../../../sample/first/src/lib.rs")),
            ("src/cart.rs", include_str!("../../../sample/first/src/cart.rs")),
            ("src/orders.rs", include_str!("../../../sample/first/src/orders.rs")),
        ],
    ),
    (
        "Move limits into a file of their own",
        "2026-01-12T09:00:00Z",
        &[
            ("src/lib.rs", include_str!("../../../sample/second/src/lib.rs")),
            ("src/cart.rs", include_str!("../../../sample/second/src/cart.rs")),
            ("src/limits.rs", include_str!("../../../sample/second/src/limits.rs")),
        ],
    ),
];
/// Variables by which a calling git or a person would change the repository.
const OF_CALLING_GIT: [&str; 16] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_QUARANTINE_PATH",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_DEFAULT_HASH",
    "GIT_TEMPLATE_DIR",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
];
/// The remote, which gives the repository its name. Nothing is sent there.
const ORIGIN: &str = "https://github.com/acme/shop.git";

/// Writes the repository and returns the number of its commits.
///
/// # Errors
/// If git is missing or fails, and if a file cannot be written.
pub(in crate::commands) fn write(folder: &Path) -> Result<usize> {
    std::fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    git(folder, &["init", "--quiet", "--initial-branch=main"], None)?;
    git(folder, &["remote", "add", "origin", ORIGIN], None)?;
    for (subject, time, files) in COMMITS {
        for (path, text) in files {
            let file = folder.join(path);
            if let Some(parent) = file.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(&file, text).with_context(|| format!("writing {}", file.display()))?;
        }
        commit(folder, subject, time)?;
    }
    Ok(COMMITS.len())
}

/// Commits all files of the folder.
pub(in crate::commands) fn commit(folder: &Path, subject: &str, time: &str) -> Result<()> {
    git(folder, &["add", "--all", "--force"], None)?;
    git(folder, &["commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", subject], Some(time))
}

/// Runs git in the folder, independent of the configuration of the machine and of a calling git.
fn git(folder: &Path, arguments: &[&str], time: Option<&str>) -> Result<()> {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=Sample", "-c", "user.email=sample@example.com"]);
    command.args(["-c", "core.hooksPath=/dev/null"]).args(arguments).current_dir(folder);
    for variable in OF_CALLING_GIT {
        command.env_remove(variable);
    }
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    if let Some(time) = time {
        command.env("GIT_AUTHOR_DATE", time).env("GIT_COMMITTER_DATE", time);
    }
    let ended =
        command.stdin(Stdio::null()).output().context("starting git: install it to use this command")?;
    if !ended.status.success() {
        bail!("git {} failed: {}", arguments.join(" "), String::from_utf8_lossy(&ended.stderr).trim());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_the_same_each_time() {
        let head = || {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path()).unwrap();
            let mut command = Command::new("git");
            let ended = command.args(["rev-parse", "HEAD"]).current_dir(folder.path()).output().unwrap();
            String::from_utf8(ended.stdout).unwrap()
        };
        let first = head();
        assert_eq!(first.trim().len(), 40);
        assert_eq!(first, head());
    }
}
