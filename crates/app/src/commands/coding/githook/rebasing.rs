//! Whose a commit is that is made while a rebase goes on. What a rebase makes anew by itself, and what it stopped at and somebody
//! resolved, stays whose it was; what somebody adds while it has stopped is theirs.
//!
//! Git says by files beside the working tree's state how far a rebase is; by the time a commit is there it has taken the one away
//! that tells a resolution, so that the hook of the message leaves a mark for the hook behind the commit.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::git::WorkingTree;

/// Commands of a rebase that make a commit anew; behind any other one it is somebody who commits.
const ANEW: [&str; 12] = ["pick", "p", "reword", "r", "edit", "e", "squash", "s", "fixup", "f", "merge", "m"];

/// Whose a commit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Making {
    /// Whoever commits.
    Work,
    /// Whose it was; a rebase tells of it when it is through.
    Anew,
    /// Whose it was, resolved by somebody.
    Resolved,
}

/// For the hooks of a message.
pub(super) fn at_message(tree: &WorkingTree) -> Making {
    let rebase = tree.own.join("rebase-merge");
    if !rebase.exists() {
        return Making::Work;
    }
    let done = std::fs::read(rebase.join("done")).unwrap_or_default();
    let has_stopped = rebase.join("stopped-sha").exists();
    // Git keeps the message of what it stopped at until that is committed.
    making(&String::from_utf8_lossy(&done), has_stopped, tree.own.join("MERGE_MSG").exists())
}

fn making(done: &str, has_stopped: bool, has_message: bool) -> Making {
    let last = done.lines().rev().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let command = last.and_then(|line| line.split_whitespace().next());
    match command {
        Some(command) if !ANEW.contains(&command) => Making::Work,
        _ if !has_stopped => Making::Anew,
        _ if has_message => Making::Resolved,
        _ => Making::Work,
    }
}

/// Leaves the mark for the hook behind the commit, or takes away that of a commit that was called off.
///
/// # Errors
/// The file cannot be written.
pub(super) fn mark(tree: &WorkingTree, making: Making) -> Result<()> {
    let path = file(tree);
    if making == Making::Resolved {
        return super::placing::write(&path, b"", 0o600);
    }
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("removing {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// For the hook behind a commit; takes the mark away.
///
/// # Errors
/// The mark cannot be removed.
pub(super) fn behind(tree: &WorkingTree) -> Result<Making> {
    if file(tree).exists() {
        mark(tree, Making::Work)?;
        return Ok(Making::Resolved);
    }
    Ok(match at_message(tree) {
        Making::Anew => Making::Anew,
        Making::Work | Making::Resolved => Making::Work,
    })
}

fn file(tree: &WorkingTree) -> PathBuf {
    tree.own.join("loci").join("githook-resolving")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_a_commit_is() {
        let check = |done: &str, has_stopped: bool, has_message: bool, expect: Making| {
            assert_eq!(
                making(done, has_stopped, has_message),
                expect,
                "{done:?} {has_stopped} {has_message}"
            );
        };
        check("pick a # one\n", false, true, Making::Anew);
        check("pick a # one\nfixup b\n", true, true, Making::Resolved);
        check("edit a # one\n", true, false, Making::Work);
        check("pick a\n", true, false, Making::Work);
        check("pick a\nbreak\n", false, false, Making::Work);
        check("pick a\nexec git commit --amend --no-edit\n\n", false, true, Making::Work);
        check("", false, false, Making::Anew);
    }
}
