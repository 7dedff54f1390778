//! Access to a repository's code: the choice of its place, and the switch to the adapter's threads.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use loci_model::facts::code::{ObjectId, Revision};
use loci_model::facts::repository::Repository;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::{
    CodeError, CodePlace, CodeResult, CodeSource, CodeSources, DiscoveredRepository,
};
use loci_model::{CodeReason, Error, Result};

use super::default_tip::{TipRelation, stands};
use super::identity::RepositoryHistory;
use crate::Verified;
use crate::verifier::is_revision_name;
use loci_engine::calls::call_context::CallContext;

/// The name of the working tree as a revision.
pub(crate) const WORKTREE: &str = "WORKTREE";
/// The commit that the caller has checked out.
pub(crate) const HEAD: &str = "HEAD";

/// A resolved revision, with a flag for the tip of the default branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tip {
    /// The name of the revision that the caller requested.
    pub reference: String,
    /// The revision to which the requested name resolved.
    pub revision: Revision,
    /// True for the tip of the default branch. Only verdicts found there change states.
    pub is_default: bool,
}

impl Tip {
    /// Returns the commit, or the one that the working tree has checked out.
    pub fn commit(&self) -> Option<ObjectId> {
        self.revision.commit()
    }

    /// Returns the commit under which a verdict may be cached; `None` for a working tree.
    pub(crate) fn clean_commit(&self) -> Option<ObjectId> {
        match &self.revision {
            Revision::Commit(commit) => Some(*commit),
            Revision::Worktree(_) => None,
        }
    }
}

/// Work on an open repository. It can be restarted at another place.
pub type RepositoryCodeWork<T> = Arc<dyn Fn(&dyn CodeSource) -> CodeResult<T> + Send + Sync>;

impl Verified {
    /// Runs work at the first of the repository's places that can be opened. The caller's own
    /// directory comes first if it is a clone of this repository.
    pub async fn on_code<T: Send + 'static>(
        &self,
        repository: &Repository,
        standing: &CallContext,
        work: RepositoryCodeWork<T>,
    ) -> CodeResult<T> {
        self.on_code_at(repository, standing, work).await.map(|(_, done)| done)
    }

    /// Runs work like [`on_code`](Self::on_code), and also returns the place. Subsequent work must
    /// read that place only.
    pub(crate) async fn on_code_at<T: Send + 'static>(
        &self,
        repository: &Repository,
        standing: &CallContext,
        work: RepositoryCodeWork<T>,
    ) -> CodeResult<(CodePlace, T)> {
        let unreadable = |detail: &str| CodeError::new(Unverifiable::AuthOrMissing, detail);
        let Some(code) = self.engine.code() else {
            return Err(unreadable("this server reads no code"));
        };
        let mut last = unreadable("no place is known where the repository's code can be read: loci repo add");
        let known = Arc::new(RepositoryHistory::of(repository));
        for place in self.places(code.as_ref(), repository, standing).await {
            match read_place(code.as_ref(), &place, checked(&known, &work)).await {
                Err(error) if error.why != Unverifiable::Ref => last = error,
                done => return done.map(|done| (place, done)),
            }
        }
        Err(last)
    }

    /// Returns the revision of a call: the named one, else the files in the caller's working tree
    /// of this repository. `None` means `HEAD`.
    pub async fn revision_of(
        &self,
        repository: &Repository,
        standing: &CallContext,
        named: Option<&str>,
    ) -> Option<String> {
        if named.is_some() {
            return named.map(str::to_owned);
        }
        let (code, directory) = (self.engine.code()?, standing.directory.as_deref()?);
        let found = clone_at(code.as_ref(), directory, repository).await?;
        found.worktree.is_some().then(|| WORKTREE.to_owned())
    }

    async fn places(
        &self,
        code: &dyn CodeSources,
        repository: &Repository,
        standing: &CallContext,
    ) -> Vec<CodePlace> {
        let mut places = Vec::with_capacity(repository.places.len() + 1);
        if let Some(directory) = &standing.directory
            && clone_at(code, directory, repository).await.is_some()
        {
            places.push(CodePlace::Local(directory.clone()));
        }
        places.extend(repository.places.iter().cloned());
        places
    }
}

/// Returns the work with a check before it that the place has the expected repository.
fn checked<T: Send + 'static>(
    known: &Arc<RepositoryHistory>,
    work: &RepositoryCodeWork<T>,
) -> RepositoryCodeWork<T> {
    let (known, work) = (Arc::clone(known), Arc::clone(work));
    Arc::new(move |source: &dyn CodeSource| {
        known.check(source)?;
        work(source)
    })
}

/// Returns the clone at a directory, if it is a clone of the repository. An unreadable directory
/// yields `None`; reading it later returns the error.
async fn clone_at(
    code: &dyn CodeSources,
    directory: &Path,
    repository: &Repository,
) -> Option<DiscoveredRepository> {
    let found = code.discover(directory).await.ok().flatten()?;
    repository.places.contains(&CodePlace::Local(found.common_dir.clone())).then_some(found)
}

/// Runs work on a repository at one place, on the adapter's threads, and returns its result.
///
/// # Errors
/// The reason why the place cannot be opened, and errors of the work.
pub async fn read_place<T: Send + 'static>(
    code: &dyn CodeSources,
    place: &CodePlace,
    work: RepositoryCodeWork<T>,
) -> CodeResult<T> {
    let slot = Arc::new(Mutex::new(None));
    let filled = slot.clone();
    code.read(
        place,
        Box::new(move |source| {
            let done = work(source);
            *filled.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
        }),
    )
    .await?;
    let done = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
    done.unwrap_or_else(|| Err(CodeError::new(Unverifiable::Network, "the reading was given up")))
}

/// Resolves the revision of this name, once per call. `default_ref` is the repository's setting for
/// its default branch.
pub(crate) fn resolve(
    source: &dyn CodeSource,
    reference: &str,
    default_ref: Option<&str>,
) -> CodeResult<Tip> {
    let missing = || CodeError::new(Unverifiable::Ref, format!("the revision {reference} is not there"));
    if reference == WORKTREE && !source.capabilities().worktree {
        let detail = "WORKTREE is read where the worktree is: here is a bare repository or another machine's";
        return Err(CodeError::new(Unverifiable::Ref, detail));
    }
    let revision = source.resolve(reference)?.ok_or_else(missing)?;
    let default = default_here(source, default_ref)?;
    let is_default = matches!(&revision, Revision::Commit(commit) if Some(*commit) == default);
    Ok(Tip { reference: reference.to_owned(), revision, is_default })
}

/// Resolves a revision whose verdicts may change states. A tip of the default branch that is older
/// than the `verified` one does not count as the tip.
pub(crate) fn resolve_since(
    source: &dyn CodeSource,
    reference: &str,
    default_ref: Option<&str>,
    verified: Option<&ObjectId>,
) -> CodeResult<Tip> {
    let mut tip = resolve(source, reference, default_ref)?;
    if let Some(commit) = tip.clean_commit().filter(|_| tip.is_default) {
        tip.is_default = stands(source, &commit, verified)? > TipRelation::Behind;
    }
    Ok(tip)
}

/// Returns the tip of the default branch as this source knows it. `default_ref` is the repository's
/// setting for it.
pub fn default_here(source: &dyn CodeSource, default_ref: Option<&str>) -> CodeResult<Option<ObjectId>> {
    Ok(match default_ref {
        Some(name) => source.resolve(name)?.and_then(|revision| revision.commit()),
        None => source.default_branch()?.map(|(_, tip)| tip),
    })
}

/// Resolves a commit by its id, else the tip of the default branch, else the checked-out commit.
/// The latter applies if the default branch is unknown; it does not count as the tip. `default` is
/// the repository's setting for its default branch.
pub fn tip_of(source: &dyn CodeSource, commit: Option<&str>, default: Option<&str>) -> CodeResult<Tip> {
    if let Some(name) = commit {
        return resolve(source, name, default);
    }
    if let Some(name) = default {
        return resolve(source, name, Some(name));
    }
    match source.default_branch()? {
        Some((_, tip)) => resolve(source, &tip.to_string(), None),
        None => resolve(source, HEAD, None),
    }
}

/// Checks the name of a revision that a caller gives.
pub(crate) fn check_ref(reference: &str) -> Result<()> {
    if is_revision_name(reference) {
        return Ok(());
    }
    let rule = "ref must be WORKTREE, or a branch, a tag, a commit id or HEAD, with ~N, ^ or ^N after it for an \
                ancestor; without .., @{ and a - at its beginning";
    Err(Error::invalid("ref", rule))
}

/// Returns the tool error for code that cannot be read.
pub(crate) fn unreadable(error: &CodeError) -> Error {
    let reason = match error.why {
        Unverifiable::Ref => CodeReason::RefNotFound,
        Unverifiable::TooLarge | Unverifiable::Minified => CodeReason::TooLarge,
        Unverifiable::Binary => CodeReason::BinaryFile,
        Unverifiable::Submodule => CodeReason::Submodule,
        Unverifiable::Network
        | Unverifiable::Auth
        | Unverifiable::AuthOrMissing
        | Unverifiable::Rate
        | Unverifiable::PartialClone
        | Unverifiable::Deadline => CodeReason::Unverifiable,
    };
    let message = format!("{} ({})", error.detail, error.why.as_str());
    Error::code(reason, message).retry_after(error.retry_after_ms)
}
