//! Which repository a name means, as far as the caller may know.

use loci_engine::access::{self, View};
use loci_model::facts::repository::Repository;
use loci_model::ports::store::ReadTx;
use loci_model::principal::{Capability, Principal};
use loci_model::{
    ActorId, CodeReason, Error, MemoryId, Namespace, NamespaceFilter, NamespaceMatch, RepositoryId, Result,
};

use super::knowledge_namespace;
use crate::RepositoryName;

/// A repository that the caller may see, and what of the memory they may.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// The repository.
    pub(crate) repository: Repository,
    /// Where its facts are.
    pub(crate) namespace: Namespace,
    /// What the caller may see or change.
    pub(crate) view: View,
}

/// True where a view reaches the memory of a repository, at the node that holds its facts. A grant
/// on an actor reaches only the repository with that actor as its key.
pub(super) fn is_visible(view: &View, repository: &Repository, namespace: &Namespace) -> bool {
    let actor = ActorId::parse(repository.key.as_str()).ok();
    view.reaches(&NamespaceFilter::new(namespace, NamespaceMatch::Exact), actor.as_ref())
}

/// The repository of this name.
///
/// # Errors
/// `REPO_UNKNOWN` where there is none, or none whose facts the caller may see; `Conflict` where the name fits several, with
/// their qualified names.
pub(crate) fn find(
    tx: &dyn ReadTx,
    caller: &Principal,
    memory: &MemoryId,
    name: &str,
    capability: Capability,
) -> Result<Found> {
    let view = access::record_view(caller, memory, capability)?;
    let mut found = Vec::new();
    for repository in named(tx, memory, name)? {
        let namespace = knowledge_namespace(&repository)?;
        if is_visible(&view, &repository, &namespace) {
            found.push(Found { repository, namespace, view: view.clone() });
        }
    }
    if found.len() > 1 {
        let names = found.iter().map(|one| qualified(&one.repository)).collect();
        let rule = "the name fits several repositories: write host/owner/name";
        return Err(Error::conflict(rule).on("repo").listing(names));
    }
    found.pop().ok_or_else(|| unknown(name))
}

/// The repository of this name, for those who need no more of it.
///
/// # Errors
/// `REPO_UNKNOWN` where there is none, or none whose facts the caller may see; `Conflict` where the
/// name fits several, with their qualified names.
pub fn find_repository(
    tx: &dyn ReadTx,
    caller: &Principal,
    memory: &MemoryId,
    name: &str,
    capability: Capability,
) -> Result<Repository> {
    find(tx, caller, memory, name, capability).map(|found| found.repository)
}

/// Whether a repository has this name, whoever asks.
///
/// # Errors
/// `Invalid` for what is no name.
pub fn is_named(tx: &dyn ReadTx, memory: &MemoryId, name: &str, repository: &RepositoryId) -> Result<bool> {
    Ok(named(tx, memory, name)?.iter().any(|one| one.id == *repository))
}

/// The repository of this identity, as for [`find`].
pub(crate) fn of_id(
    tx: &dyn ReadTx,
    caller: &Principal,
    memory: &MemoryId,
    id: &RepositoryId,
    capability: Capability,
) -> Result<Option<Found>> {
    let view = access::record_view(caller, memory, capability)?;
    let Some(repository) = tx.repositories().get(memory, id)? else { return Ok(None) };
    let namespace = knowledge_namespace(&repository)?;
    let visible = is_visible(&view, &repository, &namespace);
    Ok(visible.then_some(Found { repository, namespace, view }))
}

/// All repositories of this name, whoever asks. A name with a host never means one of another host.
pub(crate) fn named(tx: &dyn ReadTx, memory: &MemoryId, name: &str) -> Result<Vec<Repository>> {
    let parsed = RepositoryName::parse(name)?;
    let mut found = tx.repositories().named(memory, &parsed.alias())?;
    if found.is_empty() && parsed.host.is_some() {
        // A repository without a remote on any host may be registered as `some.word/name/part`.
        found = tx.repositories().named(memory, &parsed.key().to_lowercase())?;
        found.retain(|repository| !repository.aliases.iter().any(|alias| has_host(alias)));
    }
    Ok(found)
}

fn has_host(alias: &str) -> bool {
    RepositoryName::parse(alias).is_ok_and(|name| name.host.is_some())
}

/// The name that fits one repository alone.
pub(super) fn qualified(repository: &Repository) -> String {
    let with_host = repository.aliases.iter().find(|alias| has_host(alias));
    with_host.cloned().unwrap_or_else(|| repository.key.clone())
}

fn unknown(name: &str) -> Error {
    let message = format!("no repository {name} is known here: register it with `loci repo add`");
    Error::code(CodeReason::RepositoryUnknown, message).on("repo")
}
