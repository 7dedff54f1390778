//! The sample repository: a small shop in Rust. Its second commit moves a constant into a file of
//! its own.

use std::path::Path;

use anyhow::{Context, Result};

use crate::git_program;

/// The files of a commit: path and content.
type Files = &'static [(&'static str, &'static str)];

/// The commits of the sample repository: the subject, the time, and the files that each writes.
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
/// The URL of the remote, which gives the repository its name. Nothing is sent there.
const ORIGIN: &str = "https://github.com/acme/shop.git";
/// The name of the author of the commits.
const NAME: &str = "Sample";
const EMAIL: &str = "sample@example.com";

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
    let mut command = git_program::undirected();
    command.args(["-c", "core.hooksPath=/dev/null"]).args(arguments).current_dir(folder);
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), NAME).env(format!("GIT_{role}_EMAIL"), EMAIL);
        command.envs(time.map(|time| (format!("GIT_{role}_DATE"), time)));
    }
    git_program::run(&mut command, "making the sample repository").map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_the_same_each_time() {
        let head = || {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path()).unwrap();
            let mut command = git_program::undirected();
            let ended = command.args(["rev-parse", "HEAD"]).current_dir(folder.path()).output().unwrap();
            String::from_utf8(ended.stdout).unwrap()
        };
        let first = head();
        assert_eq!(first.trim().len(), 40);
        assert_eq!(first, head());
    }
}
