//! The default branch. The checked-out branch does not determine it, because it may be a topic
//! branch. If nothing else determines it, there is none, and a person must specify it.

use loci_model::facts::code::ObjectId;
use loci_model::ports::code::CodeResult;

use crate::repository::configuration;
use crate::repository::refs::RefCount;
use crate::source::Source;

/// The prefix of the branches of `origin`.
const ORIGIN: &str = "refs/remotes/origin/";
/// The prefix of the branches of this clone.
const LOCAL: &str = "refs/heads/";
/// The prefix of the branches of all remotes.
const REMOTES: &str = "refs/remotes/";
/// The conventional names of a default branch.
const USUAL: [&str; 2] = ["main", "master"];

impl Source {
    /// Returns the default branch: the `HEAD` of the remote; otherwise, for a bare repository, its
    /// own `HEAD`; otherwise `main` or `master` of the remote, or its only branch; otherwise the
    /// local `main` or `master`, or the only branch.
    pub(crate) fn default(&self) -> CodeResult<Option<(String, ObjectId)>> {
        if let Some(found) = self.tip(&format!("{ORIGIN}HEAD"))? {
            return Ok(Some(found));
        }
        if self.is_bare()? {
            return match self.follow_shared("HEAD")? {
                Some((full, id)) => self.named(&full, &id),
                None => Ok(None),
            };
        }
        for name in USUAL {
            if let Some(found) = self.tip(&format!("{ORIGIN}{name}"))? {
                return Ok(Some(found));
            }
        }
        if let Some(name) = self.sole_of_origin()? {
            return self.tip(&name);
        }
        for name in USUAL {
            if let Some(found) = self.tip(&format!("{LOCAL}{name}"))? {
                return Ok(Some(found));
            }
        }
        match self.sole_here()? {
            Some(name) => self.tip(&name),
            None => Ok(None),
        }
    }

    /// Returns the only branch of the remote, if the clone would contain all of its branches. A
    /// single-branch or shallow clone, as used by CI, shows nothing about the others.
    fn sole_of_origin(&self) -> CodeResult<Option<String>> {
        let is_partial = || -> CodeResult<bool> {
            let config = configuration(&self.repository.dir)?;
            Ok(config.is_origin_whole == Some(false) || !self.repository.shallow()?.is_empty())
        };
        match self.sole(ORIGIN)? {
            RefCount::One(name) if !is_partial()? => Ok(Some(name)),
            RefCount::None | RefCount::One(_) | RefCount::Several => Ok(None),
        }
    }

    /// Returns the only local branch of a repository without remote branches.
    fn sole_here(&self) -> CodeResult<Option<String>> {
        if self.sole(REMOTES)? != RefCount::None {
            return Ok(None);
        }
        match self.sole(LOCAL)? {
            RefCount::One(name) => Ok(Some(name)),
            RefCount::None | RefCount::Several => Ok(None),
        }
    }

    fn tip(&self, name: &str) -> CodeResult<Option<(String, ObjectId)>> {
        match self.follow_ref(name)? {
            Some((full, id)) => self.named(&full, &id),
            None => Ok(None),
        }
    }

    fn named(&self, full: &str, id: &ObjectId) -> CodeResult<Option<(String, ObjectId)>> {
        let short = full.strip_prefix(ORIGIN).or(full.strip_prefix(LOCAL)).unwrap_or(full);
        Ok(self.repository.peel(id)?.map(|commit| (short.to_owned(), commit)))
    }
}
