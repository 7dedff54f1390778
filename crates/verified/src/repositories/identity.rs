//! Checks that a registered place still has the repository that was registered there. Another
//! repository at its path is no evidence, because its files were never cited. A person decides if a
//! repository with another first commit is the registered one.

use loci_model::facts::code::ObjectId;
use loci_model::facts::repository::Repository;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::{CodeError, CodeResult, CodeSource};

use super::code_access::HEAD;

/// The known history of a repository.
#[derive(Debug, Clone, Default)]
pub(super) struct RepositoryHistory {
    key: String,
    roots: Vec<ObjectId>,
    verified_tip: Option<ObjectId>,
}

impl RepositoryHistory {
    pub(super) fn of(repository: &Repository) -> Self {
        Self {
            key: repository.key.clone(),
            roots: repository.roots.clone(),
            verified_tip: repository.verified_tip,
        }
    }

    /// Returns true for a repository that has none of the known commits. The check looks up a few
    /// objects. It walks the history only if they are missing, to distinguish another repository
    /// from a shallow history. A forge identifies its repositories by their numbers.
    pub(super) fn is_another(&self, source: &dyn CodeSource) -> CodeResult<bool> {
        if self.roots.is_empty() || !source.capabilities().near {
            return Ok(false);
        }
        for commit in self.verified_tip.iter().chain(&self.roots) {
            if source.resolve(&commit.to_string())?.is_some() {
                return Ok(false);
            }
        }
        let tip = match source.default_branch()? {
            Some((_, tip)) => Some(tip),
            None => source.resolve(HEAD)?.and_then(|head| head.commit()),
        };
        let roots = tip.map(|tip| source.roots(&tip)).transpose()?.unwrap_or_default();
        Ok(!roots.is_empty())
    }

    /// Rejects another repository.
    ///
    /// # Errors
    /// `auth_or_missing`: the repository is not there.
    pub(super) fn check(&self, source: &dyn CodeSource) -> CodeResult<()> {
        if self.is_another(source)? { Err(self.another()) } else { Ok(()) }
    }

    fn another(&self) -> CodeError {
        let key = &self.key;
        let detail = format!(
            "another repository lies where {key} was registered, or {key} was rewritten from its first commit on: where it is \
             the same, `loci repo add --same-as {key}` in it says so"
        );
        CodeError::new(Unverifiable::AuthOrMissing, detail)
    }
}
