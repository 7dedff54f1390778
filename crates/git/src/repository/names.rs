//! Resolves names to commits: refs in git's order, full and abbreviated ids, `WORKTREE`, and steps
//! to an ancestor.

use loci_model::facts::code::{ObjectId, Revision};
use loci_model::facts::revision_name::{RevisionName, RevisionStep};
use loci_model::ports::code::CodeResult;

use crate::fault;
use crate::limits::ABBREVIATED_MIN;
use crate::source::Source;

/// The revision name for the files in the worktree.
const WORKTREE: &str = "WORKTREE";

/// The prefixes and suffixes with which a short name is tried, in git's order.
const PLACES: [(&str, &str); 6] = [
    ("", ""),
    ("refs/", ""),
    ("refs/tags/", ""),
    ("refs/heads/", ""),
    ("refs/remotes/", ""),
    ("refs/remotes/", "/HEAD"),
];

impl Source {
    pub(crate) fn resolved(&self, name: &str) -> CodeResult<Option<Revision>> {
        let Some(RevisionName { name, steps }) = RevisionName::parse(name) else { return Ok(None) };
        match self.without_steps(name)? {
            Some(revision) if steps.is_empty() => Ok(Some(revision)),
            Some(Revision::Commit(commit)) => Ok(self.stepped(commit, &steps)?.map(Revision::Commit)),
            Some(Revision::Worktree(_)) | None => Ok(None),
        }
    }

    /// Returns the ancestor that the steps lead to; `None` if the history ends before it.
    ///
    /// # Errors
    /// `partial_clone` if the clone ends before the ancestor.
    fn stepped(&self, mut commit: ObjectId, steps: &[RevisionStep]) -> CodeResult<Option<ObjectId>> {
        for step in steps {
            let (times, number) = match *step {
                RevisionStep::Back(times) => (times, 1),
                RevisionStep::Parent(0) => continue,
                RevisionStep::Parent(number) => (1, number),
            };
            for _ in 0..times {
                let read = self.repository.commit(&commit)?;
                let parent = number.checked_sub(1).and_then(|place| read.parents.get(place as usize));
                commit = match parent {
                    Some(parent) => *parent,
                    None if read.cut_off => return Err(fault::cut_off()),
                    None => return Ok(None),
                };
            }
        }
        Ok(Some(commit))
    }

    /// Resolves a name without steps.
    fn without_steps(&self, name: &str) -> CodeResult<Option<Revision>> {
        if name == WORKTREE {
            return Ok(match self.worktree {
                Some(_) => Some(Revision::Worktree(self.head()?)),
                None => None,
            });
        }
        if let Some(id) = ObjectId::parse(name) {
            return Ok(self.repository.peel(&id)?.map(Revision::Commit));
        }
        for (before, after) in PLACES {
            let full = format!("{before}{name}{after}");
            if let Some((_, id)) = self.follow_ref(&full)? {
                self.repository.objects.check_borrowed(&id)?;
                return Ok(self.repository.peel(&id)?.map(Revision::Commit));
            }
        }
        Ok(self.abbreviated(name)?.map(Revision::Commit))
    }

    /// Returns the checked-out commit. `None` before the first one. Returns an error if it is
    /// borrowed from a directory that is not permitted.
    pub(crate) fn head(&self) -> CodeResult<Option<ObjectId>> {
        match self.follow_ref("HEAD")? {
            Some((_, id)) => {
                self.repository.objects.check_borrowed(&id)?;
                self.repository.peel(&id)
            }
            None => Ok(None),
        }
    }

    /// Returns the only commit whose id starts with these digits; `None` if there is none, or
    /// several.
    fn abbreviated(&self, name: &str) -> CodeResult<Option<ObjectId>> {
        let digits = name.to_ascii_lowercase();
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let full = self.repository.objects.format().id_bytes() * 2;
        if !is_hex || digits.len() < ABBREVIATED_MIN || digits.len() >= full {
            return Ok(None);
        }
        let mut commits = Vec::new();
        for id in self.repository.objects.with_prefix(&digits)? {
            commits.extend(self.repository.peel(&id)?);
        }
        commits.sort_unstable();
        commits.dedup();
        match commits.as_slice() {
            [commit] => Ok(Some(*commit)),
            _ => Ok(None),
        }
    }
}
