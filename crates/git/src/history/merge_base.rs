//! The merge base of two commits: the youngest commit in both histories, as `git merge-base`
//! returns it.

use std::collections::{BinaryHeap, HashMap};

use loci_model::facts::code::ObjectId;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::CodeResult;

use crate::fault;
use crate::history::ancestry;
use crate::limits::{COMMITS_MAX, WAYS_MAX};
use crate::repository::Repository;

/// The marks of a commit: reachable from the first, reachable from the second, and ancestor of a
/// common commit. This is the first one.
const ONE: u8 = 1;
const OTHER: u8 = 2;
const SHARED: u8 = ONE | OTHER;
const BELOW: u8 = 4;

impl Repository {
    /// Returns the best common commit; `None` if there is none. Of several the youngest, and of
    /// equally old ones the one with the highest id.
    ///
    /// # Errors
    /// `partial_clone` if the clone ends before a common commit is found.
    pub(crate) fn merge_base(&self, one: &ObjectId, other: &ObjectId) -> CodeResult<Option<ObjectId>> {
        let (mut shared, is_cut) = self.shared(one, other)?;
        if shared.is_empty() && is_cut {
            return Err(fault::cut_off());
        }
        shared.sort_unstable();
        // Wrong clocks may have made an ancestor a candidate.
        let mut ways_left = WAYS_MAX;
        while let Some((_, id)) = shared.pop() {
            // If the clone ends before that is known, both remain, and the youngest is returned.
            if !self.is_below_any(&id, &shared, &mut ways_left)? {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Returns true if a commit is an ancestor of one of the others, as far as the clone shows it,
    /// with one walk for all.
    fn is_below_any(
        &self,
        id: &ObjectId,
        others: &[(i64, ObjectId)],
        ways_left: &mut usize,
    ) -> CodeResult<bool> {
        let shallow = self.shallow()?;
        let mut walk = ancestry::Walk::default();
        walk.reach(*id, self.commit_with(id, &shallow)?.time, ancestry::OF_OLDER);
        for (time, other) in others {
            walk.reach(*other, *time, ancestry::OF_NEWER);
        }
        while let Some((_, reached, sides)) = walk.next() {
            let commit = self.commit_with(&reached, &shallow)?;
            *ways_left = ways_left
                .checked_sub(commit.parents.len() + 1)
                .ok_or_else(|| fault::too_large("the history"))?;
            for parent in &commit.parents {
                if parent == id && sides & ancestry::OF_NEWER != 0 {
                    return Ok(true);
                }
                match self.commit_with(parent, &shallow) {
                    Ok(found) => walk.reach(*parent, found.time, sides),
                    Err(error) if error.why == Unverifiable::PartialClone => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(false)
    }

    /// Returns common commits that are not known to be ancestors of another common commit, with
    /// their times, and true if the clone ended on the way.
    fn shared(&self, one: &ObjectId, other: &ObjectId) -> CodeResult<(Vec<(i64, ObjectId)>, bool)> {
        let shallow = self.shallow()?;
        let mut walk = Walk::default();
        walk.reach(*one, self.commit_with(one, &shallow)?.time, ONE);
        walk.reach(*other, self.commit_with(other, &shallow)?.time, OTHER);
        let (mut shared, mut is_cut) = (Vec::new(), false);
        while let Some((time, id, mut sides)) = walk.next() {
            if walk.sides.len() > COMMITS_MAX || walk.ways > WAYS_MAX {
                return Err(fault::too_large("the history"));
            }
            if sides & SHARED == SHARED && sides & BELOW == 0 {
                shared.push((time, id));
                sides |= BELOW;
            }
            let commit = self.commit_with(&id, &shallow)?;
            is_cut |= commit.cut_off && sides & BELOW == 0;
            for parent in &commit.parents {
                match self.commit_with(parent, &shallow) {
                    Ok(found) => walk.reach(*parent, found.time, sides),
                    Err(error) if error.why == Unverifiable::PartialClone => is_cut |= sides & BELOW == 0,
                    Err(error) => return Err(error),
                }
            }
        }
        shared.retain(|(_, id)| walk.sides.get(id).is_some_and(|(sides, _)| sides & BELOW == 0));
        Ok((shared, is_cut))
    }
}

/// A walk through two histories, youngest commit first, until only ancestors of common commits
/// remain.
#[derive(Default)]
struct Walk {
    queue: BinaryHeap<(i64, ObjectId)>,
    /// The marks of each reached commit, with true if it is queued.
    sides: HashMap<ObjectId, (u8, bool)>,
    /// The number of queued commits that are not ancestors of a common one.
    open: usize,
    /// The number of parent edges that the walk has followed.
    ways: usize,
}

impl Walk {
    fn reach(&mut self, id: ObjectId, time: i64, sides: u8) {
        self.ways += 1;
        let (known, waits) = self.sides.entry(id).or_default();
        let before = *known;
        *known |= sides;
        if *known == before {
            return;
        }
        if *waits && before & BELOW == 0 && *known & BELOW != 0 {
            self.open -= 1;
        }
        if !*waits {
            *waits = true;
            self.open += usize::from(*known & BELOW == 0);
            self.queue.push((time, id));
        }
    }

    fn next(&mut self) -> Option<(i64, ObjectId, u8)> {
        if self.open == 0 {
            return None;
        }
        let (time, id) = self.queue.pop()?;
        let (sides, waits) = self.sides.get_mut(&id)?;
        *waits = false;
        let sides = *sides;
        self.open -= usize::from(sides & BELOW == 0);
        Some((time, id, sides))
    }
}
