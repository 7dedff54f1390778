//! The walk: carries trails through every step of a first-parent history, through hunks and
//! renames.

use std::collections::HashMap;

use anyhow::Result;

use super::steps::{FileChange, Hunk, Span, Steps};

/// A trail that the walk carries.
pub(super) trait Trail {
    /// Carries the trail through the hunks of its file.
    fn carry(&mut self, hunks: &[Hunk]);
    /// Handles the removal of its file. The hunks remove all of it.
    fn lose_file(&mut self, hunks: &[Hunk]);
    /// Handles a new file at the path of the removed one. Returns true if it is the same.
    fn regain_file(&mut self, hunks: &[Hunk]) -> bool;
    /// Returns true if nothing remains to be carried.
    fn is_over(&self) -> bool;
}

/// The trails of each current file, and the first paths of files.
#[derive(Debug, Default)]
pub(super) struct Paths {
    trails: HashMap<String, Vec<usize>>,
    /// Trails of removed files.
    lost: HashMap<String, Vec<usize>>,
    /// The first path, by current path. Files that were added later are not included.
    first: HashMap<String, String>,
}

impl Paths {
    /// Returns the current path of each trail's file.
    pub(super) fn now(&self, trails: usize) -> Vec<Option<String>> {
        let mut all = vec![None; trails];
        for (path, here) in &self.trails {
            for which in here {
                if let Some(slot) = all.get_mut(*which) {
                    *slot = Some(path.clone());
                }
            }
        }
        all
    }

    /// Returns the first path of each file, by current path.
    pub(super) fn into_first(self) -> HashMap<String, String> {
        self.first
    }
}

/// Carries all trails. `at` is the first path of each, and `files` are all paths of the first
/// revision.
pub(super) fn walk<T: Trail>(
    span: &Span<'_>,
    trails: &mut [T],
    at: &[&str],
    files: impl Iterator<Item = String>,
) -> Result<Paths> {
    let mut paths = Paths::default();
    for (which, path) in at.iter().enumerate() {
        paths.trails.entry((*path).to_owned()).or_default().push(which);
    }
    paths.first = files.map(|path| (path.clone(), path)).collect();
    let mut steps = Steps::start(span)?;
    while let Some(step) = steps.next()? {
        apply(&step.files, trails, &mut paths);
    }
    Ok(paths)
}

/// Applies one step. It takes all old names first, so that files may exchange names.
fn apply<T: Trail>(files: &[FileChange], trails: &mut [T], paths: &mut Paths) {
    let mut moved = Vec::new();
    for file in files {
        let Some(old) = &file.old else { continue };
        let stays = file.new.as_ref() == Some(old);
        let here = if stays { paths.trails.get(old).cloned() } else { paths.trails.remove(old) };
        for which in here.iter().flatten() {
            let Some(trail) = trails.get_mut(*which) else { continue };
            if file.new.is_some() { trail.carry(&file.hunks) } else { trail.lose_file(&file.hunks) }
        }
        if !stays {
            let first = paths.first.remove(old);
            match file.new.clone() {
                Some(new) => moved.push((new, here, first)),
                None => paths.lost.entry(old.clone()).or_default().extend(here.into_iter().flatten()),
            }
        } else if let Some(here) = paths.trails.get_mut(old) {
            here.retain(|which| trails.get(*which).is_some_and(|trail| !trail.is_over()));
        }
    }
    for file in files.iter().filter(|file| file.old.is_none()) {
        let Some(new) = &file.new else { continue };
        let mut lost = paths.lost.remove(new).unwrap_or_default();
        lost.retain(|which| trails.get_mut(*which).is_some_and(|trail| trail.regain_file(&file.hunks)));
        if !lost.is_empty() {
            moved.push((new.clone(), Some(lost), Some(new.clone())));
        }
    }
    for (new, here, first) in moved {
        paths.trails.entry(new.clone()).or_default().extend(here.into_iter().flatten());
        if let Some(first) = first {
            paths.first.insert(new, first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::strict_trail::Strict;
    use super::*;

    #[test]
    fn files_may_change_places_in_one_step() {
        let mut trails = vec![Strict::new(1, 1), Strict::new(2, 1)];
        let mut paths = Paths {
            trails: HashMap::from([("a".to_owned(), vec![0]), ("b".to_owned(), vec![1])]),
            first: ["a", "b"].map(|path| (path.to_owned(), path.to_owned())).into(),
            ..Paths::default()
        };
        let change =
            |old: &str, new: &str, hunks| FileChange { old: Some(old.into()), new: Some(new.into()), hunks };
        let above = Hunk { old_start: 0, new_start: 1, new: vec![b"new".to_vec()], old: Vec::new() };
        apply(&[change("a", "b", vec![above]), change("b", "a", Vec::new())], &mut trails, &mut paths);
        assert_eq!(paths.now(2), [Some("b".to_owned()), Some("a".to_owned())]);
        assert_eq!(trails.iter().map(Strict::whole).collect::<Vec<_>>(), [Some((2, 2)), Some((2, 2))]);
        assert_eq!(paths.into_first().get("b").map(String::as_str), Some("a"));
    }
}
