//! A generated history: a few hundred commits from a seed, with every class of change in known
//! shares, written into a temporary folder. It needs no network and no foreign text.

mod changes;
pub(super) mod files;
mod import;
pub(super) mod text;

use std::path::Path;

use anyhow::{Context, Result};

use changes::CHANGES;
use files::Files;
pub(super) use import::Mode;
pub(crate) use import::{Commit, import};

use super::manifest::Entry;
use crate::seeded_random::Seeded;

/// Commits along the first parents.
const COMMITS: u64 = 360;
/// The intervals, in commits, of merges of two branches and of reverts.
const MERGE_EVERY: u64 = 15;
const REVERT_EVERY: u64 = 12;
/// Blocks in each window.
const ITEMS: usize = 1500;

/// Builds the history below `folder`. Returns windows from its beginning and its middle.
pub(super) fn history(folder: &Path, rng: u64) -> Result<Vec<Entry>> {
    let commits = commits(rng);
    let path = folder.join("generated");
    let ids = import(&path, &commits)?;
    let main: Vec<usize> =
        commits.iter().enumerate().filter(|(_, commit)| commit.branch == "main").map(|(at, _)| at).collect();
    let at = |share: usize| {
        let place = main.get(share * (main.len() - 1) / 100).context("a history without commits")?;
        ids.get(*place).cloned().context("a commit without an id")
    };
    let mut windows = Vec::new();
    for (name, from, to) in [("start to end", 0, 100), ("start to middle", 0, 50), ("last tenth", 90, 100)] {
        windows.push(Entry {
            name: Some(name.to_owned()),
            repo: path.clone(),
            from: at(from)?,
            to: at(to)?,
            n: ITEMS,
            rng,
            labels: None,
        });
    }
    Ok(windows)
}

/// Returns all commits, including side branches.
fn commits(rng: u64) -> Vec<Commit> {
    let mut seeded = Seeded::new(rng.wrapping_add(3).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut tree = Files::new(&mut seeded);
    let mut all = vec![commit(&tree, Vec::new(), "begin", "main")];
    let mut tip = 0;
    let mut before = tree.clone();
    for step in 1..=COMMITS {
        let parents = if step % MERGE_EVERY == 0 {
            vec![tip, side_branch(&mut all, &mut tree, tip, &mut seeded)]
        } else {
            vec![tip]
        };
        let name = if step % REVERT_EVERY == 0 {
            // Reverts the last change.
            std::mem::swap(&mut tree, &mut before);
            "take the last change back"
        } else {
            before = tree.clone();
            change(&mut tree, &mut seeded, step)
        };
        all.push(commit(&tree, parents, name, "main"));
        tip = all.len() - 1;
    }
    all
}

/// Adds a branch from the tip with two changes of its own. The tree contains them afterwards, as
/// after a merge.
fn side_branch(all: &mut Vec<Commit>, tree: &mut Files, tip: usize, seeded: &mut Seeded) -> usize {
    let mut parent = tip;
    for _ in 0..2 {
        let name = change(tree, seeded, u64::MAX);
        all.push(commit(tree, vec![parent], name, "side"));
        parent = all.len() - 1;
    }
    parent
}

/// Makes a change by weight. The first steps use each kind once, so that none is missing.
fn change(tree: &mut Files, seeded: &mut Seeded, step: u64) -> &'static str {
    let total: u64 = CHANGES.iter().map(|(_, weight, _)| weight).sum();
    for attempt in 0..50u64 {
        let mut left = seeded.below(total);
        let by_weight = CHANGES.iter().find(|(_, weight, _)| {
            let here = left < *weight;
            left = left.saturating_sub(*weight);
            here
        });
        let in_turn = usize::try_from(step).ok().and_then(|at| CHANGES.get(at.wrapping_sub(1)));
        let chosen = if attempt == 0 { in_turn.or(by_weight) } else { by_weight };
        if let Some((name, _, apply)) = chosen {
            let mut after = tree.clone();
            if apply(&mut after, seeded).is_some() {
                *tree = after;
                return name;
            }
        }
    }
    "nothing to do"
}

fn commit(tree: &Files, parents: Vec<usize>, message: &str, branch: &'static str) -> Commit {
    let files = tree.0.iter().map(|(path, file)| (path.clone(), file.bytes())).collect();
    Commit { files, others: Vec::new(), parents, message: message.to_owned(), branch: branch.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_history_with_every_kind_of_change() {
        let (one, two) = (commits(7), commits(7));
        assert!(one.iter().zip(&two).all(|(a, b)| a.files == b.files && a.message == b.message));
        assert!(one.iter().zip(&commits(8)).any(|(a, b)| a.files != b.files));
        for (name, _, _) in CHANGES {
            assert!(one.iter().any(|commit| commit.message == *name), "{name}");
        }
        assert!(one.iter().any(|commit| commit.parents.len() == 2));
        assert!(one.iter().all(|commit| commit.files.len() > 20));
    }
}
