//! Follows the path of a file through the history: along the first parents, from one commit to a
//! later one, rename by rename. The paths removed and added in each step are computed once per
//! history, for all files; only such steps are searched for renames.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use loci_model::facts::code::{CodeFile, EntryKind, ObjectId, Origin, Rename, Revision};
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::CodeResult;

use crate::fault;
use crate::limits::{MOVES_BYTES_MAX, RENAMES_OF_FILE_MAX, STEPS_MAX};
use crate::repository::Repository;
use crate::source::Source;

/// The paths that were removed and added between two commits.
pub(crate) struct Moves {
    gone: Box<[Box<str>]>,
    come: Box<[Box<str>]>,
}

/// The first parents of a commit, starting with itself.
pub(crate) struct FirstParents {
    commits: Vec<ObjectId>,
    places: HashMap<ObjectId, usize>,
    /// True if the clone does not contain the commits before the last one of the list.
    cut_off: bool,
    known: Mutex<PathSteps>,
}

/// The steps in which each path was removed and added. Step `n` leads from commit `n + 1` to commit
/// `n` of the line.
#[derive(Default)]
struct PathSteps {
    /// The number of processed steps: `0..steps`.
    steps: usize,
    /// The memory use of the paths and steps, in bytes.
    bytes: usize,
    /// The steps that removed each path, ascending.
    left: HashMap<String, Vec<usize>>,
    came: HashMap<String, Vec<usize>>,
}

impl Source {
    pub(crate) fn followed(
        &self,
        path: &str,
        from: &ObjectId,
        to: &Revision,
        similarity: u8,
    ) -> CodeResult<Option<String>> {
        let Some(tip) = to.commit() else { return Ok(None) };
        let line = self.repository.line(&tip)?;
        let Some(start) = line.places.get(from).copied() else {
            // It may be reachable beyond the end of the clone.
            return if line.cut_off { Err(fault::cut_off()) } else { Ok(None) };
        };
        let tree = self.repository.commit(from)?.tree;
        if !self.repository.tree_entry(&tree, path)?.is_some_and(|entry| is_file(entry.kind)) {
            return Ok(None);
        }
        let mut path = path.to_owned();
        let mut at = start;
        let mut renames_left = RENAMES_OF_FILE_MAX;
        while let Some(step) = self.repository.departure(&line, &path, at, start)? {
            spend_rename(&mut renames_left)?;
            match target(&self.renamed_in(&line, step, similarity)?, &path) {
                Some(next) => path = next,
                None => return Ok(None),
            }
            at = step;
        }
        if to.is_dirty() && !self.worktree_has(&path)? {
            return Ok(target(&self.renamed(&tip, to, similarity)?, &path));
        }
        Ok(Some(path))
    }

    /// Follows a path in the opposite direction: from the newest step to the one that added the
    /// path, and then from its previous path.
    pub(crate) fn traced_back(
        &self,
        path: &str,
        from: &ObjectId,
        to: &Revision,
        similarity: u8,
    ) -> CodeResult<Origin> {
        let Some(tip) = to.commit() else { return Ok(Origin::Unknown) };
        let line = self.repository.line(&tip)?;
        let Some(start) = line.places.get(from).copied() else { return Ok(Origin::Unknown) };
        let has = |commit: &ObjectId, path: &str| -> CodeResult<bool> {
            let tree = self.repository.commit(commit)?.tree;
            Ok(self.repository.tree_entry(&tree, path)?.is_some_and(|entry| is_file(entry.kind)))
        };
        let mut path = path.to_owned();
        if to.is_dirty() && !has(&tip, &path)? {
            match cause(&self.renamed(&tip, to, similarity)?, &path) {
                Some(earlier) => path = earlier,
                None => return Ok(Origin::New),
            }
        }
        let mut at = 0;
        let mut renames_left = RENAMES_OF_FILE_MAX;
        while let Some(step) = self.repository.arrival(&line, &path, at, start)? {
            spend_rename(&mut renames_left)?;
            match cause(&self.renamed_in(&line, step, similarity)?, &path) {
                Some(earlier) => path = earlier,
                None => return Ok(Origin::New),
            }
            at = step + 1;
        }
        Ok(if has(from, &path)? { Origin::From(path) } else { Origin::New })
    }

    /// Returns the files that one step renamed.
    fn renamed_in(&self, line: &FirstParents, step: usize, similarity: u8) -> CodeResult<Arc<Vec<Rename>>> {
        let (Some(before), Some(after)) = (line.commits.get(step + 1), line.commits.get(step)) else {
            return Ok(Arc::default());
        };
        let (before, after) = (self.repository.commit(before)?.tree, self.repository.commit(after)?.tree);
        self.renamed_trees(&before, &after, similarity)
    }
}

impl Repository {
    fn line(&self, tip: &ObjectId) -> CodeResult<Arc<FirstParents>> {
        let shallow = self.shallow()?;
        let key = (self.number, *tip, shallow.len());
        if let Some(known) = self.caches.lines.get(&key) {
            return Ok(known);
        }
        let line = Arc::new(self.first_parents(tip, &shallow)?);
        // An estimate, because the steps are processed later.
        let bytes = line.commits.len() * 160 + MOVES_BYTES_MAX / 32;
        self.caches.lines.put(key, Arc::clone(&line), bytes);
        Ok(line)
    }

    fn first_parents(&self, tip: &ObjectId, shallow: &HashSet<ObjectId>) -> CodeResult<FirstParents> {
        let mut commits = Vec::new();
        let mut next = Some(*tip);
        let mut cut_off = false;
        while let Some(id) = next {
            let commit = match self.commit_with(&id, shallow) {
                Ok(commit) => commit,
                Err(error) if error.why == Unverifiable::PartialClone && !commits.is_empty() => {
                    cut_off = true;
                    break;
                }
                Err(error) => return Err(error),
            };
            commits.push(id);
            cut_off = commit.cut_off;
            next = commit.parents.first().copied();
            if commits.len() > STEPS_MAX {
                cut_off = true;
                break;
            }
        }
        let places = commits.iter().enumerate().map(|(place, id)| (*id, place)).collect();
        Ok(FirstParents { commits, places, cut_off, known: Mutex::default() })
    }

    /// Returns the next step after `at` towards the tip that removed this path.
    fn departure(
        &self,
        line: &FirstParents,
        path: &str,
        at: usize,
        start: usize,
    ) -> CodeResult<Option<usize>> {
        let mut known = line.known.lock().unwrap_or_else(PoisonError::into_inner);
        self.learn(line, &mut known, start)?;
        let steps = known.left.get(path);
        let before = |steps: &Vec<usize>| {
            let next = steps.partition_point(|step| *step < at).checked_sub(1)?;
            steps.get(next).copied()
        };
        Ok(steps.and_then(before))
    }

    /// Returns the next step from `at` on, away from the tip and before `start`, that added this
    /// path.
    fn arrival(&self, line: &FirstParents, path: &str, at: usize, start: usize) -> CodeResult<Option<usize>> {
        let mut known = line.known.lock().unwrap_or_else(PoisonError::into_inner);
        self.learn(line, &mut known, start)?;
        let steps = known.came.get(path);
        let from = |steps: &Vec<usize>| steps.get(steps.partition_point(|step| *step < at)).copied();
        Ok(steps.and_then(from).filter(|step| *step < start))
    }

    /// Processes the steps up to `start`.
    fn learn(&self, line: &FirstParents, known: &mut PathSteps, start: usize) -> CodeResult<()> {
        while known.steps < start {
            if known.bytes > MOVES_BYTES_MAX {
                return Err(fault::too_large("the list of files that the history moved"));
            }
            let step = known.steps;
            let (Some(after), Some(before)) = (line.commits.get(step), line.commits.get(step + 1)) else {
                break;
            };
            let moves = self.step(before, after)?;
            let known = &mut *known;
            for (paths, at) in [(&moves.gone, &mut known.left), (&moves.come, &mut known.came)] {
                for path in paths {
                    known.bytes += noted(at, path, step);
                }
            }
            known.steps += 1;
        }
        Ok(())
    }

    /// Returns the paths that have a file in only one of two commits.
    fn step(&self, before: &ObjectId, after: &ObjectId) -> CodeResult<Arc<Moves>> {
        let key = (self.number, *before, *after);
        if let Some(known) = self.caches.steps.get(&key) {
            return Ok(known);
        }
        let (old, new) = (self.commit(before)?.tree, self.commit(after)?.tree);
        let difference = self.tree_difference(&old, &new)?;
        let paths = |files: Vec<CodeFile>| files.into_iter().map(|file| file.path.into_boxed_str()).collect();
        let moves = Arc::new(Moves { gone: paths(difference.gone), come: paths(difference.come) });
        let bytes = moves.gone.iter().chain(&moves.come).map(|path| path.len() + 16).sum();
        self.caches.steps.put(key, Arc::clone(&moves), bytes);
        Ok(moves)
    }
}

/// Records a step for a path, and returns the additional size in bytes.
fn noted(steps: &mut HashMap<String, Vec<usize>>, path: &str, step: usize) -> usize {
    if let Some(steps) = steps.get_mut(path) {
        steps.push(step);
        return size_of::<usize>();
    }
    steps.insert(path.to_owned(), vec![step]);
    path.len() + size_of::<String>() + size_of::<Vec<usize>>() + size_of::<usize>()
}

fn spend_rename(left: &mut usize) -> CodeResult<()> {
    *left = left.checked_sub(1).ok_or_else(|| fault::too_large("the list of paths that a file had"))?;
    Ok(())
}

fn is_file(kind: EntryKind) -> bool {
    matches!(kind, EntryKind::File | EntryKind::Symlink)
}

fn target(renames: &[Rename], path: &str) -> Option<String> {
    let place = renames.binary_search_by(|rename| rename.from.as_str().cmp(path)).ok()?;
    renames.get(place).map(|rename| rename.to.clone())
}

fn cause(renames: &[Rename], path: &str) -> Option<String> {
    renames.iter().find(|rename| rename.to == path).map(|rename| rename.from.clone())
}
