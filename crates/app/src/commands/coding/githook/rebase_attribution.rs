//! Attribution of a commit that is made during a rebase. A commit that the rebase recreates, or
//! that a person recreates after resolving a stop, keeps its author's task. A commit that a person
//! adds during a stop belongs to that person's task.
//!
//! Git shows the progress of a rebase in files next to the state of the working tree. When the
//! commit exists, git has already removed the file that marks a resolution. Therefore the message
//! hook leaves a mark for the post-commit hook.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::git::WorkingTree;

/// Rebase commands that recreate a commit. After any other command a person commits.
const ANEW: [&str; 12] = ["pick", "p", "reword", "r", "edit", "e", "squash", "s", "fixup", "f", "merge", "m"];

/// The origin of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommitOrigin {
    /// New work of the person who commits.
    Work,
    /// A recreated commit. The rebase reports it at its end.
    Anew,
    /// A recreated commit whose conflict a person resolved.
    Resolved,
}

/// Returns the origin for the message hooks.
pub(super) fn at_message(tree: &WorkingTree) -> CommitOrigin {
    let rebase = tree.own.join("rebase-merge");
    if !rebase.exists() {
        return CommitOrigin::Work;
    }
    let done = std::fs::read(rebase.join("done")).unwrap_or_default();
    let has_stopped = rebase.join("stopped-sha").exists();
    // Git keeps the message of a stopped commit until that commit is made.
    making(&String::from_utf8_lossy(&done), has_stopped, tree.own.join("MERGE_MSG").exists())
}

fn making(done: &str, has_stopped: bool, has_message: bool) -> CommitOrigin {
    let last = done.lines().rev().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let command = last.and_then(|line| line.split_whitespace().next());
    match command {
        Some(command) if !ANEW.contains(&command) => CommitOrigin::Work,
        _ if !has_stopped => CommitOrigin::Anew,
        _ if has_message => CommitOrigin::Resolved,
        _ => CommitOrigin::Work,
    }
}

/// Leaves the mark for the post-commit hook, or removes the mark of an aborted commit.
///
/// # Errors
/// The file cannot be written.
pub(super) fn mark(tree: &WorkingTree, making: CommitOrigin) -> Result<()> {
    let path = file(tree);
    if making == CommitOrigin::Resolved {
        return super::hook_installation::write(&path, b"", 0o600);
    }
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("removing {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// Returns the origin for the post-commit hook, and removes the mark.
///
/// # Errors
/// The mark cannot be removed.
pub(super) fn behind(tree: &WorkingTree) -> Result<CommitOrigin> {
    if file(tree).exists() {
        mark(tree, CommitOrigin::Work)?;
        return Ok(CommitOrigin::Resolved);
    }
    Ok(match at_message(tree) {
        CommitOrigin::Anew => CommitOrigin::Anew,
        CommitOrigin::Work | CommitOrigin::Resolved => CommitOrigin::Work,
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
        let check = |done: &str, has_stopped: bool, has_message: bool, expect: CommitOrigin| {
            assert_eq!(
                making(done, has_stopped, has_message),
                expect,
                "{done:?} {has_stopped} {has_message}"
            );
        };
        check("pick a # one\n", false, true, CommitOrigin::Anew);
        check("pick a # one\nfixup b\n", true, true, CommitOrigin::Resolved);
        check("edit a # one\n", true, false, CommitOrigin::Work);
        check("pick a\n", true, false, CommitOrigin::Work);
        check("pick a\nbreak\n", false, false, CommitOrigin::Work);
        check("pick a\nexec git commit --amend --no-edit\n\n", false, true, CommitOrigin::Work);
        check("", false, false, CommitOrigin::Anew);
    }
}
