//! The commits of a history, newest first, with the changes of each. Grouping them is up to the
//! caller.

mod ancestry;
pub(super) mod commits;
pub(super) mod follow;
pub(super) mod likeness;
mod merge_base;
pub(super) mod renames;

use std::collections::BTreeSet;

use loci_model::facts::code::{CodeFile, ObjectId, Rename};
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::CodeResult;
use loci_model::tasks::code_history::{CommitChanges, History, HistoryAsk, HistoryCommit};

use crate::history::ancestry::{OF_NEWER, OF_OLDER, Walk};
use crate::limits::{COMPARED_IN_COMMIT_MAX, SUBJECT_CHARS_MAX};
use crate::repository::Repository;
use crate::source::Source;
use crate::trees::Difference;

impl Repository {
    /// Walks from the tip, youngest commit first, to the end of the request.
    pub(crate) fn history(&self, ask: &HistoryAsk) -> CodeResult<History> {
        let shallow = self.shallow()?;
        let newest = self.commit_with(&ask.tip, &shallow)?.time;
        let mut walk = Walk::default();
        if let Some(without) = &ask.without {
            walk.reach(*without, self.commit_with(without, &shallow)?.time, OF_OLDER);
        }
        walk.reach(ask.tip, newest, OF_NEWER);
        let mut history = History::default();
        let mut counted = 0;
        while let Some((time, id, sides)) = walk.next() {
            walk.check_length()?;
            let commit = self.commit_with(&id, &shallow)?;
            if sides == OF_NEWER {
                let is_old = ask.span_s.is_some_and(|span| time < newest.saturating_sub(span));
                if is_old || counted >= ask.commits_max {
                    history.is_cut = true;
                    if is_old {
                        continue; // Its branch ends here; another may hold younger ones.
                    }
                    break;
                }
                counted += usize::from(commit.parents.len() < 2);
                history.is_cut |= commit.cut_off;
                history.commits.push(HistoryCommit {
                    id,
                    parents: commit.parents.clone(),
                    at_s: time,
                    subject: self.subject(&id, SUBJECT_CHARS_MAX)?,
                });
            }
            for parent in &commit.parents {
                match self.commit_with(parent, &shallow) {
                    Ok(found) => walk.reach(*parent, found.time, sides),
                    Err(error) if error.why == Unverifiable::PartialClone => history.is_cut = true,
                    Err(error) => return Err(error),
                }
            }
        }
        // With a wrong clock, a commit may be returned before it is found to belong to the older
        // history too.
        history.commits.retain(|commit| walk.is_newer_alone(&commit.id));
        Ok(history)
    }
}

impl Source {
    pub(crate) fn changed_by(&self, id: &ObjectId, similarity: u8) -> CodeResult<Option<CommitChanges>> {
        let repository = &self.repository;
        let commit = repository.commit(id)?;
        if commit.cut_off {
            return Ok(None);
        }
        let paths = |files: &[CodeFile]| files.iter().map(|file| file.path.clone()).collect::<Vec<_>>();
        let Some(parent) = commit.parents.first() else {
            let come = paths(&repository.tree_files(&commit.tree)?);
            return Ok(Some(CommitChanges { come, ..CommitChanges::default() }));
        };
        let before = match repository.commit(parent) {
            Ok(parent) => parent.tree,
            Err(error) if error.why == Unverifiable::PartialClone => return Ok(None),
            Err(error) => return Err(error),
        };
        let difference = repository.tree_changes(&before, &commit.tree)?;
        let (changed, gone, come) = (difference.changed, paths(&difference.gone), paths(&difference.come));
        if gone.is_empty() || come.is_empty() {
            return Ok(Some(CommitChanges { changed, come, gone, renames: Vec::new() }));
        }
        let is_sweeping = gone.len() + come.len() > COMPARED_IN_COMMIT_MAX;
        let moved = Difference { gone: difference.gone, come: difference.come, changed: Vec::new() };
        let renames = self.pair_within_bounds(moved, if is_sweeping { 100 } else { similarity })?;
        let from: BTreeSet<&str> = renames.iter().map(|rename| rename.from.as_str()).collect();
        let to: BTreeSet<&str> = renames.iter().map(|rename| rename.to.as_str()).collect();
        let without = |paths: Vec<String>, known: &BTreeSet<&str>| {
            paths.into_iter().filter(|path| !known.contains(path.as_str())).collect::<Vec<_>>()
        };
        let (come, gone) = (without(come, &to), without(gone, &from));
        Ok(Some(CommitChanges { changed, come, gone, renames }))
    }

    /// Returns renames by similarity; only those with equal content if the files are too many to
    /// compare.
    fn pair_within_bounds(&self, moved: Difference, similarity: u8) -> CodeResult<Vec<Rename>> {
        if similarity == 100 {
            return self.pair(moved, similarity);
        }
        match self.pair(moved.clone(), similarity) {
            Err(error) if error.why == Unverifiable::TooLarge => self.pair(moved, 100),
            outcome => outcome,
        }
    }
}
