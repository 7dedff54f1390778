//! Walks through the history: ancestry of commits, and root commits.

use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use loci_model::facts::code::ObjectId;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::CodeResult;

use crate::fault;
use crate::limits::{COMMITS_MAX, ROOTS_MAX, WAYS_MAX};
use crate::repository::Repository;

impl Repository {
    /// Returns true if `older` is `newer` or one of its ancestors.
    ///
    /// Walks both histories at once, youngest commit first, until all remaining commits of the
    /// newer one belong to the older one too. Wrong clocks thus cost time, but never give a wrong
    /// answer.
    pub(crate) fn is_ancestor(&self, older: &ObjectId, newer: &ObjectId) -> CodeResult<bool> {
        if older == newer {
            return Ok(true);
        }
        let key = (self.number, *older, *newer);
        if let Some(known) = self.caches.ancestry.get(&key) {
            return Ok(known);
        }
        let answer = match self.walk(older, newer)? {
            Some(answer) => answer,
            // The history beyond the end of the clone is unknown, unless the opposite relation
            // holds.
            None if self.walk(newer, older)? == Some(true) => false,
            None => return Err(fault::cut_off()),
        };
        self.caches.ancestry.put(key, answer, 0);
        Ok(answer)
    }

    /// Returns true if `older` is an ancestor of `newer`. `None` if the clone ends before the
    /// answer is known.
    fn walk(&self, older: &ObjectId, newer: &ObjectId) -> CodeResult<Option<bool>> {
        let shallow = self.shallow()?;
        let mut walk = Walk::default();
        walk.reach(*older, self.commit_with(older, &shallow)?.time, OF_OLDER);
        walk.reach(*newer, self.commit_with(newer, &shallow)?.time, OF_NEWER);
        let mut cut_off = false;
        while let Some((_, id, sides)) = walk.next() {
            walk.check_length()?;
            let commit = self.commit_with(&id, &shallow)?;
            cut_off |= commit.cut_off && sides == OF_NEWER;
            for parent in &commit.parents {
                if parent == older && sides & OF_NEWER != 0 {
                    return Ok(Some(true));
                }
                let time = match self.commit_with(parent, &shallow) {
                    Ok(parent) => parent.time,
                    Err(error) if error.why == Unverifiable::PartialClone => {
                        cut_off |= sides == OF_NEWER;
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                walk.reach(*parent, time, sides);
            }
        }
        Ok((!cut_off).then_some(false))
    }

    /// Returns the commits without parents, sorted; empty if the history is cut off or too long.
    pub(crate) fn roots(&self, tip: &ObjectId) -> CodeResult<Vec<ObjectId>> {
        if let Some(known) = self.caches.roots.get(&(self.number, *tip)) {
            return Ok(known.to_vec());
        }
        let shallow = self.shallow()?;
        let mut seen = HashSet::from([*tip]);
        let mut open = vec![*tip];
        let mut roots = BTreeSet::new();
        while let Some(id) = open.pop() {
            let commit = match self.commit_with(&id, &shallow) {
                Ok(commit) => commit,
                Err(error) if error.why == Unverifiable::PartialClone => return Ok(Vec::new()),
                Err(error) => return Err(error),
            };
            if commit.cut_off || seen.len() > COMMITS_MAX {
                return Ok(Vec::new());
            }
            if commit.parents.is_empty() {
                roots.insert(id);
            }
            open.extend(commit.parents.iter().filter(|parent| seen.insert(**parent)));
        }
        let roots: Vec<_> = roots.into_iter().take(ROOTS_MAX).collect();
        self.caches.roots.put((self.number, *tip), Arc::from(roots.as_slice()), 0);
        Ok(roots)
    }
}

pub(crate) const OF_OLDER: u8 = 1;
pub(crate) const OF_NEWER: u8 = 2;

/// A walk through two histories at once, youngest commit first.
#[derive(Default)]
pub(crate) struct Walk {
    queue: BinaryHeap<(i64, ObjectId)>,
    /// The histories to which each commit belongs.
    sides: HashMap<ObjectId, Reached>,
    /// The number of queued commits that belong only to the newer history.
    open: usize,
    /// The number of parent edges that the walk has followed.
    ways: usize,
}

#[derive(Default)]
struct Reached {
    sides: u8,
    waits: bool,
}

impl Walk {
    pub(crate) fn reach(&mut self, id: ObjectId, time: i64, sides: u8) {
        self.ways += 1;
        let reached = self.sides.entry(id).or_default();
        let before = reached.sides;
        reached.sides |= sides;
        if reached.sides == before {
            return;
        }
        if reached.waits && before == OF_NEWER {
            self.open -= 1;
        }
        if !reached.waits {
            reached.waits = true;
            self.queue.push((time, id));
        }
        if reached.sides == OF_NEWER {
            self.open += 1;
        }
    }

    /// Returns the next commit with its time; `None` if no remaining commit belongs only to the
    /// newer history.
    pub(crate) fn next(&mut self) -> Option<(i64, ObjectId, u8)> {
        while self.open > 0 {
            let (time, id) = self.queue.pop()?;
            if let Some(sides) = self.leave(&id) {
                return Some((time, id, sides));
            }
        }
        None
    }

    /// True if a commit belongs only to the newer history, as far as walked.
    pub(crate) fn is_newer_alone(&self, id: &ObjectId) -> bool {
        self.sides.get(id).is_some_and(|reached| reached.sides == OF_NEWER)
    }

    /// Returns an error if the walk exceeds the limit for one question.
    pub(crate) fn check_length(&self) -> CodeResult<()> {
        if self.sides.len() > COMMITS_MAX || self.ways > WAYS_MAX {
            return Err(fault::too_large("the history"));
        }
        Ok(())
    }

    /// Returns the histories of a commit that is taken from the queue.
    fn leave(&mut self, id: &ObjectId) -> Option<u8> {
        let reached = self.sides.get_mut(id)?;
        reached.waits = false;
        if reached.sides == OF_NEWER {
            self.open -= 1;
        }
        Some(reached.sides)
    }
}
