//! Which branch is the default one. What is checked out says nothing of it: a topic branch is checked out, too. Where nothing
//! tells, there is none, and a person says which it is.

use loci_model::facts::code::ObjectId;
use loci_model::ports::code::CodeResult;

use crate::repository::configuration;
use crate::repository::refs::Sole;
use crate::source::Source;

/// Branches of `origin`, before their names.
const ORIGIN: &str = "refs/remotes/origin/";
/// Branches of this clone.
const LOCAL: &str = "refs/heads/";
/// Branches of all remotes.
const REMOTES: &str = "refs/remotes/";
/// What a default branch is called where nobody says it.
const USUAL: [&str; 2] = ["main", "master"];

impl Source {
    /// What the remote calls its default; otherwise, of a bare repository, its `HEAD`; otherwise `main` or `master` of the remote,
    /// or the one branch that it has; otherwise `main` or `master` here, or the one branch that there is.
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

    /// The one branch of the remote, where all of its branches would be here: a clone of one branch alone, or of the newest
    /// commits alone, as checks are run in, says nothing of the others.
    fn sole_of_origin(&self) -> CodeResult<Option<String>> {
        let is_partial = || -> CodeResult<bool> {
            let config = configuration(&self.repository.dir)?;
            Ok(config.is_origin_whole == Some(false) || !self.repository.shallow()?.is_empty())
        };
        match self.sole(ORIGIN)? {
            Sole::One(name) if !is_partial()? => Ok(Some(name)),
            Sole::None | Sole::One(_) | Sole::Several => Ok(None),
        }
    }

    /// The one branch of a repository that knows of no branch anywhere else.
    fn sole_here(&self) -> CodeResult<Option<String>> {
        if self.sole(REMOTES)? != Sole::None {
            return Ok(None);
        }
        match self.sole(LOCAL)? {
            Sole::One(name) => Ok(Some(name)),
            Sole::None | Sole::Several => Ok(None),
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
